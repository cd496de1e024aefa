"""Configurations: every key known, every error with its line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragaliq.config import Component, RunConfig, load_config, load_sampling, run_name, slug
from ragaliq.errors import ConfigError, InputError


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "my-system.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_keys_of_the_file_replace_defaults(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "data: bench\ntop_k: 7\nreader: openai:gpt:4\n"
        "reranker: {kind: lexical, weight: 2.0}\nsampling: {temperature: 0.5}\n",
    )
    expected = RunConfig(
        name="my-system",
        data="bench",
        top_k=7,
        reader=Component("openai", "gpt:4"),
        reranker=Component("lexical", "", {"weight": 2.0}),
        sampling={"temperature": 0.5},
    )
    assert load_config(path) == expected


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_an_empty_file_is_the_default_under_its_own_name(tmp_path: Path, text: str) -> None:
    assert load_config(written(tmp_path, text)) == RunConfig(name="my-system")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# system\ntop_k: 5\ntopk: 5\n", ":3: unknown key 'topk'; did you mean 'top_k'?"),
        ("\n1: x\n", ":2: unknown key '1'; known: check, chunking, context_chars, "),
        ("top_k: many\n", ":1: 'top_k' must be of type int, not str"),
        ("top_k: true\n", ":1: 'top_k' must be of type int, not bool"),
        ("name: 5\n", ":1: 'name' must be of type str, not int"),
        ("data: a\nsampling: [1]\n", ":2: 'sampling' must be of type dict, not list"),
        ("reader:\n", ":1: 'reader': a component is KIND, KIND:MODEL or a mapping with 'kind'; got None"),
        ("reader: {model: m}\n", ":1: 'reader': a component is"),
        ("reader: ' '\n", ":1: 'reader': a component is"),
        ("- a\n- b\n", ": a mapping of keys is expected"),
        ("reader: {kind: [\n", ":2: not valid YAML ("),
        ("a: 1\n---\nb: 2\n", ":2: not valid YAML ("),
        ("name: 2024-13-45", ":1: not valid YAML"),
        ("seed: -1", ":1: 'seed' must be at least 0, not -1"),
        (f"seed: {2**63}", f":1: 'seed' must be at most {2**63 - 1}"),
        ("top_k: 0", ":1: 'top_k' must be at least 1, not 0"),
        ("sampling: {x: 2020-01-01}", ":1: 'sampling': only texts, finite numbers"),
        ("sampling: {x: .nan}", ":1: 'sampling': only texts, finite numbers"),
        ("reader: {kind: extractive, min_evidence: .inf}", ":1: 'reader': only texts, finite numbers"),
    ],
)
def test_an_error_names_file_line_and_what_is_expected(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(caught.value).startswith(f"{path}{message}")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml: cannot be read"):
        load_config(tmp_path / "none.yaml")


@pytest.mark.parametrize("key", ["top_k", "context_k", "context_chars"])
def test_sizes_that_give_no_context_are_refused(key: str) -> None:
    with pytest.raises(ConfigError, match=f"'{key}' must be at least 1, not 0"):
        RunConfig(**{key: 0})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "expected", "text"),
    [
        ("offline", Component("offline"), "offline"),
        (" openai:a/b:c ", Component("openai", "a/b:c"), "openai:a/b:c"),
        ({"kind": "none"}, Component("none"), "none"),
        ({"kind": "x", "model": "m", "k": 1}, Component("x", "m", {"k": 1}), "x:m"),
    ],
)
def test_the_forms_of_a_component(value: Any, expected: Component, text: str) -> None:
    assert Component.parse(value, "here") == expected
    assert str(expected) == text


def test_sampling_is_a_json_object(tmp_path: Path) -> None:
    path = tmp_path / "sampling.json"
    path.write_text('{"max_tokens": 512}')
    assert load_sampling(path) == {"max_tokens": 512}
    for text, message in (("[1]", "sampling parameters are a JSON object, not list"),
                          ('{"temperature": 1e999}', "only texts, finite numbers")):  # fmt: skip
        path.write_text(text)
        with pytest.raises(ConfigError, match=rf"sampling\.json: {message}"):
            load_sampling(path)


@pytest.mark.parametrize(
    ("text", "segment"),
    [("a/b:c d", "a-b-c-d"), ("../..", "run"), ("", "run"), ("Qwen2.5_7B", "Qwen2.5_7B"), ("система", "система")],
)
def test_a_slug_is_one_path_segment(text: str, segment: str) -> None:
    assert slug(text) == segment


def test_a_run_is_named_by_benchmark_system_and_judge() -> None:
    config = RunConfig(reader=Component("openai", "org/model"))
    assert run_name(RunConfig(), "velmora") == "velmora_extractive_use-multilingual_none"
    assert run_name(config, "velmora") == "velmora_openai-org-model_use-multilingual_none"
    assert run_name(replace(config, name="mine", judge=Component("openai", "j")), "v") == "v_mine_judge-openai-j"


def test_what_decides_the_answers_is_without_names_paths_and_judge() -> None:
    one = RunConfig(name="a", data="here", judge=Component("openai", "m"))
    two = RunConfig(name="b", data="there")
    assert one.system() == two.system()
    assert sorted(one.system()) == [
        "chunking", "context_chars", "context_k", "embedder", "reader", "reranker", "retriever", "sampling", "seed",
        "top_k",
    ]  # fmt: skip
    assert one.system() != replace(one, top_k=5).system()
