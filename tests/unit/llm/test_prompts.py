"""Prompt files: named placeholders, a hash of the wording, errors that name the file."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ragaliq.errors import ConfigError
from ragaliq.llm.prompts import load_prompt

SRC = Path(__file__).resolve().parents[3] / "src" / "ragaliq"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "grade.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_text_is_filled_and_hashed(tmp_path: Path) -> None:
    text = "version: 3\nuser: |\n  Costs $$5.\n  $question — ${question}s\n"
    prompt = load_prompt(written(tmp_path, text))
    assert prompt.version == "3"
    assert prompt.hash == hashlib.sha256(text.encode()).hexdigest()[:12]
    # What is filled in is data: its own dollar signs stay.
    assert prompt.fill("user", question="$x?", answer="unused") == "Costs $5.\n$x? — $x?s\n"


def test_any_change_of_wording_changes_the_hash(tmp_path: Path) -> None:
    one = load_prompt(written(tmp_path, "version: 1\nuser: a\n")).hash
    assert load_prompt(written(tmp_path, "version: 1\nuser: a.\n")).hash != one
    assert load_prompt(written(tmp_path, "version: 1\nuser: a\n")).hash == one


def test_a_file_that_is_no_prompt_is_named(tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("user: a\n", "a mapping with 'version' and texts is expected"),
        ("- a\n", "a mapping with 'version' and texts is expected"),
        ("", "a mapping with 'version' and texts is expected"),
        ("version: 1\nuser: [a]\n", "'user' must be a text"),
        ("version: 1\nuser: 'a\n", "not valid YAML"),
    ]
    for text, message in cases:
        path = written(tmp_path, text)
        with pytest.raises(ConfigError) as caught:
            load_prompt(path)
        assert str(caught.value).startswith(str(path)) and message in str(caught.value), text


def test_a_wrong_placeholder_is_named(tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("$qestion", "text 'user': placeholder 'qestion'; known: $answer, $question"),
        ("costs 5 $", "text 'user': a '$' begins no placeholder; write '$$' for the sign"),
    ]
    for text, message in cases:
        prompt = load_prompt(written(tmp_path, f"version: 1\nuser: {text}\n"))
        with pytest.raises(ConfigError) as caught:
            prompt.fill("user", question="?", answer="!")
        assert message in str(caught.value), text


def test_a_missing_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"grade\.yaml: text 'system' is missing"):
        load_prompt(written(tmp_path, "version: 1\nuser: a\n")).fill("system")


def test_every_shipped_prompt_loads() -> None:
    for path in sorted(SRC.rglob("prompts/*.yaml")):
        prompt = load_prompt(path)
        assert prompt.texts and all(text.strip() for text in prompt.texts.values()), path
