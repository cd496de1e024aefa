from __future__ import annotations

import json
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models import tiny_bert
from ragaliq.errors import ConfigError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.sentence_transformers import SentenceTransformersEmbedder, TransformersEmbedder

pytestmark = pytest.mark.hf

TEXTS = [
    "The supply boat leaves the harbour at nine.",
    "Die Küche ist sonntags geschlossen.",
    "Le bateau quitte le port.",
    "La cocina cierra el domingo.",
    "Судно выходит из порта в девять.",
    "补给船九点离开港口。",
]


@pytest.fixture(scope="module")
def plain(offline: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    return saved(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def prompted(offline: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("prompted")
    return saved(folder, pooling="cls", prompts={"query": "Question ", "document": "Documents "})


def saved(folder: Path, *, pooling: str = "mean", dense: bool = False, prompts: dict[str, str] | None = None) -> str:
    """A tiny model as the library saves it."""
    from sentence_transformers import SentenceTransformer

    # Version 6 keeps this name for the modules that it has moved.
    models = import_module("sentence_transformers.models")
    modules = [models.Transformer(tiny_bert(folder / "bert")), models.Pooling(32, pooling_mode=pooling)]
    if dense:
        import torch

        torch.manual_seed(0)
        modules.append(models.Dense(32, 8))
    SentenceTransformer(modules=[*modules, models.Normalize()], prompts=prompts).save(str(folder / "model"))
    return str(folder / "model")


def embedder(model: str, **options: Any) -> SentenceTransformersEmbedder:
    return SentenceTransformersEmbedder(model, device="cpu", **options)


def test_vectors_are_those_of_the_library(minilm: str) -> None:
    from sentence_transformers import SentenceTransformer

    found = embedder(minilm, batch_size=2).embed(TEXTS, Side.PASSAGE)
    assert found.dtype == np.float32
    assert np.abs(found - SentenceTransformer(minilm, device="cpu").encode(TEXTS)).max() < 1e-5


def test_both_kinds_read_a_model_of_the_library_alike(plain: str, prompted: str) -> None:
    for model in (plain, prompted):
        for side in Side:
            vectors = TransformersEmbedder(model, device="cpu").embed(TEXTS, side)
            assert np.abs(embedder(model).embed(TEXTS, side) - vectors).max() < 1e-5, (model, side)


def test_a_layer_behind_the_pooling_is_run(tmp_path: Path) -> None:
    model = saved(tmp_path, dense=True)
    assert embedder(model).embed(TEXTS, Side.PASSAGE).shape == (6, 8)
    with pytest.raises(ConfigError, match=r"does more than pool \(module Dense\); use sentence-transformers:"):
        TransformersEmbedder(model).embed(TEXTS, Side.PASSAGE)
    pooled = TransformersEmbedder(model, pooling="mean", device="cpu").embed(TEXTS, Side.PASSAGE)
    assert pooled.shape == (6, 32), "who sets the pooling leaves the layer out"


def test_prompts_of_the_model_stand_on_their_side_and_those_of_the_options_go_first(prompted: str) -> None:
    bare = embedder(prompted, query_prefix="", passage_prefix="")
    other = embedder(prompted, query_prefix="Dogs ")
    for model, side, prompt in (
        (embedder(prompted), Side.QUERY, "Question "),
        (embedder(prompted), Side.PASSAGE, "Documents "),
        (other, Side.QUERY, "Dogs "),
        (other, Side.PASSAGE, "Documents "),
    ):
        expected = bare.embed([prompt + text for text in TEXTS], side)
        assert np.abs(model.embed(TEXTS, side) - expected).max() < 1e-5, prompt
    # The last token tells what stands before it.
    assert np.abs(bare.embed(TEXTS, Side.QUERY) - embedder(prompted).embed(TEXTS, Side.QUERY)).max() > 1e-3


def test_prompts_that_stand_in_the_model_card_alone_are_taken_from_the_table(
    plain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = "intfloat/multilingual-e5-small"
    shutil.copytree(plain, tmp_path / model)
    bare = embedder(model, query_prefix="", passage_prefix="")
    for side, prefix in ((Side.QUERY, "query: "), (Side.PASSAGE, "passage: ")):
        expected = bare.embed([prefix + text for text in TEXTS], side)
        assert np.abs(embedder(model).embed(TEXTS, side) - expected).max() < 1e-5


def test_blank_texts_get_zeros_and_no_text_no_row(plain: str) -> None:
    model = embedder(plain)
    found = model.embed(["", TEXTS[0], " \n"], Side.PASSAGE)
    assert not found[[0, 2]].any()
    assert np.linalg.norm(found[1]) == pytest.approx(1, abs=1e-6)
    assert model.embed([" "], Side.QUERY).tolist() == [[0] * 32]
    assert model.embed([], Side.QUERY).shape == (0, 32)


def test_texts_that_are_too_long_are_noted_once(plain: str, capsys: pytest.CaptureFixture[str]) -> None:
    model = embedder(plain, max_length=8)
    found = model.embed(["a b c d e f g h i j", "a b c d e f"], Side.PASSAGE)
    model.embed(["a b c d e f g h i j"], Side.QUERY)
    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith("note:")] == [
        f"note: 1 of 2 texts are longer than the 8 tokens that {plain} reads; the rest of them is not seen"
    ]
    assert np.abs(found[0] - found[1]).max() < 1e-5
    with pytest.raises(ConfigError, match="length 129 is above the 128 tokens that it reads"):
        embedder(plain, max_length=129).embed(TEXTS, Side.PASSAGE)


def test_sixteen_bits_come_as_32(plain: str) -> None:
    model = plain
    found = embedder(model, dtype="bfloat16").embed(TEXTS, Side.PASSAGE)
    assert found.dtype == np.float32
    assert 0.99 < (found * embedder(model).embed(TEXTS, Side.PASSAGE)).sum(axis=1).min() < 1 - 1e-7


def test_the_name_follows_the_files_and_not_the_place(plain: str, tmp_path: Path) -> None:
    model = plain
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    assert str(embedder(str(copy))) == str(embedder(model))
    config = copy / "config_sentence_transformers.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "prompts": {"query": "q "}}))
    assert str(embedder(str(copy))) != str(embedder(model))


def test_the_name_tells_what_the_options_change(prompted: str) -> None:
    name = str(embedder(prompted))
    assert str(embedder(prompted, batch_size=1)) == name
    options: list[dict[str, Any]] = [
        {"query_prefix": ""},
        {"passage_prefix": "p "},
        {"max_length": 9},
        {"dtype": "float16"},
    ]
    for option in options:
        assert str(embedder(prompted, **option)) != name, option


def test_a_model_that_is_none_of_the_librarys_is_not_guessed_at(bert: str) -> None:
    model = bert
    with pytest.raises(ConfigError, match=r"no modules\.json; use transformers:.* with option 'pooling'$"):
        embedder(model).embed(TEXTS, Side.QUERY)


def test_a_model_without_weights_is_one_line(plain: str, tmp_path: Path) -> None:
    shutil.copytree(plain, tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").unlink()
    with pytest.raises(ConfigError, match=r"cannot be loaded \(.*\); check the id and the options$") as caught:
        embedder(str(tmp_path / "model")).embed(TEXTS, Side.QUERY)
    assert "\n" not in str(caught.value)
