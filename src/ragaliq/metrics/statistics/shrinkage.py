"""Means of systems in languages, less what sampling alone makes a system's strength differ between languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ShrunkenCell:
    """One system in one language: its mean, the shrunken estimate of it, and the standard error of each."""

    mean: float
    error: float
    shrunken: float
    shrunken_error: float


@dataclass(frozen=True, slots=True)
class ShrunkenCells:
    """Cells by language and system.

    Attributes:
        cells: a row for each language, in it a cell for each system.
        kept: share of the interactions that is kept, in 0..1: their signal's share of their variance.
        variance: of the interactions as observed, by degree of freedom; None for one language or one system.
        noise: the part of `variance` that sampling queries explains; None likewise.
        n: number of values.
        n_queries: of different queries (clusters).
    """

    cells: tuple[tuple[ShrunkenCell, ...], ...]
    kept: float
    variance: float | None
    noise: float | None
    n: int
    n_queries: int


def shrunken_cells(
    values: Sequence[Array], clusters: Sequence[Sequence[str] | None] | None = None
) -> ShrunkenCells | None:
    """Shrink the interactions of systems and languages towards 0 by their share of noise.

    `values` has for each language a table, one query per row and one system per column, the same systems in each.
    `clusters` names the query of each row, the same in every language; None: all rows are their own.

    A value is system + language + interaction + query. The interaction of a cell is its mean less the means of its
    system and its language, plus the mean of all cells (each cell counts the same). Its variance is split by the method
    of moments: observed sum of squares = signal + noise, with the noise estimated without bias from how clusters pull
    on the interactions, so that systems on the same queries and languages of one query may be correlated. The share
    kept is signal / (signal + noise), cut to 0..1: 0 for one language, for one system, and where sampling explains all.
    This is empirical Bayes for interactions with equal variances (Efron and Morris 1975, JASA 70; Searle, Casella and
    McCulloch 1992, Variance Components, chapter 7).

    Standard errors are over clusters; that of a shrunken cell is the root of its expected squared error for the share
    kept, whose own uncertainty it leaves out. None for a language with fewer than two clusters.

    Raises:
        ValueError: if the tables differ in their systems, hold what is no finite number, or lack a cluster for a row.
    """
    tables = [np.asarray(table, dtype=np.float64) for table in values]
    names = _names(tables, clusters)
    if not tables or any(len(set(own)) < 2 for own in names):
        return None
    means = np.array([table.mean(axis=0) for table in tables])
    pulls = _pulls(tables, names, means)
    apart, interactions = _interactions(pulls), _interactions(means[None])[0]
    freedom = (means.shape[0] - 1) * (means.shape[1] - 1)
    observed, noise = float((interactions**2).sum()), float((apart**2).sum())
    # What is less is rounding: no interaction at all.
    kept = max(0.0, 1 - noise / observed) if observed > 1e-20 else 0.0
    shrunken = means - (1 - kept) * interactions
    errors = np.sqrt((pulls**2).sum(axis=0))
    rest = pulls - apart
    squares = (rest**2 + kept * apart**2 + 2 * kept * rest * apart).sum(axis=0)
    figures = np.stack([means, errors, shrunken, np.sqrt(np.maximum(squares, 0.0))], axis=-1)
    return ShrunkenCells(
        tuple(tuple(ShrunkenCell(*map(float, cell)) for cell in row) for row in figures),
        kept,
        observed / freedom if freedom else None,
        noise / freedom if freedom else None,
        sum(table.size for table in tables),
        len(pulls),
    )


def _names(tables: Sequence[Array], clusters: Sequence[Sequence[str] | None] | None) -> list[list[str]]:
    """Return the cluster of each row of each table."""
    given = clusters if clusters is not None else [None] * len(tables)
    if len({table.shape[1:] for table in tables}) > 1 or any(table.ndim != 2 for table in tables):
        raise ValueError("values are a table for each language, queries × systems, of the same systems")
    if not all(np.isfinite(table).all() for table in tables):
        raise ValueError("values must be finite numbers")
    names = []
    for place, (table, own) in enumerate(zip(tables, given, strict=True)):
        names.append([f"{place} {row}" for row in range(len(table))] if own is None else list(own))
        if len(names[-1]) != len(table):
            raise ValueError(f"{len(names[-1])} clusters for {len(table)} queries: one for each is needed")
    return names


def _pulls(tables: Sequence[Array], names: Sequence[Sequence[str]], means: Array) -> Array:
    """Return what each cluster adds to the error of each mean: clusters × languages × systems.

    Each language's are widened by √(C / (C − 1)) for its C clusters, so that their squares add up to its variance.
    """
    index = {name: place for place, name in enumerate(sorted({name for own in names for name in own}))}
    pulls = np.zeros((len(index), *means.shape))
    for place, (table, own) in enumerate(zip(tables, names, strict=True)):
        count = len(set(own))
        widened = (count / (count - 1)) ** 0.5 / len(table)
        np.add.at(pulls[:, place], [index[name] for name in own], (table - means[place]) * widened)
    return pulls


def _interactions(tables: Array) -> Array:
    """Return what is left of each table, languages × systems, without its rows' and columns' means."""
    rows, columns = tables.mean(axis=2, keepdims=True), tables.mean(axis=1, keepdims=True)
    left: Array = tables - rows - columns + tables.mean(axis=(1, 2), keepdims=True)
    return left
