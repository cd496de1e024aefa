"""The house rules of docs/design.md hold, and each check fails where a rule is broken."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import house
from house import Tree

ROOT = Path(__file__).resolve().parents[2]
# Half a megabyte of it is hashes in requirements.lock.
MOST_TRACKED = 19_000_000

RULES: dict[str, tuple[Callable[[Tree], list[str]], dict[str, str]]] = {
    # Rule → check, and files that break it.
    "floors": (house.floors, {"metrics/one.py": "from ragaliq.cli import run", "cli/run.py": ""}),
    "a floor for each room": (house.floors, {"attic/one.py": ""}),
    "floors, inside functions": (
        house.floors,
        {"judge/one.py": "def f():\n    import ragaliq.read.two", "read/two.py": ""},
    ),
    "heavy imports": (house.heavy_imports, {"read/one.py": "import torch.nn"}),
    "circles": (
        house.circles,
        {"read/one.py": "from ragaliq.read import two", "read/two.py": "def f():\n    import ragaliq.read.one"},
    ),
    "crowded folders": (house.crowded_folders, {f"read/f{number}.py": "" for number in range(16)}),
    "one home": (house.two_homes, {"read/one.py": "def answer(): ...", "judge/two.py": "class answer: ..."}),
    "used": (house.unused, {"read/one.py": "def answer(): ...\ndef _hidden(): ..."}),
    "used methods": (house.unused, {"read/one.py": "class _Reader:\n    def answer(self): ..."}),
    "figures in reports": (house.figures_in_report, {"report/one.py": "def f():\n    import numpy as np"}),
    "exports": (house.exports, {"read/one.py": "", "judge/two.py": "from ragaliq.read.one import answer"}),
    "relative imports": (house.relative_imports, {"read/one.py": "from . import two", "read/two.py": ""}),
}


@pytest.fixture(scope="module")
def package() -> Tree:
    tree = Tree(ROOT / "src" / "ragaliq")
    assert tree.nodes  # Everything is parsed here, once.
    return tree


@pytest.mark.parametrize("rule", [rule for rule in RULES if RULES[rule][0] is not house.unused])
def test_the_package_keeps_the_rule(rule: str, package: Tree) -> None:
    assert RULES[rule][0](package) == []


def test_nothing_public_is_there_for_tests_alone(package: Tree) -> None:
    assert house.unused(package, [ROOT / "data" / "derive.py", ROOT / "scripts" / "pictures.py"]) == []


@pytest.mark.parametrize("rule", RULES)
def test_a_planted_violation_is_found(rule: str, tmp_path: Path) -> None:
    check, files = RULES[rule]
    (tmp_path / "__init__.py").touch()
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text)
    assert check(Tree(tmp_path))


def test_yaml_is_read_in_one_place(package: Tree) -> None:
    assert house.callers(package, "yaml") == ["storage.yaml_files"]


def test_locks_are_taken_in_one_place(package: Tree) -> None:
    assert house.callers(package, "fcntl") == ["storage.lock"]


def test_callers_are_found_inside_functions(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").touch()
    (tmp_path / "one.py").write_text("def f():\n    from yaml import safe_load")
    assert house.callers(Tree(tmp_path), "yaml") == ["one"]


def test_the_first_floor_needs_the_standard_library_alone(package: Tree) -> None:
    for name in (name for name in package.files if name.split(".")[0] in house.FLOORS[0]):
        foreign = {full.split(".")[0] for full, _ in package.imports(name)} - {"ragaliq"}
        assert foreign <= set(sys.stdlib_module_names), name


def test_a_clone_stays_small(tmp_path: Path) -> None:
    size = house.tracked_bytes(ROOT)
    # An unpacked archive has no list of files.
    assert size is None or size < MOST_TRACKED
    assert house.tracked_bytes(tmp_path) is None
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for name in ("kept", "left"):
        (tmp_path / name).write_bytes(bytes(MOST_TRACKED))
    subprocess.run(["git", "add", "kept"], cwd=tmp_path, check=True)
    assert house.tracked_bytes(tmp_path) == MOST_TRACKED, "and so this folder breaks the rule"
