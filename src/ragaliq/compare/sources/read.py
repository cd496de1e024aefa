"""Systems of any origin that are to be compared: read, named, and refused where a comparison would mean nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ragaliq.aggregate.grades.graded_metrics import MEAN_WEIGHT, METRICS
from ragaliq.compare.sources.clusters import with_clusters
from ragaliq.compare.sources.footing import check_footing
from ragaliq.compare.sources.graded_systems import graded_systems, table_metric
from ragaliq.compare.sources.groups import FoundSystem, grouped_systems
from ragaliq.compare.sources.opened import GradedSource, ToolSource, open_results
from ragaliq.compare.sources.run_usage import with_usage
from ragaliq.compare.sources.settings import Group, ReadSettings
from ragaliq.compare.sources.system_values import Sources, SystemValues
from ragaliq.compare.sources.tool_systems import check_range, tool_metric, tool_notes, tool_systems
from ragaliq.compare.standings import ALL
from ragaliq.compare.value_table import TableMetric
from ragaliq.errors import ConfigError, InputError, listed, nearest

Languages = Mapping[str, SystemValues]


def read_sources(paths: Sequence[Path], settings: ReadSettings) -> Sources:
    """Read the systems of run folders, files of grades and other tools' results, in the order of the paths.

    A path may hold several systems. Systems are called as their file or folder, or as the file calls them, where that
    tells them apart, else by path and name.

    A group takes the place of its name, or of its first run, among the paths; other groups follow.

    Raises:
        ConfigError: if grades have no such metric, or there is no such group member or baseline.
        InputError: if a path is named twice, holds no results or not this language, if paths hold different metrics, or
            if judges or data differ and the settings do not allow that.
    """
    _check_once(paths)
    opened = [open_results(path, settings.columns) for path in _with_members(paths, settings.groups)]
    return sources_of(opened, settings, [str(path) for path in paths])


def sources_of(
    opened: Sequence[GradedSource | ToolSource], settings: ReadSettings, order: Sequence[str] = ()
) -> Sources:
    """Return the systems of what is read already; `order` names the paths, and groups among them.

    Raises:
        ConfigError, InputError: as `read_sources`.
    """
    metric = _metric(opened, settings.metric, settings.columns.range)
    by_id = all(
        grades.by_id for one in opened if isinstance(one, GradedSource) for own in one.systems for grades in own
    )
    named = [system for one in opened for system in _systems(one, metric, settings, by_id)]
    _check_languages(named)
    grouped = grouped_systems(named, settings.groups, order or [str(one.path) for one in opened])
    doubts = [doubt for members in grouped.members for doubt in check_footing(members, settings.mixed)]
    systems = _from_baseline(
        _called(_joined(grouped.systems) if settings.joined else grouped.systems), settings.baseline
    )
    warnings = dict.fromkeys([*doubts, *check_footing(systems, settings.mixed)])
    notes = dict.fromkeys(note for one in opened for note in _notes(one, metric))
    return Sources(metric, systems, tuple(warnings), tuple(notes), not warnings)


def _check_once(paths: Sequence[Path]) -> None:
    """Refuse a path that is named twice: a system does not differ from itself, and would count twice."""
    once: dict[Path, Path] = {}
    for path in paths:
        if once.setdefault(path.resolve(), path) is not path:
            raise InputError(f"{path}: named twice; name each run or file once")


def _with_members(paths: Sequence[Path], groups: Sequence[Group]) -> list[Path]:
    """Return what is read: the paths that name no group, and the runs of groups that are paths."""
    names = {group.name for group in groups}
    read = [path for path in paths if str(path) not in names]
    runs = (Path(run) for group in groups for run in group.runs)
    return [*read, *dict.fromkeys(run for run in runs if run.exists() and run not in read)]


def _from_baseline(systems: tuple[Languages, ...], name: str) -> tuple[Languages, ...]:
    """Return systems with the one of this name first."""
    names = [next(iter(own.values())).name for own in systems]
    if name and name not in names:
        raise ConfigError(f"--baseline: no system '{name}'; {nearest(name, names)}")
    place = names.index(name) if name else 0
    return (systems[place], *systems[:place], *systems[place + 1 :])


def _metric(opened: Sequence[GradedSource | ToolSource], name: str, ends: tuple[float, float] | None) -> TableMetric:
    """Return the metric that all sources share."""
    tools = [one for one in opened if isinstance(one, ToolSource)]
    graded = [one.path for one in opened if isinstance(one, GradedSource)]
    if graded:
        name = _of_grades(name)
        metric = table_metric(METRICS[name])
        lacking = [one for one in tools if name not in one.results.scales]
        if lacking:
            has = listed(lacking[0].results.scales)
            raise InputError(
                f"{graded[0]} holds grades and {lacking[0].path} no '{name}' ({has}); compare one metric, or name "
                "the columns of a table with --id and --value"
            )
        check_range(tools, metric)
        return metric
    shared = [metric for metric in tools[0].results.scales if all(metric in tool.results.scales for tool in tools)]
    if not name and not shared:
        has = "; ".join(f"{tool.path}: {', '.join(tool.results.scales) or 'none'}" for tool in tools)
        raise InputError(f"the files share no metric ({has}); compare files of one metric")
    return tool_metric(tools, name or shared[0], ends)


def _of_grades(name: str) -> str:
    if name and name not in METRICS:
        hint = f"{nearest(name, METRICS)} (TREC runs need --qrels or --data)"
        raise ConfigError(f"--metric: unknown metric '{name}' of graded systems; {hint}")
    return name or MEAN_WEIGHT.name


def _systems(
    opened: GradedSource | ToolSource, metric: TableMetric, settings: ReadSettings, by_id: bool
) -> list[FoundSystem]:
    if isinstance(opened, ToolSource):
        found = tool_systems(opened, metric.name, settings)
    else:
        graded = with_usage(opened.path, graded_systems(opened, METRICS[metric.name], settings, by_id))
        found = list(with_clusters(opened, graded, settings.cluster) if settings.cluster else graded)
    return [FoundSystem(opened.path, next(iter(own.values())).name, len(found) > 1, own) for own in found]


def _check_languages(systems: Sequence[FoundSystem]) -> None:
    for one in systems:
        if ALL in one.languages:
            raise InputError(f"{one.path}: a language is called '{ALL}', as all of them together are; rename it")


def _joined(named: Sequence[FoundSystem]) -> list[FoundSystem]:
    """Return systems of which those of one name in several paths are one, where each path has other languages."""
    found: dict[str, list[FoundSystem]] = {}
    for one in named:
        found.setdefault(one.name, []).append(one)
    joined = []
    for own in found.values():
        langs = [lang for one in own for lang in one.languages]
        if len(set(langs)) < len(langs):
            joined += own
        else:
            joined.append(
                replace(own[0], languages={lang: one.languages[lang] for one in own for lang in one.languages})
            )
    return joined


def _called(named: Sequence[FoundSystem]) -> tuple[Languages, ...]:
    """Return systems with names that tell them apart."""
    origins = {(one.path, one.name) for one in named}
    if len({name for _, name in origins}) == len(origins):
        names = [one.name for one in named]
    else:
        names = [f"{one.path} {one.name}" if one.several else str(one.path) for one in named]
    return tuple(
        {lang: replace(own, name=name) for lang, own in one.languages.items()}
        for one, name in zip(named, names, strict=True)
    )


def _notes(opened: GradedSource | ToolSource, metric: TableMetric) -> list[str]:
    return tool_notes(opened, metric) if isinstance(opened, ToolSource) else []
