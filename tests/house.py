"""The house rules of docs/design.md as functions over a source tree; each returns its findings, one line each."""

from __future__ import annotations

import ast
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

# Floor by floor: a room imports itself and the rooms of lower floors; on its own floor only what `BESIDE` names.
FLOORS = (
    ("types", "errors"),
    ("storage", "blas"),
    ("text",),
    ("execution",),
    ("config", "components", "llm"),
    ("local",),
    ("formats", "metrics"),
    ("benchmark", "retrieve", "rerank", "read", "judge"),
    ("runs",),
    ("aggregate", "compare"),
    ("pipeline", "build", "experiment"),
    ("report", "review"),
    ("cli",),
)
BESIDE = {("components", "config"), ("llm", "config"), ("compare", "aggregate")}
HEAVY = {
    "torch", "transformers", "sentence_transformers", "onnxruntime", "vllm", "chromadb", "langchain", "langchain_core",
    "pandas", "matplotlib", "openai", "aiohttp", "bm25s", "scipy", "numba", "datasets", "babel",
    "translate", "lxml", "sacrebleu",
}  # fmt: skip
MOST_FILES = 15
# Methods of what the package returns, for its users alone.
FOR_USERS = {"to_frame", "plot_languages", "plot_waterfall"}
# Each command has a module with these.
EVERY_COMMAND = {"add_parser", "call"}


@dataclass(frozen=True)
class Tree:
    """The modules of a package, by dotted name below it; a package's `__init__` goes by the package's name."""

    root: Path

    @cached_property
    def files(self) -> dict[str, Path]:
        found = {}
        for path in sorted(self.root.rglob("*.py")):
            parts = path.relative_to(self.root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    @cached_property
    def modules(self) -> dict[str, ast.Module]:
        return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in self.files.items()}

    @cached_property
    def nodes(self) -> dict[str, list[ast.AST]]:
        """All nodes of each module."""
        return {name: list(ast.walk(module)) for name, module in self.modules.items()}

    def imports(self, name: str) -> Iterator[tuple[str, bool]]:
        """Yield what a module imports, below `ragaliq` or foreign, and whether it does so when it is loaded."""
        top = {id(node) for node in self.modules[name].body}
        for node in self.nodes[name]:
            if isinstance(node, ast.Import):
                yield from ((alias.name, id(node) in top) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                module = str(node.module)
                for alias in node.names:
                    full = f"{module}.{alias.name}"
                    yield (full if full.removeprefix("ragaliq.") in self.files else module), id(node) in top

    def inner(self, name: str) -> set[str]:
        """Return the modules of the package that a module imports."""
        names = {full.removeprefix("ragaliq.") for full, _ in self.imports(name) if full.startswith("ragaliq.")}
        return {other for other in names if other in self.files}


def floors(tree: Tree) -> list[str]:
    """A room imports from lower floors only, and every room has a floor."""
    known = {name: number for number, names in enumerate(FLOORS) for name in names}
    findings = []
    for name in tree.files:
        room = name.split(".")[0]
        if room in ("", "__main__"):
            continue
        if room not in known:
            findings.append(f"{name}: room '{room}' has no floor")
            continue
        for other in sorted(tree.inner(name)):
            target = other.split(".")[0]
            below = target in known and known[target] < known[room]
            if target not in ("", room) and not below and (room, target) not in BESIDE:
                findings.append(f"{name} imports {other}")
    return findings


def heavy_imports(tree: Tree) -> list[str]:
    """Heavy libraries are imported when they are needed, not when a module is loaded."""
    return [
        f"{name} loads {full}"
        for name in tree.files
        for full, at_load in tree.imports(name)
        if at_load and full.split(".")[0] in HEAVY
    ]


def circles(tree: Tree) -> list[str]:
    """No file imports itself by way of others; imports inside functions count."""
    imports = {name: tree.inner(name) - {name} for name in tree.files}
    reach = {name: _reachable(imports, name) for name in imports}
    return [f"{name} imports itself" for name in sorted(reach) if name in reach[name]]


def _reachable(imports: dict[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    waiting = list(imports[start])
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += imports[name]
    return reached


def crowded_folders(tree: Tree) -> list[str]:
    """A folder holds at most 15 files; that of the commands may hold more."""
    counts: dict[Path, int] = defaultdict(int)
    for path in tree.files.values():
        counts[path.parent] += path.name != "__init__.py"
    return [f"{p.name}: {n} files" for p, n in sorted(counts.items()) if n > MOST_FILES and p.name != "cli"]


def two_homes(tree: Tree) -> list[str]:
    """A public function or class is defined in one module."""
    homes: dict[str, set[str]] = defaultdict(set)
    for name, module in tree.modules.items():
        for node in module.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name[0] != "_":
                homes[node.name].add(name)
    return [f"{n}: {', '.join(sorted(m))}" for n, m in sorted(homes.items()) if len(m) > 1 and n not in EVERY_COMMAND]


def unused(tree: Tree, scripts: Sequence[Path] = ()) -> list[str]:
    """Every public function, class and method is used in the package or by a script, or the package exports it."""
    used = set(_exported(tree.modules[""])) | FOR_USERS
    scanned = [list(ast.walk(ast.parse(path.read_text(encoding="utf-8")))) for path in scripts]
    for nodes in (*tree.nodes.values(), *scanned):
        used |= _used(nodes)
    findings = []
    for name, module in tree.modules.items():
        for node in _definitions(module):
            if node.name not in used and not node.name.startswith("_") and not _is_hook(node):
                findings.append(f"{name}.{node.name}")
    return findings


def _exported(package: ast.Module) -> list[str]:
    for node in package.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _used(nodes: Iterable[ast.AST]) -> set[str]:
    names = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and ":" in node.value:
            # A kind of component: `module:Class`.
            names.add(node.value.rpartition(":")[2])
    return names


def _definitions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from (one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))


def _is_hook(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Return whether a library calls this by its name: the HTTP server and HTML parser of the standard library do."""
    return node.name.startswith(("do_", "handle_")) or node.name == "log_message"


def figures_in_report(tree: Tree) -> list[str]:
    """Reports render records: no numpy, no statistics."""
    return [
        f"{name} imports {full}"
        for name in tree.files
        if name.split(".")[0] == "report"
        for full, _ in tree.imports(name)
        if full.split(".")[0] in ("numpy", "scipy", "statistics")
    ]


def callers(tree: Tree, module: str) -> list[str]:
    """Return the modules that import a library: a guarded door to it stands in one place."""
    return [name for name in tree.files if any(full.split(".")[0] == module for full, _ in tree.imports(name))]


def relative_imports(tree: Tree) -> list[str]:
    """Imports are absolute."""
    return [
        f"{name}:{node.lineno}"
        for name, nodes in tree.nodes.items()
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.level
    ]


def exports(tree: Tree) -> list[str]:
    """A package lists in `__all__` its own names and the modules that others import from it, and no more."""
    wanted: dict[str, set[str]] = {
        name: set() for name, path in tree.files.items() if name and path.name == "__init__.py"
    }
    for name in tree.files:
        for other in tree.inner(name) | _kinds(tree, name):
            parts = other.split(".")
            for depth in range(1, len(parts)):
                package = ".".join(parts[:depth])
                if name != package and not name.startswith(f"{package}."):
                    wanted[package].add(parts[depth])
    findings = []
    for package, names in wanted.items():
        names |= _public_names(tree.modules[package])
        listed = set(_exported(tree.modules[package]))
        findings += [f"{package} does not list {name}" for name in sorted(names - listed)]
        findings += [f"{package} lists {name}, which nobody else imports" for name in sorted(listed - names)]
    return findings


def _kinds(tree: Tree, name: str) -> set[str]:
    """Return the modules that a module names as `module:Class`."""
    texts = (node.value for node in tree.nodes[name] if isinstance(node, ast.Constant))
    modules = {
        text.partition(":")[0].removeprefix("ragaliq.") for text in texts if isinstance(text, str) and ":" in text
    }
    return {module for module in modules if module in tree.files and module}


def _public_names(package: ast.Module) -> set[str]:
    """Return what an `__init__` itself defines, or takes from its modules for others."""
    defined = {node.name for node in package.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    exported = set(_exported(package))
    taken = {alias.name for node in package.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return {name for name in defined | (taken & exported) if not name.startswith("_")}


def tracked_bytes(checkout: Path) -> int | None:
    """Return the size of the files that git tracks in a checkout; None elsewhere."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=checkout, capture_output=True, check=False)
    if listed.returncode:
        return None
    files = [checkout / name.decode() for name in listed.stdout.split(b"\0") if name]
    return sum(path.stat().st_size for path in files if path.is_file())
