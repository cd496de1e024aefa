"""The queries whose answer went from good to bad, or from bad to good, between the baseline and a system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragaliq.aggregate.grades.query_grades import QueryKey
from ragaliq.compare.sources.system_values import SystemValues
from ragaliq.compare.value_table import TableMetric
from ragaliq.metrics.statistics.sign_flips import ROUNDING


@dataclass(frozen=True, slots=True)
class QueryChange:
    """One query's value in the baseline and in a system, with the grades behind both where there are any.

    `loss` is by how much the system is worse; below 0 where it is better.
    """

    query: QueryKey
    question: str
    before: float
    after: float
    loss: float
    grades: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Flips:
    """The queries of one system and language that went from good to bad, greatest loss first, and the reverse."""

    system: str
    lang: str
    lost: tuple[QueryChange, ...]
    gained: tuple[QueryChange, ...]


def flips(systems: Sequence[Mapping[str, SystemValues]], metric: TableMetric) -> tuple[Flips, ...]:
    """Return what flipped between the first system and each other one, language by language.

    An answer is good from the metric's `good` value on: grades 4 and 5 (mean weight .8 of several runs pooled), for
    other metrics the middle of their range, which for values of 0 and 1 makes every change a flip. A query without a
    value on either side cannot flip. Ties in loss are in the order of the queries.
    """
    first = systems[0]
    found = []
    for system in systems[1:]:
        for lang in (lang for lang in first if lang in system):
            changed = [one for one in changes(first[lang], system[lang], metric) if _flipped(one, metric)]
            found.append(
                Flips(
                    system[lang].name,
                    lang,
                    tuple(one for one in changed if one.loss > 0),
                    tuple(one for one in reversed(changed) if one.loss < 0),
                )
            )
    return tuple(found)


def changes(baseline: SystemValues, system: SystemValues, metric: TableMetric) -> list[QueryChange]:
    """Return the queries that both have a value for, greatest loss first."""
    found = list(_changes(baseline, system, metric))
    return sorted(found, key=lambda one: (-one.loss, one.query))


def _flipped(change: QueryChange, metric: TableMetric) -> bool:
    return metric.is_good(change.before) != metric.is_good(change.after) and abs(change.loss) > ROUNDING


def _changes(baseline: SystemValues, system: SystemValues, metric: TableMetric) -> Iterator[QueryChange]:
    sign = -1.0 if metric.less_is_better else 1.0
    for key, before in baseline.values.items():
        after = system.values.get(key)
        if before is None or after is None or not key.query:
            continue
        one, two = baseline.grades.get(key), system.grades.get(key)
        question = baseline.questions.get(key) or system.questions.get(key, "")
        loss = sign * (before - after) + 0.0
        yield QueryChange(key, question, before, after, loss, None if one is None or two is None else (one, two))
