"""Which columns of a long table hold the item, the system, the value, the metric and the language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragaliq.errors import ConfigError, InputError, nearest
from ragaliq.formats.answers.columns import USUAL_NAMES
from ragaliq.formats.results.rows import ResultColumns
from ragaliq.formats.results.values import ID_NAMES, LANG_NAMES
from ragaliq.storage.files import Row

SYSTEM_NAMES = ("system", "model", "model_name", "model_id", "system_name", "run", "run_id", "run_name", "provider")
# By role: the names that a column goes by; the first is the role's plainest and wins over the others.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "item": (*ID_NAMES, "doc_id", "task_id", "index"),
    "system": SYSTEM_NAMES,
    "value": (
        "value", "score", "metric_value", "grade", "rating", "label", "correct", "is_correct", "accuracy", "acc",
        "exact_match", "em", "f1", "success", "passed", "pass", "result",
    ),
    "metric": ("metric", "metric_name", "measure"),
    "lang": LANG_NAMES,
}  # fmt: skip
_OPTIONS = {"item": "--id", "system": "--system", "value": "--value", "lang": "--lang-field"}


@dataclass(frozen=True, slots=True)
class LongColumns:
    """The column of each role; empty where there is none."""

    item: str
    value: str
    system: str = ""
    metric: str = ""
    lang: str = ""
    question: str = ""


def long_columns(rows: Iterable[Row], named: ResultColumns, where: str) -> LongColumns:
    """Return the columns of a long table; those that `named` names, else the ones of usual names.

    Without a column of ids, the question's text is the item.

    Raises:
        ConfigError: if a named column is not there.
        InputError: if item or value are missing, or several columns may be one; with the option that names it.
    """
    known = list(dict.fromkeys(key for row in rows for key in row if key))
    chosen: dict[str, str] = {}
    for role in _NAMES:
        name = getattr(named, role, "")
        if name and name not in known:
            raise ConfigError(f"{_OPTIONS[role]} {name}: {where} has no column '{name}'; {nearest(name, known)}")
        chosen[role] = name
    taken = set(chosen.values())
    for role in (role for role, name in chosen.items() if not name):
        chosen[role] = _usual(role, [name for name in known if name not in taken], where)
        taken.add(chosen[role])
    question = next((name for name in known if _plain(name) in USUAL_NAMES["question"] and name not in taken), "")
    chosen["item"] = chosen["item"] or question
    for role in ("item", "value"):
        if not chosen[role]:
            raise InputError(f"{where}: {_missing(role, known)}")
    return LongColumns(**chosen, question=question)


def _usual(role: str, known: list[str], where: str) -> str:
    names = _NAMES[role]
    found = [name for name in known if _plain(name) in names]
    plainest = next((name for name in found if _plain(name) == names[0]), "")
    if plainest or len(found) < 2:
        return plainest or "".join(found)
    several = ", ".join(f"'{name}'" for name in found)
    if role not in _OPTIONS:
        raise InputError(f"{where}: which column is the {role}: {several}? rename all but one")
    raise InputError(f"{where}: which column is the {role}: {several}? name it: {_OPTIONS[role]} {found[0]}")


def _missing(role: str, known: list[str]) -> str:
    has = f"it has {', '.join(map(repr, known))}"
    wide = (
        "; a column for each system must become a row for each item and system (pandas: melt)"
        if role == "value"
        else ""
    )
    return f"which column is the {role}? {has}; name it: {_OPTIONS[role]} COLUMN{wide}"


def _plain(name: str) -> str:
    return "_".join(name.strip().casefold().replace("-", " ").split())
