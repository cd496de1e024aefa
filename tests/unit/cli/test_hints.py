"""What messages and help tell a user to type exists: commands, their options, packages."""

from __future__ import annotations

import argparse
import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from ragaliq.cli import _parser

ROOT = Path(__file__).resolve().parents[3]
COMMAND = re.compile(r"`ragaliq ([^`]+)`")
INSTALL = re.compile(r"pip install ((?:[^\s,;()]+ ?)+)")


@cache
def texts() -> list[tuple[str, str]]:
    """Return the place and the text of each string of the package; what an f-string fills in is X."""
    texts = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        # Parsing all files takes seconds.
        if "`ragaliq " not in source and "pip install" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.JoinedStr):
                parts = [str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values]
                texts.append((place, "".join(parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append((place, node.value))
    return texts


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands by name."""
    actions = _parser("ragaliq")._actions
    subparsers = next(action for action in actions if isinstance(action, argparse._SubParsersAction))
    return dict(subparsers.choices)


def missing_command(hint: str, known: dict[str, argparse.ArgumentParser]) -> str:
    """Return what a hint names that there is not: its command, or an option of it."""
    name, *words = hint.split()
    if name not in known:
        return name
    options = known[name]._option_string_actions
    return " ".join(word for word in words if word.startswith("--") and word not in options)


def packages() -> dict[str, str]:
    """Return the package that each line of the requirements and extras names, with its line."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    lines += [line for extra in project["optional-dependencies"].values() for line in extra]
    return {re.split(r"[<>=~]", line)[0]: line for line in lines if line and not line.startswith("#")}


def missing_package(word: str, known: dict[str, str]) -> bool:
    """Return whether no requirement or extra names a package, or one names another version."""
    name, pinned, _ = word.partition("==")
    return name not in known or bool(pinned and known[name] != word)


def test_hints_name_commands_and_options_that_exist() -> None:
    known = commands()
    hints = [(place, hint) for place, text in texts() for hint in COMMAND.findall(text)]
    assert len(hints) > 30
    assert [(place, hint) for place, hint in hints if missing_command(hint, known)] == []


def test_hints_install_packages_that_an_index_has() -> None:
    known = packages()
    named = [(place, words) for place, text in texts() for words in INSTALL.findall(text)]
    assert named
    # What is filled in, X, is checked below.
    asked = [
        (place, word) for place, words in named for word in words.split() if word not in ("X", "--force-reinstall")
    ]
    assert [(place, word) for place, word in asked if missing_package(word, known)] == []


@pytest.mark.parametrize("hint", ["mend RUN", "judge RUN --gently"])
def test_a_missing_command_is_seen(hint: str) -> None:
    assert missing_command(hint, commands())


@pytest.mark.parametrize("word", ["ragaliq[hf]", "'ragaliq[hf]'", "numpy==0.1"])
def test_a_missing_package_is_seen(word: str) -> None:
    assert missing_package(word, packages())


def test_libraries_that_are_filled_in_are_packages() -> None:
    from ragaliq.read.local.transformers import TransformersReader
    from ragaliq.read.local.vllm import VllmReader
    from ragaliq.text.sentence_encoder import _DISTRIBUTION

    known = packages()
    filled = [TransformersReader.library, VllmReader.library, _DISTRIBUTION]
    assert not [name for name in filled if missing_package(name, known)]
