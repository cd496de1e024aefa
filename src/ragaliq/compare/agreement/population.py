"""The mean weight that people would give, from the labelled items and the judge's other verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragaliq.compare.agreement.pairs import GradedPair, cluster_of
from ragaliq.errors import listed
from ragaliq.formats.grades.rows import GradedRow
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.prediction_powered import (
    ENOUGH_LABELLED,
    LEAST_LABELLED,
    MeanEstimate,
    PredictionPowered,
    Values,
    prediction_powered,
)

# A t value of labelled against unlabelled verdicts that a random draw of labels hardly gives.
_STRANGE = 3.0


@dataclass(frozen=True, slots=True)
class Powered:
    """The three estimates of w̄, None where they are not defined, and what a reader must know of them."""

    estimates: PredictionPowered | None
    notes: tuple[str, ...]


def powered_mean(pairs: Sequence[GradedPair], unlabelled: Sequence[GradedRow], seed: int = 0) -> Powered:
    """Estimate w̄ over the answerable queries; rows in languages without a label are left out, and told."""
    langs = {pair.lang for pair in pairs}
    rows = [row for row in unlabelled if row.answerable and row.grade is not None]
    # Where a side names no language, all its rows are of those that have labels.
    others = sorted({row.lang for row in rows} - langs - {""}) if langs != {""} else []
    rows = [row for row in rows if row.lang not in others]
    if not rows:
        return Powered(None, ("no verdict without a label: prediction-powered inference needs some (--population)",))
    verdicts, labels = [_weight(pair.verdict) for pair in pairs], [_weight(pair.label) for pair in pairs]
    clusters = [cluster_of(pair.row) for pair in pairs]
    others_judged = Values([_weight(row.grade) for row in rows], [cluster_of(row) for row in rows])
    estimates = prediction_powered(
        Values(verdicts, clusters, labels), others_judged, possible=tuple(WEIGHTS.values()), seed=seed
    )
    if estimates is None:
        few = f"{len(set(clusters))} labelled queries: prediction-powered inference needs {LEAST_LABELLED}"
        return Powered(None, (f"{few}, and asks for {ENOUGH_LABELLED}",))
    notes = [f"languages without a label are left out: {', '.join(others)}"] if others else []
    return Powered(estimates, (*notes, *_notes(estimates), *_on_systems(pairs, rows)))


def powered_json(powered: Powered) -> dict[str, Any] | None:
    """Return the estimates as programs read them; None where there are none. Ends outside 0..1 are cut."""
    estimates = powered.estimates
    if estimates is None:
        return None
    return {
        "n_labelled": estimates.n_labelled,
        "n_unlabelled": estimates.n_unlabelled,
        "n_queries_labelled": estimates.n_clusters,
        "lambda": estimates.power,
        "shift": estimates.shift,
        **{name: _to_json(getattr(estimates, name)) for name in ("classical", "judge_only", "prediction_powered")},
        "notes": list(powered.notes),
    }


def _to_json(estimate: MeanEstimate) -> dict[str, Any]:
    interval = estimate.interval
    cut = None if interval is None else Interval(max(interval.low, 0.0), min(interval.high, 1.0))
    return {"n": estimate.n, "mean_weight": min(max(estimate.mean, 0.0), 1.0), "ci": cut}


def _notes(estimates: PredictionPowered) -> list[str]:
    notes = []
    if estimates.n_clusters < ENOUGH_LABELLED:
        notes.append(
            f"{estimates.n_clusters} labelled queries; label {ENOUGH_LABELLED} or more to rely on the intervals"
        )
    if estimates.shift is not None and abs(estimates.shift) > _STRANGE:
        notes.append(
            f"the judge grades the labelled answers otherwise than the rest (t = {estimates.shift:+.1f}): they are no "
            "random draw, and the estimate is not theirs"
        )
    return notes


def _on_systems(labelled: Sequence[GradedPair], rows: Sequence[GradedRow]) -> list[str]:
    all_runs = {row.run for row in rows if row.run} | {pair.row.run for pair in labelled if pair.row.run}
    missing = all_runs - {pair.row.run for pair in labelled}
    if not missing:
        return []
    return [f"no label for {len(missing)} of {len(all_runs)} systems ({listed(missing)}); draw labels across systems"]


def _weight(grade: int | None) -> float:
    assert grade is not None, "rows without a grade are left out before"
    return WEIGHTS[grade]
