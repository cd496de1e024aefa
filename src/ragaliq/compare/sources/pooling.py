"""Several runs of one system as one: the mean of each query's values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum

from ragaliq.compare.sources.system_values import MISSING, NO_VALUE, SystemValues


def pooled(name: str, runs: Sequence[Mapping[str, SystemValues]]) -> dict[str, SystemValues]:
    """Return runs of one system as one system, by language.

    The value of a query is the mean over the runs that have one; None if none has. What fails in every run counts as a
    failure, under the reason that most often names it. Runs may have different languages.
    """
    langs = dict.fromkeys(lang for run in runs for lang in run)
    return {lang: _pooled(name, [run[lang] for run in runs if lang in run]) for lang in langs}


def _pooled(name: str, runs: Sequence[SystemValues]) -> SystemValues:
    if len(runs) == 1:
        return replace(runs[0], name=name)
    keys = dict.fromkeys(key for run in runs for key in run.values)
    values = {key: _mean([value for run in runs if (value := run.values.get(key)) is not None]) for key in keys}
    expected = [run.n_expected for run in runs if run.n_expected is not None]
    lost = sum(value is None for value in values.values())
    n_expected = max(expected) if len(expected) == len(runs) else None
    return SystemValues(
        name,
        runs[0].lang,
        values,
        _failures(runs, lost, max(0, n_expected - len(values)) if n_expected else 0),
        n_expected,
        tuple(sorted({judge for run in runs for judge in run.judges})),
        next((run.data for run in runs if run.data), ""),
        all(run.by_id for run in runs),
        {key: cluster for run in reversed(runs) for key, cluster in run.clusters.items()},
        {key: question for run in reversed(runs) for key, question in run.questions.items()},
        tuple(seconds for run in runs for seconds in run.seconds),
        fsum(run.cost for run in runs if run.cost is not None) if any(run.cost is not None for run in runs) else None,
        sum(run.n_priced for run in runs),
    )


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def _failures(runs: Sequence[SystemValues], lost: int, missing: int) -> dict[str, int]:
    """Return how many queries have no value in any run, under the commonest reason, and how many are not there."""
    reasons: Counter[str] = Counter()
    for run in runs:
        reasons.update({reason: count for reason, count in run.failures.items() if reason != MISSING})
    common = max(sorted(reasons), key=lambda reason: reasons[reason], default=NO_VALUE)
    return ({common: lost} if lost else {}) | ({MISSING: missing} if missing else {})
