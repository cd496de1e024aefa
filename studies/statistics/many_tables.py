"""`max_t` done to many tables at once, in one step and stepping down, with the same flips for all of a batch.

Fewer flips than the package's 20,000 leave a test that counts the observed assignment among those drawn at its level,
and cost a little power.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from graded_logs import Array
from numpy.typing import NDArray

from ragaliq.metrics.statistics.ranks.max_t import UNSEEN, max_t
from ragaliq.metrics.statistics.sign_flips import ROUNDING

FLIPS, BATCH, LEVEL = 499, 100, 0.05


class Tested(NamedTuple):
    """p values of each table and pair, in one step and stepping down, and each table's critical value of one step."""

    one_step: Array
    stepped: Array
    critical: Array


def pairs_of(tables: Sequence[Sequence[int]]) -> tuple[list[int], list[int], list[int]]:
    """Return the columns of each pair within a table, and the number of its table."""
    found = [
        (a, b, number) for number, own in enumerate(tables) for place, a in enumerate(own) for b in own[place + 1 :]
    ]
    first, second, table = zip(*found, strict=True)
    return list(first), list(second), list(table)


def floors(apart: Array) -> Array:
    """Return what is added to the squares of each pair, by the greatest difference of any pair; tables × 1."""
    found: Array = UNSEEN * (apart**2).max(axis=(1, 2))[:, None]
    return found


def statistics(apart: Array, floor: Array) -> Array:
    """Return the statistic of each pair; `apart` is tables × queries × pairs."""
    spread = np.sqrt((apart**2).sum(axis=1) + np.maximum(floor, 1e-12))
    found: Array = np.abs(apart.sum(axis=1)) / spread
    return np.where(found > ROUNDING, found, 0.0)


def tested(apart: Array, generator: np.random.Generator, floor: Array | None = None) -> Tested:
    """Test all pairs of each table of a batch together; `floor` is another than that of the package."""
    signs = np.where(generator.random((FLIPS, apart.shape[1])) < 0.5, -1.0, 1.0)
    floor = floors(apart) if floor is None else floor
    observed, spread = statistics(apart, floor), np.sqrt((apart**2).sum(axis=1) + np.maximum(floor, 1e-12))
    order = np.argsort(observed, axis=1)
    drawn = np.abs(np.matmul(signs, apart)) / spread[:, None, :]
    drawn = np.maximum.accumulate(np.take_along_axis(drawn, order[:, None, :], axis=2), axis=2)
    greatest, ascending = drawn[:, :, -1:], np.take_along_axis(observed, order, axis=1)
    one_step, stepped = (_mid_p(own, ascending) for own in (greatest, drawn))
    stepped = np.maximum.accumulate(stepped[:, ::-1], axis=1)[:, ::-1]
    back = np.argsort(order, axis=1)
    one_step, stepped = (
        np.where(observed > 0, np.take_along_axis(own, back, axis=1), 1.0) for own in (one_step, stepped)
    )
    # Of 499 flips and the one observed, 25 are as far as the 25th from above.
    return Tested(one_step, stepped, np.sort(greatest[:, :, 0], axis=1)[:, -25])


def _mid_p(drawn: Array, observed: Array) -> Array:
    further = (drawn > observed[:, None, :] * (1 + ROUNDING)).sum(axis=1)
    as_far = (drawn >= observed[:, None, :] * (1 - ROUNDING)).sum(axis=1) - further
    found: Array = (further + (as_far + 1) / 2) / (FLIPS + 1)
    return found


def check(tables: Array, columns: Sequence[Sequence[int]], generator: np.random.Generator) -> float:
    """Return the greatest distance between stepped p values here and those of `max_t` with 20,000 flips."""
    first, second, _ = pairs_of(columns)
    here = tested(tables[:, :, second] - tables[:, :, first], generator).stepped
    there = [max_t([drawn[:, list(own)] for own in columns], 0, 20_000).stepped for drawn in tables]
    return float(np.abs(here - np.array(there)).max())


def share(batches: Sequence[NDArray[np.generic]]) -> dict[str, float]:
    """Return the mean of outcomes with its standard error, taken from batches: the tables of one share their flips."""
    means = np.array([np.asarray(own, dtype=np.float64).mean() for own in batches])
    return {"share": round(float(means.mean()), 4), "se": round(float(means.std(ddof=1) / len(means) ** 0.5), 4)}
