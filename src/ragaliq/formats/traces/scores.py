"""Scores of traces as metrics: one value for each answer and metric."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragaliq.formats.results.rows import Scale
from ragaliq.formats.traces.rows import Score, TraceRow


@dataclass(frozen=True, slots=True)
class Metrics:
    """Metrics of traces.

    Attributes:
        values: of each answer by metric, in the order of the answers; None where the metric has no value.
        scales: of the metrics, the one with most values first, then by name.
        notes: what was left out or taken together, a line each.
    """

    values: tuple[Mapping[str, float | None], ...]
    scales: Mapping[str, Scale]
    notes: tuple[str, ...]


def metrics_of(rows: Sequence[TraceRow]) -> Metrics:
    """Return the metrics of answers.

    A metric is the scores of one name, of one source where several give scores of that name: a person's are not mixed
    with a model's. Several of them of one answer are their mean. Labels without a number are no metric. What was scored
    of an answer that failed is no value.
    """
    sources: dict[str, set[str]] = {}
    for score in (score for row in rows for score in row.scores if score.value is not None):
        sources.setdefault(score.name, set()).add(score.source)
    valued: list[dict[str, list[Score]]] = []
    for row in rows:
        found: dict[str, list[Score]] = {}
        for score in row.scores if not row.error else ():
            if score.value is not None:
                found.setdefault(_name(score, sources), []).append(score)
        valued.append(found)
    known = {_name(score, sources) for row in rows for score in row.scores if score.value is not None}
    counts = Counter(name for found in valued for name in found)
    names = sorted(known, key=lambda name: (-counts[name], name))
    truths = {name: all(s.truth for found in valued for s in found.get(name, ())) for name in names}
    return Metrics(
        tuple({name: _mean(found.get(name, ())) for name in names} for found in valued),
        {name: Scale(0.0, 1.0) if truths[name] and counts[name] else Scale() for name in names},
        tuple(_notes(rows, sources, valued)),
    )


def _name(score: Score, sources: Mapping[str, set[str]]) -> str:
    several = len(sources[score.name]) > 1 and score.source
    return f"{score.name} ({score.source})" if several else score.name


def _mean(scores: Sequence[Score]) -> float | None:
    values = sorted(score.value for score in scores if score.value is not None)
    return math.fsum(values) / len(values) if values else None


def _notes(
    rows: Sequence[TraceRow], sources: Mapping[str, set[str]], valued: Sequence[Mapping[str, Sequence[Score]]]
) -> Iterator[str]:
    labels = Counter(score.name for row in rows for score in row.scores if score.value is None)
    for name, count in sorted(labels.items()):
        yield f"'{name}': {count} labels without a number are no values"
    for name, several in sorted(sources.items()):
        if len(several) > 1:
            yield f"'{name}': scores of {', '.join(sorted(several - {''}))} are metrics of their own"
    means = Counter(n for found in valued for n, scores in found.items() if sum(score.n for score in scores) > 1)
    for name, count in sorted(means.items()):
        yield f"'{name}': {count} answers have several scores; their mean is the value"
    failed = sum(bool(row.error and row.scores) for row in rows)
    if failed:
        yield f"scores of {failed} answers that failed are no values"
