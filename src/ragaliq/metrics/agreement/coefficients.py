"""How far two graders agree on the same answers.

Every figure here follows from the 6 × 6 table of how often one said i where the other said j. The tables are taken
many at a time, so that intervals cost little (`ragaliq.metrics.agreement.intervals`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.agreement.rank_correlation import centred_ranks
from ragaliq.metrics.weights import WEIGHTS

Array = NDArray[np.float64]
N_GRADES = 6
_GRADE = np.arange(N_GRADES, dtype=np.float64)
# In fifths, so that all sums are of whole numbers and a denominator of 0 is exactly 0.
_WORTH = np.array([round(5 * WEIGHTS[grade]) for grade in range(N_GRADES)], dtype=np.float64)
_APART = _GRADE[:, None] - _GRADE[None, :]
_WORTH_APART = _WORTH[:, None] - _WORTH[None, :]
_DIFFER = (_APART != 0).astype(np.float64)


@dataclass(frozen=True, slots=True)
class RefusalAgreement:
    """How well grade 0, an abstention, is found; the labels are the truth.

    Attributes:
        precision: share of label 0 among the items that the verdicts grade 0; None if there is no such item.
        recall: share of verdict 0 among the items labelled 0; None if there is no such item.
        f1: 2·tp / (2·tp + fp + fn); None if neither side has a 0.
    """

    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of verdicts with labels; a value that is not defined is None.

    Attributes:
        n: number of items that both sides grade.
        qwk: Cohen's κ with quadratic weights (Cohen 1968) over the grades 0..5 as numbers, in −1..1. It takes 0 for
            the worst grade and lives mostly from the coarse split: a judge that only tells {0, ≤ 2, ≥ 3} apart gets
            about .85.
        qwk_attempted: the same over the items that neither side grades 0.
        weight_kappa: κ with disagreements (wᵢ − wⱼ)² between the weights of the grades: agreement in what counts.
        refusal: finding grade 0.
        krippendorff_alpha: Krippendorff's α for two coders, ordinal level (Krippendorff 2004, ch. 11).
        cohen_kappa: Cohen's κ, unweighted.
        gwet_ac2: Gwet's AC2 with quadratic weights over all six grades (Gwet 2014), which does not fall when nearly
            all items have the same grade.
        spearman: Spearman's ρ, ties at their mean rank.
        auc_5_vs_34: chance that an item labelled 5 has a higher verdict than one labelled 3 or 4, ties half.
        exact: share of items with the same grade.
        mae: mean absolute difference of the grades.
        bias: mean of verdict − label: above 0 where the judge is the kinder one.
        bias_weight: mean of w(verdict) − w(label): what the judge adds to a mean weight w̄.
        confusion: `confusion[verdict][label]`, counts.

    κ, α and ρ are None where one side, or the two together, never differ as the measure needs; all are None for n = 0.
    """

    n: int
    qwk: float | None
    qwk_attempted: float | None
    weight_kappa: float | None
    refusal: RefusalAgreement
    krippendorff_alpha: float | None
    cohen_kappa: float | None
    gwet_ac2: float | None
    spearman: float | None
    auc_5_vs_34: float | None
    exact: float | None
    mae: float | None
    bias: float | None
    bias_weight: float | None
    confusion: tuple[tuple[int, ...], ...]


def agreement(verdicts: Sequence[int], labels: Sequence[int]) -> Agreement:
    """Compare the grades that two graders gave the same items, in the same order.

    Raises:
        ValueError: if the two are not of the same length, or a grade is off the scale 0..5.
    """
    table = confusion(verdicts, labels)
    values = {name: _or_none(value) for name, value in measures(table.astype(np.float64)).items()}
    refusal = RefusalAgreement(*(values.pop(f"refusal_{part}") for part in ("precision", "recall", "f1")))
    counts = tuple(tuple(int(count) for count in row) for row in table)
    return Agreement(n=int(table.sum()), refusal=refusal, confusion=counts, **values)


def confusion(verdicts: Sequence[int], labels: Sequence[int]) -> NDArray[np.int64]:
    """Count the items by verdict (row) and label (column).

    Raises:
        ValueError: as `agreement`.
    """
    if len(verdicts) != len(labels):
        raise ValueError(f"{len(verdicts)} verdicts and {len(labels)} labels are not of the same items")
    for grade in (*verdicts, *labels):
        if grade not in WEIGHTS:
            raise ValueError(f"a grade is one of 0..5, not {grade!r}")
    table = np.zeros((N_GRADES, N_GRADES), dtype=np.int64)
    np.add.at(table, (np.asarray(verdicts, dtype=np.int64), np.asarray(labels, dtype=np.int64)), 1)
    return table


def measures(tables: Array) -> dict[str, Array]:
    """Return all measures of tables of shape (…, 6, 6); NaN stands for undefined and leaves this package as None."""
    n = tables.sum(axis=(-2, -1))
    judged, true = tables.sum(axis=-1), tables.sum(axis=-2)
    hits = tables[..., 0, 0]
    attempted = np.zeros_like(tables)
    attempted[..., 1:, 1:] = tables[..., 1:, 1:]
    return {
        "qwk": _kappa(tables, _APART**2),
        "qwk_attempted": _kappa(attempted, _APART**2),
        "weight_kappa": _kappa(tables, _WORTH_APART**2),
        "refusal_precision": _divide(hits, judged[..., 0]),
        "refusal_recall": _divide(hits, true[..., 0]),
        "refusal_f1": _divide(2 * hits, judged[..., 0] + true[..., 0]),
        "krippendorff_alpha": _alpha(tables + np.swapaxes(tables, -2, -1)),
        "cohen_kappa": _kappa(tables, _DIFFER),
        "gwet_ac2": _ac2(tables),
        "spearman": _spearman(tables),
        "auc_5_vs_34": _auc(tables[..., 5], tables[..., 3] + tables[..., 4]),
        "exact": _divide(np.trace(tables, axis1=-2, axis2=-1), n),
        "mae": _divide((tables * np.abs(_APART)).sum(axis=(-2, -1)), n),
        "bias": _divide((tables * _APART).sum(axis=(-2, -1)), n),
        "bias_weight": _divide((tables * _WORTH_APART).sum(axis=(-2, -1)), 5 * n),
    }


def alpha_of_raters(units: Sequence[Sequence[int]], ordered: bool = True) -> float | None:
    """Return Krippendorff's α over items with any number of ratings each: whole numbers from 0.

    Ordinal, or nominal where the ratings are not ordered. Items with fewer than two ratings do not count. None if no
    item has two, or if all ratings are the same.
    """
    size = max([N_GRADES, *(1 + max(unit) for unit in units if unit)])
    coincidences = np.zeros((size, size))
    for unit in units:
        counts = np.bincount(np.asarray(unit, dtype=np.int64), minlength=size).astype(np.float64)
        if len(unit) > 1:
            coincidences += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    if np.count_nonzero(coincidences.sum(axis=1)) < 2:
        return None
    return _or_none(_alpha(coincidences) if ordered else _alpha_of(coincidences, 1 - np.eye(size)))


def kappa_of_raters(pairs: Sequence[tuple[int, int]]) -> float | None:
    """Return Cohen's κ, unweighted, of two raters: whole numbers from 0, one pair an item.

    In −1..1; None if there is no item, or if both raters give the same one rating throughout.
    """
    size = 1 + max([N_GRADES, *(max(pair) for pair in pairs)])
    table = np.zeros((size, size))
    for pair in pairs:
        table[pair] += 1
    return _or_none(_kappa(table, 1 - np.eye(size)))


def _kappa(tables: Array, disagreement: Array) -> Array:
    """Return 1 − observed / expected disagreement; expected from the product of both sides' shares."""
    n = tables.sum(axis=(-2, -1))
    expected = (tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :] * disagreement).sum(axis=(-2, -1))
    return 1 - _divide(n * (tables * disagreement).sum(axis=(-2, -1)), expected)


def _alpha(coincidences: Array) -> Array:
    counts: Array = coincidences.sum(axis=-1)
    # The ordinal difference of two grades: the ratings between them, and half of those at either end.
    place = np.cumsum(counts, axis=-1) - counts / 2
    return _alpha_of(coincidences, (place[..., :, None] - place[..., None, :]) ** 2)


def _alpha_of(coincidences: Array, apart: Array) -> Array:
    counts: Array = coincidences.sum(axis=-1)
    expected = (counts[..., :, None] * counts[..., None, :] * apart).sum(axis=(-2, -1))
    observed: Array = (coincidences * apart).sum(axis=(-2, -1))
    alpha: Array = 1 - _divide((counts.sum(axis=-1) - 1) * observed, expected)
    return alpha


def _ac2(tables: Array) -> Array:
    weights = 1 - _APART**2 / (N_GRADES - 1) ** 2
    n = tables.sum(axis=(-2, -1))
    observed = _divide((tables * weights).sum(axis=(-2, -1)), n)
    shares = _divide(tables.sum(axis=-1) + tables.sum(axis=-2), 2 * n[..., None])
    chance = weights.sum() * (shares * (1 - shares)).sum(axis=-1) / (N_GRADES * (N_GRADES - 1))
    ac2: Array = (observed - chance) / (1 - chance)
    return ac2


def _spearman(tables: Array) -> Array:
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    row, column = centred_ranks(rows), centred_ranks(columns)
    product = (tables * row[..., :, None] * column[..., None, :]).sum(axis=(-2, -1))
    return _divide(product, np.sqrt((rows * row**2).sum(axis=-1) * (columns * column**2).sum(axis=-1)))


def _auc(positive: Array, negative: Array) -> Array:
    below = np.cumsum(negative, axis=-1) - negative
    wins = (positive * (below + negative / 2)).sum(axis=-1)
    return _divide(wins, positive.sum(axis=-1) * negative.sum(axis=-1))


def _divide(above: Array, below: Array) -> Array:
    quotient: Array = np.full(np.broadcast_shapes(np.shape(above), np.shape(below)), np.nan)
    np.divide(above, below, out=quotient, where=below != 0)
    return quotient


def _or_none(value: Array) -> float | None:
    return None if np.isnan(value) else float(value)
