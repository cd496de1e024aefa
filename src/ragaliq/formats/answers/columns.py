"""Which columns of somebody's answers hold the question, the answer, the reference, the contexts and the language.

A column may lie deeper, as in the exports of tracing programs: `outputs.answer` is the key `answer` of the object
`outputs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import regex

from ragaliq.errors import ConfigError, InputError, nearest
from ragaliq.storage.files import Row

# Role → the names that evaluation tools and data sets give its column, ours first.
USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "query", "user_input", "user_query", "input", "prompt", "attributes.input.value"),
    "answer": (
        "answer", "response", "generated_answer", "model_answer", "predicted_answer", "prediction", "output",
        "actual_output", "completion", "attributes.output.value",
    ),
    "reference": (
        "reference", "reference_answer", "ground_truth", "ground_truths", "gold_answer", "true_answer", "expected",
        "expected_answer", "expected_output", "target", "ideal",
    ),
    "contexts": (
        "contexts", "context", "retrieved_contexts", "retrieved_context", "retrieval_context", "passages", "documents",
        "source_documents",
    ),
    "lang": ("lang", "language", "locale"),
}  # fmt: skip
# Objects in which tracing programs keep what went in and what came out.
_INSIDE = ("inputs", "input", "outputs", "output", "reference_outputs", "expected_output")
_DEEPEST = 4
_SEPARATORS = regex.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each role; empty where there is none."""

    question: str
    answer: str
    reference: str = ""
    contexts: str = ""
    lang: str = ""

    def __str__(self) -> str:
        """Return `role = column` for each role that has one."""
        return ", ".join(f"{role} = {path}" for role, path in self._pairs() if path)

    def _pairs(self) -> list[tuple[str, str]]:
        return [(entry.name, getattr(self, entry.name)) for entry in fields(self)]


def as_option(pairs: Mapping[str, str]) -> str:
    """Return how columns are named on the command line."""
    return f"--map {','.join(f'{role}={path}' for role, path in pairs.items())}"


def find_columns(
    rows: Iterable[Row], named: Mapping[str, str], where: str, naming: Callable[[Mapping[str, str]], str] = as_option
) -> Columns:
    """Return the columns of rows; `named` holds those that the user has named, by their role.

    `naming` says in errors how a user names columns.

    Raises:
        ConfigError: if a role or a column that the user has named is not there.
        InputError: if question or answer are missing, reference and contexts both are, or several columns may be one.
    """
    known = dict.fromkeys(path for row in rows for path in _paths(row))
    for role, path in named.items():
        if role not in USUAL_NAMES:
            raise ConfigError(f"{naming({role: path})}: unknown role '{role}'; {nearest(role, USUAL_NAMES)}")
        if path not in known:
            raise ConfigError(f"{naming({role: path})}: {where} has no column '{path}'; {nearest(path, list(known))}")
    rest = [path for path in known if path not in named.values()]
    chosen = {}
    for role in USUAL_NAMES:
        candidates = [named[role]] if role in named else _candidates(role, rest)
        if len(candidates) > 1 and role not in candidates:
            several = _names(candidates)
            raise InputError(
                f"{where}: which column is the {role}: {several}? name it: {naming({role: candidates[0]})}"
            )
        chosen[role] = role if role in candidates else next(iter(candidates), "")
    missing = [role for role in ("question", "answer") if not chosen[role]]
    if missing:
        how = naming(dict.fromkeys(missing, "COLUMN"))
        which = "which column is" if len(missing) == 1 else "which columns are"
        raise InputError(f"{where}: {which} the {' and the '.join(missing)}? It has {_names(known)}; name it: {how}")
    if not chosen["reference"] and not chosen["contexts"]:
        needed = "no column with reference answers (for grades) or contexts (for groundedness)"
        raise InputError(f"{where}: {needed}; it has {_names(known)}; name one: {naming({'reference': 'COLUMN'})}")
    # Data sets call the reference `answer`, too.
    others = [path for path in _candidates("answer", rest) if path != "answer"]
    if others and "answer" not in named and chosen["answer"] == "answer" and not chosen["reference"]:
        ways = " or ".join(map(naming, ({"answer": others[0], "reference": "answer"}, {"answer": "answer"})))
        raise InputError(
            f"{where}: is 'answer' the system's answer, or the reference for '{others[0]}'? name the columns: {ways}"
        )
    return Columns(**chosen)


def value_at(row: Row, path: str) -> Any:
    """Return what a row holds under a column; None where that is not there."""
    if path in row or not path:
        return row.get(path)
    value: Any = row
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _names(paths: Iterable[str]) -> str:
    return ", ".join(f"'{path}'" for path in paths)


def _paths(value: Mapping[str, Any], prefix: str = "", depth: int = 1) -> Iterable[str]:
    for key, inner in value.items():
        yield prefix + key
        if isinstance(inner, Mapping) and depth < _DEEPEST:
            yield from _paths(inner, f"{prefix}{key}.", depth + 1)


def _candidates(role: str, paths: Iterable[str]) -> list[str]:
    """Return the columns that may have a role: at the top, else inside the objects of a trace."""
    names = {_plain(name) for name in USUAL_NAMES[role]}
    paths = list(paths)
    at_top = [path for path in paths if _plain(path) in names and not _holds_more(path, paths)]
    return at_top or [path for path in paths if _plain(path.partition(".")[2]) in names and _is_trace(path)]


def _holds_more(path: str, paths: Iterable[str]) -> bool:
    return any(other.startswith(f"{path}.") for other in paths)


def _is_trace(path: str) -> bool:
    return _plain(path.partition(".")[0]) in _INSIDE


def _plain(name: str) -> str:
    return _SEPARATORS.sub("_", name.strip().casefold())
