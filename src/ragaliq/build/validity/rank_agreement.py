"""Do built questions rank retrieval configurations as questions of people do, and how well could they?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from ragaliq.build.validity.estimate import Estimate, with_draws
from ragaliq.metrics.agreement.rank_correlation import kendall_tau, tau_ap

RESAMPLES = 1000
SPLITS = 200
_SPLITS_OF_A_RESAMPLE = 4
# A built set is as good as people's if it stays this close to what two halves of theirs reach.
MARGIN = 0.05
# Means that differ by less are the same: the same values may have been added up in another order.
_DIGITS = 9

Array = NDArray[np.float64]
_Coefficient = Callable[[Sequence[float], Sequence[float]], float | None]


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """How alike two sets of questions rank configurations, by one coefficient and one measure.

    Attributes:
        measure: what the configurations are ranked by, its mean over questions.
        coefficient: `tau`, Kendall's τ_b; or `tau_ap`, τ_AP with people's questions as the reference.
        value: of all built questions with all of people's. The interval resamples both; a resample is noisier than
            its sample, so the interval leans to lower values.
        half: questions a side for the figures below.
        ceiling: of two halves of people's questions with each other, mean over random halves and the middle 95 % of
            them: what questions of the same kind reach at this size. For τ_AP each half is the reference once.
        built: of as many built questions, drawn at random, with each of these halves, in the same way.
        distance: ceiling less built. Its interval resamples the questions of both sides, splitting each resample anew.
        verdict: `within` if the distance is surely at most `MARGIN`, `beyond` if surely more, else `undecided`.
    """

    measure: str
    coefficient: str
    value: Estimate | None
    half: int
    ceiling: Estimate | None
    built: Estimate | None
    distance: Estimate | None
    verdict: str


def rank_agreement(measure: str, built: Array, human: Array, seed: int = 0) -> list[RankAgreement]:
    """Return the agreement by τ_b and by τ_AP.

    Args:
        measure: names the values.
        built: a row for each configuration, a column for each built question.
        human: the same of people's questions, the rows in the same order.
        seed: of resamples and halves.
    """
    coefficients: dict[str, _Coefficient] = {"tau": kendall_tau, "tau_ap": tau_ap}
    return [_agreement(measure, name, of, built, human, seed) for name, of in coefficients.items()]


def _agreement(
    measure: str, name: str, coefficient: _Coefficient, built: Array, human: Array, seed: int
) -> RankAgreement:
    whole = coefficient(_means(built), _means(human))
    generator = np.random.default_rng(seed)
    drawn = [
        coefficient(_resampled(built, generator), _resampled(human, generator)) for _ in range(RESAMPLES)
    ] if min(built.shape[1], human.shape[1]) > 1 else []  # fmt: skip
    half = min(human.shape[1] // 2, built.shape[1])
    plain = _splits(coefficient, built, human, half, seed) if half > 1 else []
    ceiling = fmean(one for one, _ in plain) if plain else None
    reached = fmean(two for _, two in plain) if plain else None
    apart = ceiling - reached if ceiling is not None and reached is not None else None
    distance = with_draws(apart, _resampled_distances(coefficient, built, human, half, seed) if plain else [])
    return RankAgreement(
        measure,
        name,
        with_draws(whole, drawn),
        half,
        with_draws(ceiling, [one for one, _ in plain]),
        with_draws(reached, [two for _, two in plain]),
        distance,
        _verdict(distance),
    )


def _splits(coefficient: _Coefficient, built: Array, human: Array, half: int, seed: int) -> list[tuple[float, float]]:
    """Return ceiling and agreement of the built side for random splits, only those that have both."""
    generator = np.random.default_rng([seed, 1])
    weights = np.ones(built.shape[1]), np.ones(human.shape[1])
    pairs = (_split(coefficient, (built, human), weights, half, generator) for _ in range(SPLITS))
    return [(one, two) for one, two in pairs if one is not None and two is not None]


def _resampled_distances(
    coefficient: _Coefficient, built: Array, human: Array, half: int, seed: int
) -> list[float | None]:
    """Return the distance for resamples of both sides, each the mean of a few splits.

    A question that is twice in a resample stays on one side of every split: in both halves it would raise the ceiling.
    """
    generator = np.random.default_rng([seed, 2])
    found = []
    for _ in range(SPLITS):
        weights = _counts(built.shape[1], generator), _counts(human.shape[1], generator)
        pairs = [_split(coefficient, (built, human), weights, half, generator) for _ in range(_SPLITS_OF_A_RESAMPLE)]
        found.append(_mean([one - two if one is not None and two is not None else None for one, two in pairs]))
    return found


def _split(
    coefficient: _Coefficient,
    sides: tuple[Array, Array],
    weights: tuple[Array, Array],
    half: int,
    generator: np.random.Generator,
) -> tuple[float | None, float | None]:
    """Return ceiling and agreement of the built side for one random split of people's questions."""
    built, human = sides
    picked, order = generator.permutation(built.shape[1])[:half], generator.permutation(human.shape[1])
    one, two = order[:half], order[half : 2 * half]
    ours, theirs = weights
    return _pair(coefficient, _means(built, ours, picked), _means(human, theirs, one), _means(human, theirs, two))


def _pair(
    coefficient: _Coefficient, built: list[float], one: list[float], two: list[float]
) -> tuple[float | None, float | None]:
    """Return the coefficient of two halves with each other, and of the built side with each; means over the two."""
    ceiling = _mean([coefficient(one, two), coefficient(two, one)])
    return ceiling, _mean([coefficient(built, one), coefficient(built, two)])


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fmean(defined) if len(defined) == len(values) else None


def _means(values: Array, weights: Array | None = None, places: NDArray[np.int64] | None = None) -> list[float]:
    if weights is None or places is None:
        means = values.mean(axis=1)
    else:
        means = values[:, places] @ weights[places] / max(float(weights[places].sum()), 1.0)
    rounded: list[float] = np.round(means, _DIGITS).tolist()
    return rounded


def _counts(n: int, generator: np.random.Generator) -> Array:
    """Return how often each of n questions is in a resample."""
    return np.bincount(generator.integers(0, n, n), minlength=n).astype(np.float64)


def _resampled(values: Array, generator: np.random.Generator) -> list[float]:
    n = values.shape[1]
    return _means(values, _counts(n, generator), np.arange(n))


def _verdict(distance: Estimate | None) -> str:
    if distance is None or distance.low is None or distance.high is None:
        return "undecided"
    return "within" if distance.high <= MARGIN else "beyond" if distance.low > MARGIN else "undecided"
