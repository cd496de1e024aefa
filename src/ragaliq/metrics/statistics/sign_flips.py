"""How likely a sum is to be as far from 0 as the one observed, if each of its parts could have either sign."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A difference of less than a billionth is rounding: the same parts may have been added up in another order.
ROUNDING = 1e-9
# With so many parts all 2^(n − 1) assignments of signs are still fewer bytes than a few hundred draws.
_EXACT_UP_TO = 20
# Parts that are whole multiples of a step have few sums: the step is the least part divided by up to this number.
_DIVISORS = 12
_STEPS = 20_000
# Draws are made some at a time, so that memory does not grow with the parts; another number makes other draws.
_CELLS = 500_000


def sign_flip_tail(parts: Array, seed: int, draws: int) -> float:
    """Return the mid-p value of the absolute sum of `parts`, none of which is 0: counted, or else drawn.

    It is the chance of a sum further from 0 than the one observed, and half that of one as far. The assignment observed
    counts as one of those drawn.
    """
    counted = exact_tail(parts)
    if counted is not None:
        return counted
    # Only the sizes matter to the sums that are possible; sorted, they are blind to order and direction.
    sizes = np.sort(np.abs(parts))
    further, as_far = _beyond(_drawn_sums(sizes, seed, draws), parts, sizes)
    return (further + (as_far + 1) / 2) / (draws + 1)


def sign_flip_tails(deltas: Array, seed: int, draws: int) -> Array:
    """Return the mid-p value of each column's absolute sum, all columns under the same drawn signs; 1 for one of zeros.

    Each is drawn as `sign_flip_tail` draws it. Sharing the signs makes the values depend on each other, which the
    corrections for many tests allow, and hundreds of tests take the time of a few.
    """
    n, columns = deltas.shape
    observed, slack = np.abs(deltas.sum(axis=0)), ROUNDING * np.abs(deltas).sum(axis=0)
    further, as_far = np.zeros(columns), np.zeros(columns)
    generator = np.random.default_rng(seed)
    rows = max(1, 4 * _CELLS // max(n, columns, 1))
    for start in range(0, draws, rows):
        positive = drawn_signs(generator, min(rows, draws - start), n)
        sums = np.abs(2 * (positive @ deltas) - deltas.sum(axis=0))
        beyond = (sums > observed + slack).sum(axis=0)
        further += beyond
        as_far += (sums >= observed - slack).sum(axis=0) - beyond
    tails: Array = np.where(deltas.any(axis=0), (further + (as_far + 1) / 2) / (draws + 1), 1.0)
    return tails


def exact_tail(parts: Array) -> float | None:
    """Return the mid-p value over all assignments of signs; None where they are too many to count.

    Grades' weights differ by multiples of .2, and the sums of such parts are few, whatever their number; else up to 20
    parts are counted.
    """
    sizes = np.sort(np.abs(parts))
    multiples = _multiples(sizes)
    if multiples is not None:
        return _lattice_tail(multiples, round(abs(float(parts.sum())) / float(sizes[0]) * float(multiples[0])))
    if len(sizes) > _EXACT_UP_TO:
        return None
    sums = _all_sums(sizes)
    further, as_far = _beyond(sums, parts, sizes)
    return (further + as_far / 2) / len(sums)


def _beyond(sums: Array, parts: Array, sizes: Array) -> tuple[int, int]:
    """Return how many sums are further from 0 than that of the parts, and how many as far."""
    observed, rounding = abs(float(parts.sum())), ROUNDING * float(sizes.sum())
    further = int((sums > observed + rounding).sum())
    return further, int((sums >= observed - rounding).sum()) - further


def _multiples(sizes: Array) -> NDArray[np.int64] | None:
    """Return the sizes as multiples of one step; None if there is none, or its sums would be too many."""
    # Beyond this they are too many, and the least may be too small to divide by.
    if sizes[-1] > sizes[0] * _STEPS:
        return None
    for divisor in range(1, _DIVISORS + 1):
        quotients = sizes / sizes[0] * divisor
        if quotients.sum() > _STEPS:
            return None
        whole = np.rint(quotients)
        if (np.abs(quotients - whole) <= ROUNDING * whole).all():
            multiples: NDArray[np.int64] = whole.astype(np.int64)
            return multiples
    return None


def _lattice_tail(multiples: NDArray[np.int64], observed: int) -> float:
    """Return the mid-p value by adding up one size after the other, each a binomial number of times positive."""
    from scipy.special import bdtr

    chances = np.ones(1)
    for size, count in zip(*np.unique(multiples, return_counts=True), strict=True):
        cumulated = bdtr(np.arange(count + 1.0), int(count), 0.5)
        spaced = np.zeros(count * size + 1)
        spaced[:: int(size)] = np.diff(cumulated, prepend=0.0)
        chances = np.convolve(chances, spaced)
    # The sum is twice the positive part less all: place i stands for 2 i − total.
    total = int(multiples.sum())
    sums = np.abs(2 * np.arange(total + 1) - total)
    return float(chances[sums > observed].sum() + chances[sums == observed].sum() / 2)


def _all_sums(sizes: Array) -> Array:
    """Return the absolute sums under all assignments of signs; the first sign is fixed, as absolutes come in pairs."""
    sums = sizes[:1]
    for size in sizes[1:]:
        sums = np.concatenate([sums + size, sums - size])
    absolute: Array = np.abs(sums)
    return absolute


def _drawn_sums(sizes: Array, seed: int, draws: int) -> Array:
    generator = np.random.default_rng(seed)
    rows = max(1, _CELLS // (8 * -(-len(sizes) // 8)))
    sums = []
    for start in range(0, draws, rows):
        positive = drawn_signs(generator, min(rows, draws - start), len(sizes))
        sums.append(np.abs(2 * (positive @ sizes) - sizes.sum()))
    return np.concatenate(sums)


def drawn_signs(generator: np.random.Generator, count: int, width: int) -> Array:
    """Return rows of `width` signs drawn at random, 1 for plus and 0 for minus."""
    octets = generator.integers(0, 256, size=(count, -(-width // 8)), dtype=np.uint8)
    signs: Array = np.unpackbits(octets, axis=1, count=width).astype(np.float64)
    return signs
