"""Systems of an experiment: an entry whose values stand in lists is a grid of systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ragaliq.config import Component, slug
from ragaliq.errors import ConfigError, nearest
from ragaliq.experiment.settings.depth import RERANK_DEPTH
from ragaliq.experiment.settings.queries import Mode, Source
from ragaliq.experiment.settings.system import EMBEDDER, System, check_parts
from ragaliq.experiment.settings.values import check_setting

_KEYS = (
    "name", "retriever", "embedder", "rerank", "rerank_depth", "chunk_tokens", "title", "queries", "options",
    "keep_self_match",
)  # fmt: skip
_COMPONENTS = {"retriever": "retriever", "embedder": "embedder", "rerank": "reranker"}


@dataclass(frozen=True, slots=True)
class NamedSystem:
    """A system under the name that its row and its files have."""

    name: str
    system: System


def expand_entry(
    entry: Mapping[str, Any], where: Mapping[str, str], common: Mapping[str, Any]
) -> Iterator[NamedSystem]:
    """Yield the systems of one entry: every combination of the values that stand in lists, the last key first.

    A system has the entry's name, with what tells it from the others of the grid; without a name it is called by its
    parts.

    Args:
        entry: the keys of the entry.
        where: for each key its file and line, for errors.
        common: what all systems share: `top_k`, `seed`.

    Raises:
        ConfigError: if a key is unknown, a value does not fit, or there is no retriever.
    """
    first = next(iter(where.values()), "systems")
    for key in entry:
        if key not in _KEYS:
            raise ConfigError(f"{where[str(key)]}: unknown key '{key}'; {nearest(str(key), _KEYS)}")
    if not entry.get("retriever"):
        raise ConfigError(f"{first}: a system needs 'retriever'")
    lists = {key: value if isinstance(value, list) else [value] for key, value in entry.items() if key != "name"}
    for key, values in lists.items():
        if not values:
            raise ConfigError(f"{where[key]}: '{key}' is an empty list; name at least one value")
    name = check_setting("name", entry["name"], where["name"]) if "name" in entry else ""
    for combination in product(*lists.values()):
        chosen = dict(zip(lists, combination, strict=True))
        system = _system(chosen, where, common)
        marks = [_mark(key, value, lists[key]) for key, value in chosen.items() if len(lists[key]) > 1]
        yield NamedSystem(slug("-".join([name, *marks]) if name else _described(chosen, system)), system)


def _system(values: Mapping[str, Any], where: Mapping[str, str], common: Mapping[str, Any]) -> System:
    parts = dict(common)
    for key, value in values.items():
        if key in _COMPONENTS:
            parts[_COMPONENTS[key]] = Component.parse(value, f"{where[key]}: '{key}'")
        elif key == "queries":
            parts[key] = Mode.parse(check_setting(key, value, where[key]), f"{where[key]}: '{key}'")
        elif key != "options":
            parts[key] = check_setting(key, value, where[key])
    if values.get("options") is not None:
        options = check_setting("options", values["options"], where["options"])
        retriever: Component = parts["retriever"]
        whole = {**retriever.options, **options, "kind": retriever.kind, "model": retriever.model}
        parts["retriever"] = Component.parse(whole, f"{where['options']}: 'options'")
    system = System(**parts)
    if system.retriever.kind == "none":
        raise ConfigError(f"{where['retriever']}: retriever '{system.retriever}' is no system to compare; name another")
    check_parts(system, where)
    return system


def _described(values: Mapping[str, Any], system: System) -> str:
    """Return a name that tells what a system is made of, as far as that was written."""
    parts = [str(system.retriever)]
    parts += [f"{key}-{value}" for key, value in sorted(system.retriever.options.items())]
    if system.embedder != EMBEDDER and "embedder" in values:
        parts.append(str(system.embedder))
    if system.chunk_tokens is not None:
        parts.append(f"{system.chunk_tokens}-tokens")
    if not system.title:
        parts.append("no-title")
    if system.queries.source is not Source.QUESTION:
        parts.append(str(system.queries))
    if system.reranks:
        parts.append(str(system.reranker))
        if system.rerank_depth != RERANK_DEPTH:
            parts.append(f"depth-{system.rerank_depth}")
    return "-".join(parts)


def _mark(key: str, value: Any, among: Sequence[Any]) -> str:
    """Return what tells a value of the grid from the others of its list."""
    if isinstance(value, dict):
        return f"{key}-{among.index(value) + 1}"
    if isinstance(value, bool):
        return key if value else f"no-{key}"
    if key == "chunk_tokens":
        return "whole" if value is None else f"{value}-tokens"
    return f"depth-{value}" if key == "rerank_depth" else str(value)
