"""Systems under the names of their groups, in the order in which the command line names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.compare.sources.pooling import pooled
from ragaliq.compare.sources.settings import Group
from ragaliq.compare.sources.system_values import SystemValues
from ragaliq.errors import ConfigError, nearest


@dataclass(frozen=True, slots=True)
class FoundSystem:
    """A system with the path that it is from, and its name there; `several` systems share the path."""

    path: Path
    name: str
    several: bool
    languages: Mapping[str, SystemValues]


@dataclass(frozen=True, slots=True)
class GroupedSystems:
    """Systems and groups in their order, and the runs of each group."""

    systems: tuple[FoundSystem, ...]
    members: tuple[tuple[Mapping[str, SystemValues], ...], ...]


def grouped_systems(systems: Sequence[FoundSystem], groups: Sequence[Group], order: Sequence[str]) -> GroupedSystems:
    """Pool the systems of each group; a group comes where `order`, the paths, names it or the first of its systems.

    Groups that it does not name come last.

    Raises:
        ConfigError: if a run is no system, or is in two groups.
    """
    taken: dict[int, str] = {}
    members: dict[str, list[int]] = {}
    for group in groups:
        members[group.name] = []
        for run in group.runs:
            places = [place for place, one in enumerate(systems) if Path(run) == one.path or run == one.name]
            if not places:
                known = [name for one in systems for name in (str(one.path), one.name)]
                raise ConfigError(f"--group {group.name}: no run or system '{run}'; {nearest(run, known)}")
            if taken.keys() & set(places):
                raise ConfigError(f"--group: '{run}' is in two groups, or twice in one; name it once")
            taken |= dict.fromkeys(places, group.name)
            members[group.name].extend(places)
    keys: dict[str | int, None] = {}
    for path in dict.fromkeys(order):
        own = [place for place, one in enumerate(systems) if str(one.path) == path]
        keys |= dict.fromkeys([path] if path in members else [taken.get(place, place) for place in own])
    keys |= dict.fromkeys(members)
    return GroupedSystems(
        tuple(
            systems[key] if isinstance(key, int) else _pooled(key, [systems[place] for place in members[key]])
            for key in keys
        ),
        tuple(tuple(systems[place].languages for place in places) for places in members.values()),
    )


def _pooled(name: str, runs: Sequence[FoundSystem]) -> FoundSystem:
    return FoundSystem(Path(name), name, False, pooled(name, [run.languages for run in runs]))
