"""Whether a system is worse than its baseline by less than a margin: pass, fail, or more queries are needed.

Two statements are tested for each system and language, both about the mean difference δ of a query, system minus
baseline: "not worse by the margin" (against δ ≤ −margin) and "worse" (against δ ≥ 0), both by `unseen`: a query that
was not seen has the worst difference there is for the statement.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import NormalDist

import numpy as np

from ragaliq.metrics.statistics.clusters import Clustered, clustered, standard_error
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.significance import Values, paired_differences
from ragaliq.metrics.statistics.unseen import chance_at_most, lower_end

ALPHA = 0.025
_POWER = 0.8
_MOST_QUERIES = 10**9


class GateOutcome(StrEnum):
    """What the queries say."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Noninferiority:
    """Both statements about one system.

    Attributes:
        n: independent queries: clusters where these are named.
        difference: mean difference, system minus baseline, where more is better; None without queries.
        p_pass: p value of "not worse by the margin", in 0..1; None without queries.
        p_fail: p value of "worse", in 0..1, corrected where it is one of a table.
        interval: of the difference, with 1 − 2 α (95 %): above −margin where the system passes, below 0 where it is
            worse by a test of its own.
        outcome: passes where `p_pass` is below α, else fails where `p_fail` is, else inconclusive.
        worse: whether `p_fail` is below α; one that passes is then worse by less than the margin.
        needed: how many queries would decide with a chance of 80 %, at this difference and spread, for the nearer of
            the two statements; None where it is decided, below two queries, and where it would be more than 1e9.
    """

    n: int
    difference: float | None
    p_pass: float | None
    p_fail: float | None
    interval: Interval | None
    outcome: GateOutcome
    worse: bool
    needed: int | None


@dataclass(frozen=True, slots=True)
class PairedCell:
    """The values of one system and its baseline on the same queries of one language.

    Attributes:
        clusters: which queries belong together; None: each is by itself.
        greatest: the greatest difference that a query can have.
        less_is_better: whether a greater value is a worse one.
    """

    system: str
    lang: str
    baseline: Values
    values: Values
    clusters: Sequence[str] | None = None
    greatest: float = 1.0
    less_is_better: bool = False


@dataclass(frozen=True, slots=True)
class GateResult:
    """What a whole table says.

    Attributes:
        outcome: passes where all cells pass, fails where one fails; a table without cells is inconclusive.
        margin: the difference that is too much.
        alpha: error rate of the whole table, for either error: letting a system pass that is worse by the margin in
            some cell, and failing where none is worse.
        cells: each cell with what is known of it, in the order of the cells; `p_fail` by Holm's method.
        needed: the most queries that a cell which is not decided needs; None if that is not known of one of them.
    """

    outcome: GateOutcome
    margin: float
    alpha: float
    cells: tuple[tuple[PairedCell, Noninferiority], ...]
    needed: int | None


def gate(cells: Sequence[PairedCell], margin: float, alpha: float = ALPHA) -> GateResult:
    """Test a table of systems × languages.

    All cells have to pass, so that passing needs no correction (an intersection–union test: Berger 1982, Technometrics
    24); any may fail, so that failing is corrected by Holm's method.

    Clusters are weighed whole, and the unseen query is a cluster of average size. Neither the order of the queries nor
    that of the clusters changes anything. Without queries nothing is known, and the cell is inconclusive.

    Raises:
        ValueError: if the margin is not above 0 and at most `greatest`, a difference is greater than `greatest`, a
            value is no finite number, or there is not one cluster per query.
    """
    tests = _Tests(margin, alpha, max(1, len(cells)))
    alone = [_tested(_differences(cell), cell.greatest, tests) for cell in cells]
    corrected = holm([found.p_fail for found in alone])
    results = [_decided(found, p, alpha) for found, p in zip(alone, corrected, strict=True)]
    outcomes = {found.outcome for found in results}
    outcome = GateOutcome.PASS if outcomes == {GateOutcome.PASS} else GateOutcome.INCONCLUSIVE
    if GateOutcome.FAIL in outcomes:
        outcome = GateOutcome.FAIL
    needed = [found.needed for found in results if found.outcome is GateOutcome.INCONCLUSIVE]
    known = [count for count in needed if count is not None]
    most = max(known) if known and len(known) == len(needed) else None
    return GateResult(outcome, margin, alpha, tuple(zip(cells, results, strict=True)), most)


@dataclass(frozen=True, slots=True)
class _Tests:
    """What is tested, and how many cells are."""

    margin: float
    alpha: float
    count: int


def _differences(cell: PairedCell) -> Clustered:
    """Return the differences by cluster, above 0 where the system is better than the baseline."""
    deltas = paired_differences(cell.baseline, cell.values)
    if len(deltas) and float(np.abs(deltas).max()) > cell.greatest * (1 + 1e-9):
        raise ValueError(
            f"a query can differ by {cell.greatest:g} at most, and one differs by {np.abs(deltas).max():g}"
        )
    return clustered(0.0 - deltas if cell.less_is_better else deltas, cell.clusters)


def _tested(groups: Clustered, greatest: float, tests: _Tests) -> Noninferiority:
    margin = tests.margin
    if not 0 < margin <= greatest:
        raise ValueError(f"a margin is above 0 and at most {greatest:g}, the greatest difference of a query: {margin}")
    n = len(groups.sizes)
    if not n:
        return Noninferiority(0, None, None, None, None, GateOutcome.INCONCLUSIVE, False, None)
    # A cluster that was not seen is one like the others.
    back, size = groups.mirrored, float(groups.sizes.mean())
    low, high = (lower_end(own, -greatest, size, tests.alpha) for own in (groups, back))
    return Noninferiority(
        n=n,
        difference=float(groups.mean[0]),
        p_pass=chance_at_most(groups, -margin, -greatest, size),
        p_fail=chance_at_most(back, 0.0, -greatest, size),
        interval=Interval(low, 0.0 - high),
        outcome=GateOutcome.INCONCLUSIVE,
        worse=False,
        needed=_needed(groups, greatest, tests),
    )


def _decided(found: Noninferiority, p_fail: float | None, alpha: float) -> Noninferiority:
    """Return what is known with the outcome that follows from the p values."""
    passes = found.p_pass is not None and found.p_pass < alpha
    worse = p_fail is not None and p_fail < alpha
    outcome = GateOutcome.PASS if passes else GateOutcome.FAIL if worse else GateOutcome.INCONCLUSIVE
    needed = found.needed if outcome is GateOutcome.INCONCLUSIVE else None
    return replace(found, p_fail=p_fail, outcome=outcome, worse=worse, needed=needed)


def _needed(groups: Clustered, greatest: float, tests: _Tests) -> int | None:
    """Return how many queries the nearer statement needs, by the normal approximation with the unseen query."""
    n = len(groups.sizes)
    if n < 2:
        return None
    mean, spread = float(groups.mean[0]), standard_error(groups) * n**0.5
    found = [
        _enough(mean + tests.margin, greatest - tests.margin, spread, tests.alpha),
        _enough(-mean, greatest, spread, tests.alpha / tests.count),
    ]
    known = [count for count in found if count is not None]
    return max(n + 1, min(known)) if known else None


def _enough(distance: float, unseen: float, spread: float, alpha: float) -> int | None:
    """Return the least n that shows a true distance from the hypothesis with a chance of 80 %; None beyond 1e9.

    The weighted mean has n queries at that distance, and one at `unseen` on the other side.
    """
    errors = NormalDist().inv_cdf(1 - alpha) + NormalDist().inv_cdf(_POWER)

    def shown(n: int) -> bool:
        return n * distance - unseen >= errors * math.sqrt(n * spread**2 + (unseen + distance) ** 2)

    sizes = range(2, _MOST_QUERIES + 1)
    place = bisect_left(sizes, True, key=shown)
    return sizes[place] if place < len(sizes) else None
