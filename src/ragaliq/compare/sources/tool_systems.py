"""Another tool's results as values of one of its metrics, by system and language."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import fsum, isfinite

from ragaliq.aggregate.grades.query_grades import JudgeId, QueryKey
from ragaliq.compare.sources.opened import ToolSource
from ragaliq.compare.sources.settings import GOLD, ReadSettings
from ragaliq.compare.sources.system_values import MISSING, NO_VALUE, SystemValues
from ragaliq.compare.value_table import TableMetric
from ragaliq.errors import InputError, listed
from ragaliq.formats.results.rows import ResultFile, ResultRow


def tool_metric(sources: Sequence[ToolSource], name: str, ends: tuple[float, float] | None = None) -> TableMetric:
    """Return what the values of a metric are, which all files must have on the same scale.

    `ends` is the range where the user names it. An end that neither the user nor a file names is that of the values.

    Raises:
        InputError: if a file lacks the metric, files differ in its range or direction, or a value is outside it.
    """
    for source in sources:
        if name not in source.results.scales:
            raise InputError(f"{source.path}: no metric '{name}'; {listed(source.results.scales)}")
    scales = [source.results.scales[name] for source in sources]
    values = [value for source in sources for row in source.results.rows if (value := row.values.get(name)) is not None]
    low, high = ends or (_end(sources, name, "low"), _end(sources, name, "high"))
    if len({scale.less_is_better for scale in scales}) > 1:
        raise InputError(f"{sources[0].path}: '{name}' is better when greater in one file and when less in another")
    known = low is not None and high is not None
    least = low if low is not None else min(values, default=0.0)
    greatest = high if high is not None else max(values, default=1.0)
    less = "; less is better" if scales[0].less_is_better else ""
    meaning = f"mean of the values of {sources[0].results.tool}, {least:g} to {greatest:g}{less}"
    metric = TableMetric(name, meaning, scales[0].less_is_better, greatest, least, known)
    check_range(sources, metric)
    return metric


def tool_systems(source: ToolSource, metric: str, settings: ReadSettings) -> list[dict[str, SystemValues]]:
    """Return the systems of a file in its order, each by language; several answers to an item count as their mean.

    Raises:
        InputError: if no row is in the language of the settings, or none has the field that names clusters.
    """
    results = source.results
    rows = [row for row in results.rows if settings.lang in ("", row.lang)]
    if not rows:
        langs = listed({row.lang or "not named" for row in results.rows})
        raise InputError(f"{source.path}: no results in {settings.lang!r} ({langs}); check the path")
    if settings.cluster and not any(settings.cluster in row.fields for row in rows):
        fields = sorted({name for row in rows for name in row.fields})
        why = "the gold documents of a tool's file are not known" if settings.cluster == GOLD else "no such field"
        raise InputError(f"{source.path}: --cluster {settings.cluster}: {why}; known: {', '.join(fields) or 'none'}")
    found: defaultdict[str, defaultdict[str, list[ResultRow]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        found[row.system or source.path.stem][row.lang].append(row)
    return [
        {lang: _values(name, lang, langs[lang], results, metric, settings.cluster) for lang in sorted(langs)}
        for name, langs in found.items()
    ]


def tool_notes(source: ToolSource, metric: TableMetric) -> list[str]:
    """Return what was taken for what in a file: its notes, the other metrics, several answers to an item."""
    results, notes = source.results, list(source.results.notes)
    others = [name for name in results.scales if name != metric.name]
    if others:
        notes.append(f"'{metric.name}' is compared; --metric takes {', '.join(others)} too")
    counts = Counter(map(_item, results.rows))
    several = sum(count > 1 for count in counts.values())
    if several:
        most = max(counts.values())
        notes.append(f"{several} of {len(counts)} items have several answers (up to {most}), which count as their mean")
        lost = sum(row.values.get(metric.name) is None and counts[_item(row)] > 1 for row in results.rows)
        if lost:
            notes.append(f"{lost} of {len(results.rows)} answers have no value; an item counts with its other answers")
    if not metric.known:
        ends = f"{metric.least:g} to {metric.greatest:g}"
        notes.append(
            f"the range of '{metric.name}' is not known, {ends} of the values is taken; --range LO,HI names it"
        )
    return [f"{source.path.name} ({results.tool}): {note}" for note in notes]


def _item(row: ResultRow) -> tuple[str, str, str]:
    return row.system, row.lang, row.item


def _end(sources: Sequence[ToolSource], name: str, end: str) -> float | None:
    known = {value for source in sources if (value := getattr(source.results.scales[name], end)) is not None}
    if len(known) > 1:
        told = ", ".join(f"{value:g}" for value in sorted(known))
        raise InputError(f"{sources[0].path}: '{name}' has another range in another file ({told}); give --range LO,HI")
    return next(iter(known), None)


def check_range(sources: Sequence[ToolSource], metric: TableMetric) -> None:
    """Refuse values outside the metric's range.

    Raises:
        InputError: with the place of the first one.
    """
    for row in (row for source in sources for row in source.results.rows):
        value = row.values.get(metric.name)
        if value is not None and not (isfinite(value) and metric.least <= value <= metric.greatest):
            ends = f"{metric.least:g} to {metric.greatest:g}"
            raise InputError(
                f"{row.where}: '{metric.name}' is {value:g}, outside of {ends}; fix it, or give --range LO,HI"
            )


def _values(
    name: str, lang: str, rows: Sequence[ResultRow], results: ResultFile, metric: str, cluster: str
) -> SystemValues:
    by_item: defaultdict[QueryKey, list[ResultRow]] = defaultdict(list)
    for row in rows:
        by_item[QueryKey(row.item)].append(row)
    values = {key: _mean(own, metric) for key, own in by_item.items()}
    failures = Counter(
        next((row.error for row in by_item[key] if row.error), NO_VALUE)
        for key, value in values.items()
        if value is None
    )
    missing = 0 if results.n_expected is None else max(0, results.n_expected - len(values))
    costs = [row.cost for row in rows if row.cost is not None]
    return SystemValues(
        name,
        lang,
        values,
        dict(sorted(failures.items())) | ({MISSING: missing} if missing else {}),
        results.n_expected,
        (JudgeId(results.judge),) if results.judge else (),
        results.data,
        clusters={key: own[0].fields[cluster] for key, own in by_item.items() if own[0].fields.get(cluster)},
        questions={key: own[0].question for key, own in by_item.items() if own[0].question},
        seconds=tuple(row.seconds for row in rows if row.seconds is not None),
        cost=fsum(costs) if costs else None,
        n_priced=len(costs),
    )


def _mean(rows: Sequence[ResultRow], metric: str) -> float | None:
    """Return the mean of the answers that have a value; None if none has one."""
    values = [value for row in rows if (value := row.values.get(metric)) is not None]
    return fsum(values) / len(values) if values else None
