"""Who may import whom (docs/design.md): the imports of every module are walked."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[1] / "src" / "ragaliq"
GROUND = {
    "types", "errors", "config", "io", "llm", "prompts", "runs", "run_rows", "table", "components", "engine",
    "stopping", "scrub", "text",
}  # fmt: skip
STAGES = {"corpus", "retrieve", "rerank", "read", "judge"}
# Unit → units it may import beside itself.
ALLOWED: dict[str, set[str]] = {
    "types": set(),
    "errors": set(),
    "text": {"types", "errors"},
    "io": {"types", "errors"},
    "prompts": {"errors", "io"},
    "stopping": {"errors"},
    "scrub": set(),
    "llm": {"types", "errors", "io", "stopping", "scrub"},
    "config": {"errors", "io"},
    "components": {"config", "errors", "scrub"},
    "engine": {"errors", "stopping"},
    "table": {"errors", "io"},
    "rankings": {"types", "errors", "io", "formats"},
    "run_rows": {"types", "io", "text"},
    "runs": {"types", "errors", "io", "run_rows", "table", "text"},
    "formats": {"types", "errors", "io"},
    "metrics": {"types", "errors", "text"},
    **{stage: GROUND | {"metrics"} for stage in STAGES},
    "corpus": GROUND | {"metrics", "formats"},
    "report": GROUND | {"metrics", "formats"},
    "chatbot": GROUND | STAGES,
    "manifest": {"types", "config", "corpus", "judge", "chatbot"},
    "token_scores": {"types", "metrics"},
    "answering": GROUND | {"chatbot", "rankings", "rerank", "token_scores"},
    "grading": GROUND | {"judge", "manifest"},
    "evaluation": GROUND
    | STAGES
    | {"report", "chatbot", "manifest", "answering", "controls", "grading", "token_scores"},
    "controls": GROUND | {"judge", "grading", "manifest"},
    "checking": GROUND | {"judge", "grading", "manifest"},
    "file_grading": GROUND | {"judge", "grading", "manifest", "controls"},
    "regrading": GROUND | {"judge", "report", "controls", "grading", "manifest", "evaluation"},
    "plan": GROUND | {"chatbot", "controls", "corpus", "evaluation", "judge", "rankings"},
    "lab": GROUND | STAGES | {"metrics", "formats", "report", "rankings", "manifest"},
    "reachable": {"types", "io", "corpus", "retrieve"},
    "edition": GROUND | {"corpus"},
    "review": GROUND | {"corpus", "judge", "metrics", "rankings"},
    "cli": {"plan", "edition", "reachable", "lab", "review", "checking", "regrading", "controls", "file_grading"}
    | {"manifest"}
    | GROUND
    | STAGES
    | {"metrics", "formats", "report", "chatbot", "evaluation"},
}
HEAVY = {
    "torch", "transformers", "sentence_transformers", "onnxruntime", "vllm", "chromadb", "langchain", "langchain_core",
    "pandas", "matplotlib", "openai", "aiohttp", "bm25s", "scipy", "numba", "datasets", "babel",
}  # fmt: skip
MODULES = sorted(SRC.rglob("*.py"))


def unit(path: Path) -> str:
    relative = path.relative_to(SRC)
    return relative.parts[0].removesuffix(".py")


def imported(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found.append(str(node.module))
            if node.module == "ragaliq":
                found += [f"ragaliq.{alias.name}" for alias in node.names]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SRC)))
def test_a_module_imports_only_from_the_layers_below(path: Path) -> None:
    own = unit(path)
    if own in ("__init__", "__main__"):
        return
    others = {name.split(".")[1] for name in imported(ast.parse(path.read_text())) if name.startswith("ragaliq.")}
    assert others - {own, "__version__"} <= ALLOWED[own]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SRC)))
def test_heavy_libraries_are_imported_when_they_are_needed(path: Path) -> None:
    tree = ast.parse(path.read_text())
    top = ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])
    assert {name.split(".")[0] for name in imported(top)} & HEAVY == set()


@pytest.mark.parametrize("name", ["types.py", "errors.py"])
def test_the_first_tier_needs_the_standard_library_alone(name: str) -> None:
    roots = {module.split(".")[0] for module in imported(ast.parse((SRC / name).read_text()))}
    assert roots <= set(sys.stdlib_module_names)
