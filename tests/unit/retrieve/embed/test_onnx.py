from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models import tiny_bert
from ragaliq.errors import ConfigError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.transformers import TransformersEmbedder

ROOT = Path(__file__).resolve().parents[4]
WORDS = ["[PAD]", "[UNK]", "boat", "Küche", "la", "лодка", "船"]
# The vector of each word, in the order of its number.
TABLE = np.array([[9, 9], [1, 1], [3, 4], [0, 2], [-1, 0], [2, 0], [0, -5]], dtype=np.float32)
TEXTS = [
    "The supply boat leaves the harbour at nine.",
    "Dogs",
    "Die Küche ist sonntags geschlossen. Hunde sind anzuleinen.",
    "Судно снабжения выходит из порта в девять.",
    "补给船九点离开港口。",
]


def message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """A protobuf message: field numbers with a number, a text or another message."""

    def varint(value: int) -> bytes:
        return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)

    made = b""
    for number, value in fields:
        if isinstance(value, int):
            made += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            made += varint(number << 3 | 2) + varint(len(data)) + data
    return made


def onnx_file(inputs: Sequence[str], output: str) -> bytes:
    """An ONNX model that looks up each token's vector in `TABLE`; only `input_ids` is used. Numbers are ONNX's own."""
    float32, int64 = 1, 7

    def tensor(name: str, kind: int) -> bytes:
        axes = message((1, message((2, "texts"))), (1, message((2, "tokens"))))
        return message((1, name), (2, message((1, message((1, kind), (2, axes))))))

    node = message((1, "table"), (1, inputs[0]), (2, output), (4, "Gather"))
    table = message((1, len(TABLE)), (1, 2), (2, float32), (8, "table"), (9, TABLE.tobytes()))
    result = message((1, output), (2, message((1, message((1, float32))))))
    graph = message((1, node), (2, "lookup"), (5, table), *((11, tensor(name, int64)) for name in inputs), (12, result))
    return message((1, 8), (7, graph), (8, message((1, ""), (2, 17))))


def lookup_model(
    folder: Path, inputs: Sequence[str] = ("input_ids", "attention_mask"), output: str = "last_hidden_state"
) -> str:
    """A model of seven words, whose file can be followed by hand."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, PreTrainedTokenizerFast

    raw = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=raw, pad_token="[PAD]", unk_token="[UNK]", model_max_length=4
    )
    tokenizer.save_pretrained(folder)
    BertConfig(vocab_size=len(WORDS)).save_pretrained(folder)
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(onnx_file(inputs, output))
    return str(folder)


def embedder(model: str, pooling: str = "mean", normalise: bool = True) -> TransformersEmbedder:
    return TransformersEmbedder(model, pooling=pooling, normalise=normalise, backend="onnx", batch_size=2)


@pytest.mark.parametrize("output", ["last_hidden_state", "token_embeddings"])
def test_pooling_by_hand(tmp_path: Path, output: str) -> None:
    model = lookup_model(tmp_path, output=output)
    texts = ["boat Küche", "船", "la лодка boat", ""]
    found = {way: embedder(model, way, False).embed(texts, Side.PASSAGE).tolist() for way in ("mean", "cls", "last")}
    third = pytest.approx([(-1 + 2 + 3) / 3, 4 / 3])
    assert found["mean"] == [[(3 + 0) / 2, (4 + 2) / 2], [0, -5], third, [0, 0]]
    assert found["cls"] == [[3, 4], [0, -5], [-1, 0], [0, 0]]
    assert found["last"] == [[0, 2], [0, -5], [3, 4], [0, 0]]
    unit = embedder(model, "cls").embed(texts, Side.QUERY)
    assert unit.tolist() == [pytest.approx([3 / 5, 4 / 5]), [0, -1], [-1, 0], [0, 0]]


def test_texts_are_cut_at_the_tokenizers_length(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = embedder(lookup_model(tmp_path), "last", False)
    assert model.embed(["la la la boat 船 船"], Side.PASSAGE).tolist() == [[3, 4]]
    assert "note: 1 of 1 texts are longer than the 4 tokens that" in capsys.readouterr().err


def test_inputs_that_the_tokenizer_does_not_make_are_added(tmp_path: Path) -> None:
    names = ["input_ids", "attention_mask", "token_type_ids", "position_ids"]
    model = lookup_model(tmp_path, names)
    assert embedder(model, "cls", False).embed(["boat", "船 船"], Side.PASSAGE).tolist() == [[3, 4], [0, -5]]


@pytest.mark.parametrize(
    ("inputs", "output", "reason"),
    [
        (["input_ids", "past_key_values"], "last_hidden_state", "wants input 'past_key_values'; use backend torch"),
        (["input_ids"], "logits", "gives no 'last_hidden_state' but 'logits'; use backend torch"),
    ],
)
def test_a_file_for_another_purpose_is_refused(tmp_path: Path, inputs: list[str], output: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=f"onnx/model.onnx {reason}$"):
        embedder(lookup_model(tmp_path, inputs, output)).embed(["boat"], Side.QUERY)


def test_a_broken_file_and_a_missing_device_are_told_in_one_line(tmp_path: Path) -> None:
    model = lookup_model(tmp_path)
    with pytest.raises(ConfigError, match=r"onnxruntime has no device 'mps' here; leave option 'device' out$"):
        TransformersEmbedder(model, pooling="cls", backend="onnx", device="mps").embed(["boat"], Side.QUERY)
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ConfigError, match=r"cannot be loaded \(.*\); check the id and the options$") as caught:
        embedder(model).embed(["boat"], Side.QUERY)
    assert "\n" not in str(caught.value)


def test_the_name_follows_the_file(tmp_path: Path) -> None:
    model = lookup_model(tmp_path)
    before = str(embedder(model))
    (tmp_path / "onnx" / "model.onnx").write_bytes(onnx_file(["input_ids"], "last_hidden_state"))
    assert str(embedder(model)) != before
    assert "'backend': 'onnx'" in before


def test_torch_is_not_needed(tmp_path: Path) -> None:
    model = lookup_model(tmp_path)
    code = (
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "from ragaliq.retrieve import Side\n"
        "from ragaliq.retrieve.embed.transformers import TransformersEmbedder\n"
        f"model = TransformersEmbedder({model!r}, pooling='cls', backend='onnx')\n"
        "assert 'onnx' in str(model)\n"
        "print(model.embed(['Küche', 'лодка'], Side.QUERY).tolist())\n"
    )
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "[[0.0, 1.0], [1.0, 0.0]]\n"), done.stderr


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny BERT beside its export by torch."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = Path(tiny_bert(tmp_path_factory.mktemp("onnx") / "model"))
    (folder / "onnx").mkdir()
    bert = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    tokens = AutoTokenizer.from_pretrained(folder)(TEXTS[:2], padding=True, return_tensors="pt")
    names = ["input_ids", "attention_mask", "token_type_ids"]

    class Body(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bert = bert

        def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
            made: torch.Tensor = self.bert(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
            return made

    torch.onnx.export(
        Body(),
        tuple(tokens[name] for name in names),
        str(folder / "onnx" / "model.onnx"),
        input_names=names,
        output_names=["last_hidden_state"],
        dynamic_axes={name: {0: "texts", 1: "tokens"} for name in [*names, "last_hidden_state"]},
        dynamo=False,
    )
    return str(folder)


@pytest.mark.hf
@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_an_export_gives_the_vectors_of_torch(exported: str, pooling: str) -> None:
    def vectors(backend: str) -> NDArray[np.float32]:
        model = TransformersEmbedder(exported, pooling=pooling, backend=backend, device="cpu", batch_size=2)
        return model.embed(TEXTS, Side.PASSAGE)

    assert np.abs(vectors("onnx") - vectors("torch")).max() < 1e-4


@pytest.mark.hf
def test_an_export_without_weights_of_torch_is_enough(exported: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(exported, copy)
    (copy / "model.safetensors").unlink()
    found = embedder(str(copy)).embed(TEXTS, Side.PASSAGE)
    assert np.array_equal(found, embedder(exported).embed(TEXTS, Side.PASSAGE))
