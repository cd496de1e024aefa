"""Which models a benchmark is built with, and what follows if they are relatives."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.build.context import BuildContext
from ragaliq.build.model.backend import Backend
from ragaliq.build.models_used import built_with, model_warnings, models_line
from ragaliq.build.workspace import Workspace
from ragaliq.llm import LLMSession


@pytest.fixture(autouse=True)
def endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TOKEN", "READER_TOKEN"):
        monkeypatch.setenv(name, "secret-token")
    for name in ("JUDGE_API_LINK", "READER_API_LINK"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


def context(folder: Path, settings: str, backend: str = "openai:gpt-4o") -> BuildContext:
    (folder / "build.yaml").write_text(f"name: x\nsources: []\n{settings}")
    return BuildContext(Workspace(folder), LLMSession(), Backend(backend))


def names(lines: list[str]) -> list[str]:
    return [line.partition(":")[0] for line in lines]


def test_generator_and_judge_of_one_family_are_warned_of(tmp_path: Path) -> None:
    build = context(tmp_path, "closed_book: {models: ['openai:qwen3-8b', 'openai:gpt-4o']}")
    models = built_with(build)
    assert models == {"generator": ["gpt-4o"], "judge": ["gpt-4o"], "closed_book": ["gpt-4o", "qwen3-8b"]}
    assert models_line(models) == "generator: gpt-4o; judge: gpt-4o; closed-book: gpt-4o, qwen3-8b"
    (line,) = model_warnings(build)
    assert line.startswith("warning[builder-family]: builder 'gpt-4o' and judge of support 'gpt-4o' are of one family")


def test_a_judge_of_another_family_is_not(tmp_path: Path) -> None:
    build = context(tmp_path, "judge: {model: 'openai:mistral-large'}")
    assert built_with(build)["judge"] == ["mistral-large"]
    assert model_warnings(build) == []


def test_a_retriever_of_the_family_of_generator_or_judge_is_warned_of(tmp_path: Path) -> None:
    settings = "judge: {model: 'openai:mistral-large'}\npool: {embedder: 'openai:mistral-embed', retrievers: [dense]}"
    (line,) = model_warnings(context(tmp_path, settings))
    assert "builder 'mistral-large' and retriever under test 'mistral-embed' are of one family (mistral)" in line


def test_rules_in_the_place_of_a_model_are_one_warning(tmp_path: Path) -> None:
    assert names(model_warnings(context(tmp_path, "", "scripted"))) == ["warning[scripted]"]
