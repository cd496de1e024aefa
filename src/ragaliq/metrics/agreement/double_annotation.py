"""How far several people agree on the items that more than one of them judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragaliq.metrics.agreement.coefficients import alpha_of_raters, kappa_of_raters


@dataclass(frozen=True, slots=True)
class DoubleAnnotation:
    """Agreement of people on the items with at least two ratings.

    Attributes:
        n: number of these items.
        n_raters: how many people rated at least one of them.
        exact: share of them whose ratings are all equal, in 0..1; None for n = 0.
        cohen_kappa: Cohen's κ, unweighted, in −1..1; None unless there are exactly two raters, and where it is not
            defined: both give one and the same rating throughout.
        alpha: Krippendorff's nominal α of any number of raters, 1 for perfect agreement, 0 for chance; None if all
            ratings are the same.
        ordinal_alpha: Krippendorff's ordinal α; None where the ratings have no order, or all are the same.
    """

    n: int
    n_raters: int
    exact: float | None
    cohen_kappa: float | None
    alpha: float | None
    ordinal_alpha: float | None


def double_annotation(units: Sequence[Mapping[str, int]], ordered: bool) -> DoubleAnnotation:
    """Return the agreement on items; each maps raters to their rating, a whole number from 0.

    Items with one rating do not count.
    """
    shared = [unit for unit in units if len(unit) > 1]
    raters = sorted({rater for unit in shared for rater in unit})
    ratings = [list(unit.values()) for unit in shared]
    return DoubleAnnotation(
        n=len(shared),
        n_raters=len(raters),
        exact=sum(len(set(unit)) == 1 for unit in ratings) / len(shared) if shared else None,
        cohen_kappa=kappa_of_raters([(unit[raters[0]], unit[raters[1]]) for unit in shared])
        if len(raters) == 2
        else None,
        alpha=alpha_of_raters(ratings, ordered=False),
        ordinal_alpha=alpha_of_raters(ratings) if ordered else None,
    )
