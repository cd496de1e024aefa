"""How many pairs of configurations a set of questions separates, beside as many questions of people."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.sign_flips import sign_flip_tails

ALPHA = 0.05
# With some hundred pairs Holm's correction needs p values below 1 in 10,000.
SIGN_DRAWS = 20_000
# Number of random draws of the smaller set's size from the greater one.
SUBSETS = 5

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Discrimination:
    """Discriminative power at equal n.

    Attributes:
        measure: what is compared.
        n: questions a side.
        pairs: of configurations.
        built, human: share of the pairs that the paired sign-flip test separates at `ALPHA`, corrected by Holm; for the
            greater set the mean over `SUBSETS` random draws.
        disagreements: pairs that both sides separate, but in opposite directions, in the first draw.
    """

    measure: str
    n: int
    pairs: int
    built: float | None
    human: float | None
    disagreements: int


def discriminative_power(measure: str, built: Array, human: Array, seed: int = 0) -> Discrimination:
    """Return the figures of two sides; a row for each configuration, a column for each question."""
    n = min(built.shape[1], human.shape[1])
    pairs = list(combinations(range(len(built)), 2))
    if not n or not pairs:
        return Discrimination(measure, n, len(pairs), None, None, 0)
    ours, theirs = (_told_apart(side, n, pairs, seed) for side in (built, human))
    opposite = int((ours[0] * theirs[0] < 0).sum())
    shares = [fmean(float((draw != 0).mean()) for draw in draws) for draws in (ours, theirs)]
    return Discrimination(measure, n, len(pairs), shares[0], shares[1], opposite)


def _told_apart(values: Array, n: int, pairs: list[tuple[int, int]], seed: int) -> list[NDArray[np.int64]]:
    """Return for each draw of n questions which member of each pair is better: 1 the first, −1 the second, 0 open."""
    first, second = (list(side) for side in zip(*pairs, strict=True))
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(SUBSETS if values.shape[1] > n else 1):
        drawn = values[:, np.sort(generator.permutation(values.shape[1])[:n])]
        deltas = (drawn[first] - drawn[second]).T
        corrected = holm(sign_flip_tails(deltas, seed, SIGN_DRAWS).tolist())
        apart = np.array([p is not None and p < ALPHA for p in corrected])
        found.append(np.where(apart, np.sign(deltas.sum(axis=0)), 0.0).astype(np.int64))
    return found
