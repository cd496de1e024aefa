"""Values that belong together: one question in several languages, questions on one document, fills of one template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# A variance of the mean below this is rounding.
_NONE = 1e-18
# Sums within a cluster are rounded to this many digits, so that the order of adding up does not show.
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Clustered:
    """Per cluster the sum of its values (one column per system) and their number, in the order of the clusters' names.

    The mean is the sum of all values by their number, so that each query counts the same whatever its cluster.
    """

    sums: Array
    sizes: Array

    @property
    def mean(self) -> Array:
        """The mean of each column over all values; not defined without any."""
        mean: Array = self.sums.sum(axis=0) / self.sizes.sum()
        return mean

    @property
    def mirrored(self) -> Clustered:
        """The same clusters with values of the other sign."""
        return Clustered(0.0 - self.sums, self.sizes)


def clustered(values: Array, clusters: Sequence[str] | None) -> Clustered:
    """Add up the rows of `values` (n values, or n × k) that have the same cluster; None: each row is its own.

    Raises:
        ValueError: if there is not one cluster per row, or a value is no finite number.
    """
    rows = values[:, None] if values.ndim == 1 else values
    if not np.isfinite(rows).all():
        raise ValueError("values must be finite numbers")
    if clusters is None:
        return Clustered(rows, np.ones(len(rows)))
    if len(clusters) != len(rows):
        raise ValueError(f"{len(clusters)} clusters for {len(rows)} queries: one for each is needed")
    names, belongs = np.unique(np.array(clusters, dtype=object), return_inverse=True)
    sums = np.zeros((len(names), rows.shape[1]))
    np.add.at(sums, belongs, rows)
    return Clustered(np.round(sums, _DIGITS), np.bincount(belongs).astype(np.float64))


def standard_error(groups: Clustered) -> float:
    """Return the standard error of the first column's mean: that of a ratio of sums over clusters.

    With clusters of one value it is the standard deviation by √n. Not defined for fewer than two clusters.
    """
    count = len(groups.sizes)
    rest = groups.sums[:, 0] - groups.mean[0] * groups.sizes
    return float((count / (count - 1) * (rest @ rest)) ** 0.5 / groups.sizes.sum())


def design_effect(values: Array, groups: Clustered) -> float:
    """Return by how much clusters raise the variance of the mean of `values`: from 1 to their average size.

    Where the values have no spread, or there is one cluster, nothing tells: it is their average size.
    """
    n, average = len(values), float(groups.sizes.mean())
    mean = float(groups.mean[0])
    alone = float(((values - mean) ** 2).sum()) / max(1, n - 1) / n
    if len(groups.sizes) < 2 or alone <= _NONE:
        return average
    return min(average, max(1.0, standard_error(groups) ** 2 / alone))
