"""The mean weight that people would give, from the labelled items and the judge's other verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragaliq.compare.agreement.members import Members
from ragaliq.compare.agreement.pairs import cluster_of
from ragaliq.errors import listed
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
    """The three estimates of w̄, None where they are not defined, and what a reader must know of them.

    Attributes:
        estimates: over all answers of the population; with several systems each has the share of its answers.
        by_system: of each system from its labels alone; empty where the population is one system.
        n_outside: labels that are of no answer of the population, and not used.
    """

    estimates: PredictionPowered | None
    notes: tuple[str, ...]
    by_system: Mapping[str, Powered] = field(default_factory=dict)
    n_outside: int = 0


def powered_mean(members: Members, seed: int = 0) -> Powered:
    """Estimate w̄ over the answerable queries, of each system and of all.

    Over several systems the mean is defined where every system has a label: labels and verdicts of a system are
    weighted by its share of the answers, so that a judge that is kinder to one of them is corrected whatever the
    shares of the labels. Rows in languages without a label are left out, and noted.
    """
    notes, systems = [], members.systems
    if members.outside:
        notes.append(
            f"{len(members.outside)} of {len(members.outside) + len(members.labelled)} labels are of no answer of the "
            "population, and not used: a judge may err otherwise on other systems"
        )
    if len(systems) < 2:
        whole = _estimate(members, seed)
        return Powered(whole.estimates, (*notes, *whole.notes), n_outside=len(members.outside))
    by_system = {system: _estimate(members.of_system(system), seed) for system in systems}
    lacking = _lacking(members.labelled_languages[0], systems)
    whole = Powered(None, (lacking,)) if lacking else _estimate(members, seed)
    return Powered(whole.estimates, (*notes, *whole.notes), by_system, len(members.outside))


def powered_json(powered: Powered) -> dict[str, Any] | None:
    """Return the estimates as programs read them; None where there are none. Ends outside 0..1 are cut.

    With several systems the figures are over all of them, null where that is not defined, and `by_system` has those of
    each. `n_outside`: labels of no answer of the population.
    """
    by_system = {system or "not named": powered_json(one) for system, one in powered.by_system.items()}
    if powered.estimates is None and not any(by_system.values()):
        return None
    return {
        **_figures(powered.estimates),
        "n_outside": powered.n_outside,
        "by_system": by_system,
        "notes": list(powered.notes),
    }


def _figures(estimates: PredictionPowered | None) -> dict[str, Any]:
    names = ("classical", "judge_only", "prediction_powered")
    if estimates is None:
        return dict.fromkeys(("n_labelled", "n_unlabelled", "n_queries_labelled", "lambda", "shift", *names))
    return {
        "n_labelled": estimates.n_labelled,
        "n_unlabelled": estimates.n_unlabelled,
        "n_queries_labelled": estimates.n_clusters,
        "lambda": estimates.power,
        "shift": estimates.shift,
        **{name: _to_json(getattr(estimates, name)) for name in names},
    }


def _estimate(members: Members, seed: int) -> Powered:
    members, others = members.labelled_languages
    pairs, rows = members.labelled, members.unlabelled
    if not rows:
        return Powered(None, ("no verdict without a label: prediction-powered inference needs some (--population)",))
    clusters = [cluster_of(pair.row) for pair in pairs]
    of_pairs, of_rows = _shares([pair.row.run for pair in pairs], [row.run for row in rows])
    verdicts, labels = [_weight(pair.verdict) for pair in pairs], [_weight(pair.label) for pair in pairs]
    labelled = Values(verdicts, clusters, labels, of_pairs)
    unlabelled = Values([_weight(row.grade) for row in rows], [cluster_of(row) for row in rows], (), of_rows)
    estimates = prediction_powered(labelled, unlabelled, possible=tuple(WEIGHTS.values()), seed=seed)
    if estimates is None:
        few = f"{len(set(clusters))} labelled queries: prediction-powered inference needs {LEAST_LABELLED}"
        return Powered(None, (f"{few}, and asks for {ENOUGH_LABELLED}",))
    notes = [f"languages without a label are left out: {', '.join(others)}"] if others else []
    return Powered(estimates, (*notes, *_notes(estimates)))


def _shares(labelled: Sequence[str], unlabelled: Sequence[str]) -> tuple[list[float], list[float]]:
    """Return what each row counts for, so that every system has the share of its answers among both."""
    counts, others = Counter(labelled), Counter(unlabelled)
    total = counts + others
    return (
        [total[system] / counts[system] for system in labelled],
        [total[system] / others[system] for system in unlabelled],
    )


def _lacking(members: Members, systems: Sequence[str]) -> str:
    """Return why there is no mean over all systems; empty where there is one."""
    labelled = {pair.row.run for pair in members.labelled}
    missing = [system for system in systems if system not in labelled]
    if missing:
        what = "no label for"
    else:
        judged = {row.run for row in members.unlabelled}
        missing, what = [system for system in systems if system not in judged], "no verdict without a label for"
    if not missing:
        return ""
    names = listed(system or "not named" for system in missing)
    return f"{what} {len(missing)} of {len(systems)} systems ({names}), so there is no mean over all of them"


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


def _weight(grade: int | None) -> float:
    assert grade is not None, "rows without a grade are left out before"
    return WEIGHTS[grade]
