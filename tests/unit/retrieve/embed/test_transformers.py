"""The kind `transformers`: a bare transformer, pooled and prefixed as its conventions say."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fakes import chunk
from models import tiny_bert
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import ConfigError, InputError
from ragaliq.local.model import LocalModel
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.sentence_transformers import TransformersEmbedder
from ragaliq.retrieve.hybrid import DenseRetriever

pytestmark = pytest.mark.hf

TEXTS = [
    "The supply boat leaves the harbour at nine.",
    "Dogs",
    "Das Versorgungsschiff verlässt den Hafen um neun. Die Küche ist sonntags geschlossen. Hunde sind anzuleinen.",
    "Le bateau de ravitaillement quitte le port à neuf heures.",
    "La cocina cierra.",
    "Судно снабжения выходит из порта в девять.",
    "补给船九点离开港口。",
]


def embedder(model: str, pooling: str = "mean", **options: Any) -> TransformersEmbedder:
    return TransformersEmbedder(model, pooling=pooling, device="cpu", **options)


def hidden(model: str, texts: list[str]) -> list[NDArray[np.float64]]:
    """The vectors of each text's tokens, each text run by itself through transformers alone."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, weights = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model).eval()
    with torch.no_grad():
        rows = [weights(**tokenizer(text, return_tensors="pt")).last_hidden_state[0] for text in texts]
    return [np.asarray(row, dtype=np.float64) for row in rows]


def unit(vector: NDArray[np.float64]) -> list[float]:
    return list(vector / np.linalg.norm(vector))


def notes(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("note:")]


POOLED: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "mean": lambda tokens: tokens.mean(axis=0),
    "cls": lambda tokens: tokens[0],
    "last": lambda tokens: tokens[-1],
}


@pytest.mark.parametrize("pooling", POOLED)
def test_a_vector_is_the_pooled_tokens_of_the_text_alone(bert: str, llama: str, pooling: str) -> None:
    # The llama has a chat template: a text to embed is no message.
    for model in (bert, llama):
        vectors = embedder(model, pooling, batch_size=4).embed(TEXTS, Side.PASSAGE)
        assert vectors.dtype == np.float32
        for text, vector, tokens in zip(TEXTS, vectors, hidden(model, TEXTS), strict=True):
            assert vector.tolist() == pytest.approx(unit(POOLED[pooling](tokens)), abs=1e-5), text


def test_a_decoder_embeds_wherever_its_tokenizer_would_pad_and_without_padding(llama: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    expected = embedder(llama, "last").embed(TEXTS, Side.PASSAGE)
    for name, change in (("left", {"padding_side": "left"}), ("right", {"padding_side": "right"}), ("none", {})):
        folder = tmp_path / name
        shutil.copytree(llama, folder)
        tokenizer = AutoTokenizer.from_pretrained(llama, **change)
        if name == "none":
            tokenizer.pad_token = None
        tokenizer.save_pretrained(folder)
        vectors = embedder(str(folder), "last", batch_size=4).embed(TEXTS, Side.PASSAGE)
        assert np.abs(vectors - expected).max() < 1e-5, name


def test_a_text_has_the_same_vector_alone_and_in_any_batch(bert: str) -> None:
    alone = np.concatenate([embedder(bert).embed([text], Side.PASSAGE) for text in TEXTS])
    for batch_size in (1, 2, 32):
        model = embedder(bert, batch_size=batch_size)
        assert np.abs(model.embed(TEXTS, Side.PASSAGE) - alone).max() < 1e-5, batch_size
        assert np.abs(model.embed(TEXTS[::-1], Side.PASSAGE)[::-1] - alone).max() < 1e-5, batch_size


def test_prefixes_stand_on_their_side_alone(bert: str) -> None:
    model = embedder(bert, query_prefix="Question ", passage_prefix="Documents ")
    plain = embedder(bert)
    for side, prefix in ((Side.QUERY, "Question "), (Side.PASSAGE, "Documents ")):
        assert np.array_equal(model.embed(TEXTS, side), plain.embed([prefix + text for text in TEXTS], side))
    assert not np.allclose(model.embed(TEXTS, Side.QUERY), plain.embed(TEXTS, Side.QUERY), atol=1e-3)


def test_vectors_have_unit_length_unless_that_is_off(bert: str) -> None:
    for dtype in ("float32", "bfloat16"):
        lengths = np.linalg.norm(embedder(bert, dtype=dtype).embed(TEXTS, Side.PASSAGE), axis=1)
        assert lengths.tolist() == pytest.approx([1] * len(TEXTS), abs=1e-6), dtype
    raw = embedder(bert, normalise=False).embed(TEXTS[:1], Side.PASSAGE)
    assert raw[0].tolist() == pytest.approx(list(hidden(bert, TEXTS[:1])[0].mean(axis=0)), abs=1e-4)


def test_blank_texts_get_zeros_and_no_text_no_row(bert: str) -> None:
    model = embedder(bert, passage_prefix="Documents ")
    vectors = model.embed(["", TEXTS[0], " \n\t", "　"], Side.PASSAGE)
    assert vectors[1].tolist() == model.embed([TEXTS[0]], Side.PASSAGE)[0].tolist()
    assert not vectors[[0, 2, 3]].any()
    assert model.embed(["", " "], Side.PASSAGE).tolist() == [[0] * 32] * 2
    assert model.embed([], Side.QUERY).shape == (0, 32)


def test_c11_texts_that_are_too_long_are_cut_and_noted_once(
    bert: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in (4096, 2):
        monkeypatch.setattr("ragaliq.local.model.PART", part)
        model = embedder(bert, max_length=8)
        vectors = model.embed(["a b c d e f g h i j", "a b c d e f", "a b c d e f x x"], Side.PASSAGE)
        assert notes(capsys) == [
            f"note: 2 of 3 texts are longer than the 8 tokens that {bert} reads; the rest of them is not seen"
        ]
        # [CLS], six letters and [SEP] are eight.
        assert np.abs(vectors - vectors[1]).max() < 1e-5
        model.embed(["a b c d e f g h i j"], Side.QUERY)
        assert notes(capsys) == []


def test_a_model_reads_as_much_as_it_can_unless_the_option_says_less(bert: str, minilm: str) -> None:
    assert embedder(bert)._encoder.max_seq_length == 128
    assert embedder(bert, max_length=100)._encoder.max_seq_length == 100
    assert embedder(minilm)._encoder.max_seq_length == 256
    with pytest.raises(ConfigError, match=r"length 129 is above the 128 tokens that it reads"):
        embedder(bert, max_length=129).embed(TEXTS, Side.PASSAGE)


def test_a_roberta_reads_fewer_tokens_than_it_has_positions(bert: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer, RobertaConfig, RobertaModel

    tokenizer = AutoTokenizer.from_pretrained(bert, model_max_length=10**30)
    tokenizer.save_pretrained(tmp_path)
    size: dict[str, Any] = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = RobertaConfig(vocab_size=len(tokenizer), max_position_embeddings=20, pad_token_id=0, **size)
    RobertaModel(config).save_pretrained(tmp_path)
    assert np.isfinite(embedder(str(tmp_path)).embed(["a " * 100], Side.PASSAGE)).all()


def test_of_an_encoder_decoder_the_encoder_embeds(bert: str, tmp_path: Path) -> None:
    import torch
    from transformers import AutoTokenizer, T5Config, T5EncoderModel, T5ForConditionalGeneration

    tokenizer = AutoTokenizer.from_pretrained(bert)
    tokenizer.save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = T5Config(vocab_size=len(tokenizer), d_model=16, d_kv=4, d_ff=16, num_layers=1, num_heads=2)
    T5ForConditionalGeneration(config).save_pretrained(tmp_path)
    oracle = T5EncoderModel.from_pretrained(tmp_path)
    tokens = AutoTokenizer.from_pretrained(tmp_path, model_input_names=["input_ids", "attention_mask"])
    with torch.no_grad():
        expected = oracle(**tokens(TEXTS[0], return_tensors="pt")).last_hidden_state[0, 0].double().numpy()
    vectors = embedder(str(tmp_path), "cls").embed(TEXTS, Side.PASSAGE)
    assert vectors[0].tolist() == pytest.approx(unit(expected), abs=1e-5)


def test_the_name_follows_content_and_conventions_and_not_the_place(bert: str, tmp_path: Path) -> None:
    copy, other = tmp_path / "copy", tmp_path / "other"
    shutil.copytree(bert, copy)
    tiny_bert(other, seed=1)
    name = str(embedder(bert))
    assert str(embedder(str(copy))) == name == str(embedder(bert, batch_size=1)) != str(embedder(str(other)))
    for option in (
        {"pooling": "cls"}, {"query_prefix": "q "}, {"passage_prefix": "p "}, {"normalise": False}, {"max_length": 9},
        {"dtype": "bfloat16"},
    ):  # fmt: skip
        assert str(embedder(bert, **option)) != name, option


def test_a_model_of_the_hub_is_named_by_its_commit_and_found_without_a_network(
    bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr("transformers.utils.hub.is_offline_mode", lambda: True)
    commit = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "models--some--tiny"
    shutil.copytree(bert, home / "snapshots" / commit)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)
    model = embedder("some/tiny", "cls")
    assert str(model).startswith(f"transformers some/tiny@{commit} ")
    assert model.embed(["Dogs"], Side.QUERY).shape == (1, 32)


def test_options_that_cannot_be_are_refused_at_once() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"pooling": "max"}, "unknown pooling 'max'; known: cls, last, mean"),
        ({"backend": "onyx"}, "unknown backend 'onyx'; did you mean 'onnx'?"),
        ({"query_prefix": 5}, "option 'query_prefix' must be of type str, not 5"),
        ({"passage_prefix": 5}, "option 'passage_prefix' must be of type str, not 5"),
        ({"normalise": "no"}, "option 'normalise' must be of type bool, not 'no'"),
    ]
    for options, message in cases:
        with pytest.raises(ConfigError) as caught:
            make("embedder", Component("transformers", "some/model", options))
        assert str(caught.value) == f"embedder 'transformers:some/model': {message}"


def test_a_pooling_that_nobody_states_is_an_error(bert: str) -> None:
    with pytest.raises(ConfigError, match=r"set option 'pooling' \(mean, cls, last\)"):
        TransformersEmbedder(bert).embed(["Dogs"], Side.QUERY)


def changed_weights(folder: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    save_file(change(weights), folder / "model.safetensors", metadata={"format": "pt"})


def lacking(folder: Path) -> None:
    changed_weights(folder, lambda weights: {name: weights[name] for name in weights if "layer.1" not in name})


def infinite(folder: Path) -> None:
    name = "embeddings.LayerNorm.weight"
    changed_weights(folder, lambda weights: {**weights, name: weights[name] * float("inf")})


def test_what_is_wrong_with_a_model_is_one_line(bert: str, tmp_path: Path) -> None:
    cases: dict[str, tuple[Callable[[Path], object], dict[str, Any], type[Exception], str]] = {
        "none": (lambda folder: (folder / "model.safetensors").unlink(), {}, ConfigError, "cannot be loaded ("),
        "torn": (lambda folder: (folder / "config.json").write_text("{"), {}, ConfigError, "cannot be loaded ("),
        "warp": (lambda folder: None, {"device": "warp"}, ConfigError, "cannot be loaded ("),
        "lacking": (lacking, {}, ConfigError, "its files lack weights ('encoder.layer.1."),
        "infinite": (infinite, {}, InputError, "a vector is not finite; set option 'dtype' to float32"),
    }
    for name, (damage, options, error, message) in cases.items():
        folder = tmp_path / name
        shutil.copytree(bert, folder)
        damage(folder)
        model = TransformersEmbedder(str(folder), **{"pooling": "mean", "device": "cpu", **options})
        with pytest.raises(error) as caught:
            model.embed(TEXTS, Side.QUERY)
        assert message in str(caught.value) and "\n" not in str(caught.value), name


def test_kept_vectors_need_no_weights(bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[LocalModel] = []
    load = LocalModel.transformer

    def counting(model: LocalModel, *args: Any) -> Any:
        loaded.append(model)
        return load(model, *args)

    monkeypatch.setattr(LocalModel, "transformer", counting)
    chunks = [chunk(f"d{place}", text) for place, text in enumerate(TEXTS)]
    first = embedder(bert)
    DenseRetriever(first, tmp_path / "index").index(chunks)
    first.embed(TEXTS, Side.QUERY)
    DenseRetriever(embedder(bert), tmp_path / "index").index(chunks)
    assert loaded == [first], "loaded once, and not for vectors that are kept"
    DenseRetriever(embedder(bert, query_prefix="q "), tmp_path / "index").index(chunks)
    assert len(loaded) == 2


@pytest.mark.gpu
def test_a_gpu_gives_the_same_vectors(minilm: str) -> None:
    expected = embedder(minilm).embed(TEXTS, Side.PASSAGE)
    exact = TransformersEmbedder(minilm, device="cuda", dtype="float32").embed(TEXTS, Side.PASSAGE)
    assert np.abs(exact - expected).max() < 1e-3
    short = TransformersEmbedder(minilm).embed(TEXTS, Side.PASSAGE)
    assert (short * expected).sum(axis=1).min() > 0.99


def test_a_real_model_finds_the_passage_that_answers(minilm: str) -> None:
    from sentence_transformers import SentenceTransformer

    passages = ["The kitchen is closed.", "The boat leaves at nine.", "Dogs must be kept on a lead."]
    model = TransformersEmbedder(minilm, device="cpu")
    vectors = model.embed(passages, Side.PASSAGE)
    assert int(np.argmax(vectors @ model.embed(["When does the ship depart?"], Side.QUERY)[0])) == 1
    oracle = SentenceTransformer(minilm, device="cpu").encode(passages)
    assert np.abs(vectors - oracle).max() < 1e-5
