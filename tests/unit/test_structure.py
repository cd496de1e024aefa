"""The house rules of docs/design.md, read off the source: who imports whom, and when."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src" / "ragaliq"
# Floor by floor: a room imports itself and the rooms of lower floors; on its own floor only what `BESIDE` names.
FLOORS = (
    ("types", "errors"),
    ("text", "storage"),
    ("execution",),
    ("config", "components", "llm"),
    ("formats", "metrics"),
    ("benchmark", "retrieve", "rerank", "read", "judge"),
    ("runs",),
    ("aggregate", "compare"),
    ("pipeline", "build", "experiment"),
    ("report", "review"),
    ("cli",),
)
BESIDE = {
    ("components", "config"), ("llm", "config"), ("compare", "aggregate"),
    # Figures that are still computed inside their writers.
    ("aggregate", "report"), ("compare", "report"), ("experiment", "report"),
}  # fmt: skip
HEAVY = {
    "torch", "transformers", "sentence_transformers", "onnxruntime", "vllm", "chromadb", "langchain", "langchain_core",
    "pandas", "matplotlib", "openai", "aiohttp", "bm25s", "scipy", "numba", "datasets", "babel",
}  # fmt: skip
MODULES = sorted(SRC.rglob("*.py"))
ROOMS = sorted({name for floor in FLOORS for name in floor})


def room(path: Path) -> str:
    return path.relative_to(SRC).parts[0].removesuffix(".py")


def imported(tree: ast.AST) -> list[str]:
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(str(node.module))
            if node.module == "ragaliq":
                names += [f"ragaliq.{alias.name}" for alias in node.names]
    return names


def allowed(name: str) -> set[str]:
    floor = next(number for number, names in enumerate(FLOORS) if name in names)
    below = {other for names in FLOORS[:floor] for other in names}
    return below | {name, "__version__"} | {other for one, other in BESIDE if one == name}


@pytest.mark.parametrize("name", ROOMS)
def test_a_room_imports_only_from_the_floors_below(name: str) -> None:
    for path in (path for path in MODULES if room(path) == name):
        others = {full.split(".")[1] for full in imported(ast.parse(path.read_text())) if full.startswith("ragaliq.")}
        assert others <= allowed(name), path


def test_every_room_has_a_floor() -> None:
    assert {room(path) for path in MODULES} - {"__init__", "__main__"} == set(ROOMS)


@pytest.mark.parametrize("name", ROOMS)
def test_heavy_libraries_are_imported_when_they_are_needed(name: str) -> None:
    for path in (path for path in MODULES if room(path) == name):
        tree = ast.parse(path.read_text())
        top = ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])
        assert {full.split(".")[0] for full in imported(top)} & HEAVY == set(), path


@pytest.mark.parametrize("name", ["types.py", "errors.py"])
def test_the_first_floor_needs_the_standard_library_alone(name: str) -> None:
    roots = {module.split(".")[0] for module in imported(ast.parse((SRC / name).read_text()))}
    assert roots <= set(sys.stdlib_module_names)
