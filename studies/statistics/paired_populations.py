"""Populations of paired differences whose mean is known: of the reference's logs, and made to be hard.

A draw is a table of differences, one row per query and one column per language; most have one language.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from graded_logs import Array, logs, tilted
from scipy.optimize import brentq

LANGUAGES = 6
Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class Differences:
    """Several lists of differences, drawn from in turn, each value with its chance."""

    name: str
    lists: tuple[tuple[Array, Array], ...]

    def draw(self, run: int, n: int, generator: Generator) -> tuple[Array, float]:
        """Return n rows and their true mean."""
        values, chances = self.lists[run % len(self.lists)]
        return values[generator.choice(len(values), n, p=chances)][:, None], float(chances @ values)

    def shifted(self, mean: float) -> Differences:
        """Return the same values with other chances, so that every list has this mean: exp(θ d) each."""
        return Differences(self.name, tuple(_shifted(values, chances, mean) for values, chances in self.lists))


@dataclass(frozen=True, slots=True)
class Clustered:
    """Queries in six languages: how their rows are drawn, and the true mean."""

    name: str
    rows: Callable[[int, Generator], Array]
    mean: float

    def draw(self, _run: int, n: int, generator: Generator) -> tuple[Array, float]:
        """Return n rows of six and their true mean."""
        return self.rows(n, generator), self.mean


def single(name: str, *shares: tuple[float, float]) -> Differences:
    """Return a population of (difference, share); the rest ties."""
    values, chances = (np.array(own) for own in zip(*shares, strict=True))
    return Differences(name, ((np.append(values, 0.0), np.append(chances, 1 - chances.sum())),))


def real_pairs() -> Iterator[tuple[Array, Array]]:
    """Return the weights of every two systems of one language."""
    for lang in ("en", "zh"):
        weights = logs(lang)[1]
        for first, second in itertools.combinations(range(weights.shape[1]), 2):
            yield weights[:, first], weights[:, second]


def of_the_logs() -> list[Differences]:
    """Return the pairs as observed, those that mostly tie, tilted and swapped, and near the ceiling."""
    observed, ties, equal, swapped = [], [], [], []
    for first, second in real_pairs():
        deltas = np.round(second - first, 6)
        even = np.full(len(deltas), 1 / len(deltas))
        observed.append((deltas, even))
        if (deltas == 0).mean() >= 0.7:
            ties.append((deltas, even))
        equal.append((deltas, tilted(np.column_stack([first, second])).chances))
        swapped.append((np.concatenate([deltas, -deltas]), np.concatenate([even, even]) / 2))
    return [
        Differences("real pairs", tuple(observed)),
        Differences("real pairs, 70 % ties or more", tuple(ties)),
        Differences("tilted: equal means, unlike shapes", tuple(equal)),
        Differences("swapped within queries", tuple(swapped)),
        near_ceiling("95 % fives", 0.0),
        near_ceiling("95 % fives, half of the queries in common", 0.5),
    ]


def near_ceiling(name: str, common: float) -> Differences:
    """Return two systems with 95 % fives, the rest evenly on the other grades, alike on a share of the queries."""
    weights = np.array([1.0, 0.8, 0.6, 0.4, 0.2, 0.0])
    shares = np.array([0.95, *[0.01] * 5])
    deltas = np.round((weights[:, None] - weights[None]).ravel(), 6)
    chances = (1 - common) * np.outer(shares, shares).ravel()
    chances[0] += common
    return Differences(name, ((deltas, chances),))


def rare() -> list[Differences]:
    """Return systems that differ rarely and greatly."""
    return [
        single("5 % differ by 1", (-1.0, 0.05)),
        single("10 % differ by 1", (-1.0, 0.1)),
        single("3 % differ by 1", (-1.0, 0.03)),
        single("20 % differ by −.2, 2 % by 1", (-0.2, 0.2), (1.0, 0.02)),
        single("25 % differ by −.2, 5 % by 1", (-0.2, 0.25), (1.0, 0.05)),
    ]


def clustered(mean: float | None = None) -> list[Clustered]:
    """Return queries in six languages; all with this mean, or as they are."""
    found = [_of_pairs(share, mean) for share in (0.5, 0.2)]
    size = 0.05 if mean is None else abs(mean)
    sign = -1.0 if mean is None or mean < 0 else 1.0

    def whole(n: int, generator: Generator) -> Array:
        return np.where(np.repeat(generator.random((n, 1)) < size, LANGUAGES, axis=1), sign, 0.0)

    def apart(n: int, generator: Generator) -> Array:
        return np.where(generator.random((n, LANGUAGES)) < size, sign, 0.0)

    def noisy(n: int, generator: Generator) -> Array:
        return np.where(generator.random((n, 1)) < size, sign, _noise(n, generator))

    def prone(n: int, generator: Generator) -> Array:
        differ = (generator.random((n, 1)) < 2 * size) & (generator.random((n, LANGUAGES)) < 0.5)
        return np.where(differ, sign, _noise(n, generator))

    rows = {
        "rare queries, all languages": whole,
        "rare answers": apart,
        "rare queries, all languages, and noise": noisy,
        "rare queries, half of the languages, and noise": prone,
    }
    return [*found, *(Clustered(f"six languages, {name}", draw, sign * size) for name, draw in rows.items())]


def _noise(n: int, generator: Generator) -> Array:
    return generator.choice([0.0, 0.2, -0.2], (n, LANGUAGES), p=[0.8, 0.1, 0.1])


def _of_pairs(share: float, mean: float | None) -> Clustered:
    """Return real differences: a share of the languages has the query's, each other its own."""
    deltas = np.concatenate([np.round(second - first, 6) for first, second in real_pairs()])
    if mean is not None:
        deltas = np.concatenate([deltas, -deltas])
    values, counts = np.unique(deltas, return_counts=True)
    chances: Array = counts / counts.sum()
    if mean:
        values, chances = _shifted(values, chances, mean)

    def rows(n: int, generator: Generator) -> Array:
        query, own = (generator.choice(values, size, p=chances) for size in ((n, 1), (n, LANGUAGES)))
        return np.where(generator.random((n, LANGUAGES)) < share, query, own)

    return Clustered(f"six languages, {share:.0%} alike", rows, float(chances @ values))


def _shifted(values: Array, chances: Array, mean: float) -> tuple[Array, Array]:
    def raised(theta: float) -> Array:
        own = np.exp(theta * values) * chances
        weights: Array = own / own.sum()
        return weights

    return values, raised(brentq(lambda theta: float(raised(theta) @ values) - mean, -80, 80))
