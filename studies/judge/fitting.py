"""Fit the offline judge's trees, and write them down as whole numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from graded import Graded
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor

from ragaliq.judge.offline.features import features
from ragaliq.judge.offline.forest import VALUE_UNIT, in_units
from ragaliq.judge.offline.text_features import read, read_beside

SEED = 0
# Chosen on predictions for questions left out of the fit, for all five statistics of agreement at once.
CUTS = (1.5, 2.2, 3.4, 4.45)
# An answer with chat residue counts half, its part before the residue one, a synthetic row a tenth.
RESIDUE_WEIGHT, CUT_WEIGHT, SYNTHETIC_WEIGHT = 0.5, 1.0, 0.1
# Share of the boosted trees in the expected grade; the other part is the mean of the randomised trees.
_BOOSTED = 0.5
_read = lru_cache(maxsize=None)(read)
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with their features in thousandths."""

    rows: tuple[Graded, ...]
    names: tuple[str, ...]
    values: NDArray[np.int64]

    def only(self, mask: NDArray[np.bool_]) -> Table:
        """Return the rows that the mask keeps."""
        rows = tuple(row for row, kept in zip(self.rows, mask, strict=True) if kept)
        return Table(rows, self.names, self.values[mask])

    @property
    def grades(self) -> NDArray[np.int64]:
        """The rows' grades."""
        return np.array([row.grade for row in self.rows])


def table(rows: Sequence[Graded]) -> Table:
    """Read all texts and take their features."""
    found = [row_features(row) for row in rows]
    return Table(tuple(rows), tuple(found[0]), np.stack([in_units(list(one.values())) for one in found]))


def row_features(row: Graded) -> dict[str, float]:
    """Return the features of one row, as the judge takes them."""
    reference = _read(row.reference, row.lang)
    answer = read_beside(row.answer, reference, row.lang)
    return features(_read(row.question, row.lang), reference, answer, row.lang)


def fit(train: Table) -> dict[str, Any]:
    """Return the model as it is written to `offline_model.json`.

    Randomised and boosted trees together give the expected grade of answers that are no refusal (`text/refusals.py`),
    the grades 1 to 5 taken as numbers.
    """
    values, grades = train.values.astype(np.float64), train.grades
    tail = train.names.index("tail")
    residue = np.where(values[:, tail] > 0, RESIDUE_WEIGHT, 1.0)
    weights = np.array([row.weight for row in train.rows]) * residue
    # What the rule grades 0 is left out; an answer that a grader took for a refusal and the rule does not counts 1.
    tried = values[:, train.names.index("abstains")] == 0
    grades = np.maximum(grades, 1)
    common = {"random_state": SEED, "n_jobs": 1}
    bagged = ExtraTreesRegressor(120, min_samples_leaf=8, max_features=0.4, **common)
    bagged.fit(values[tried], grades[tried].astype(float), sample_weight=weights[tried])
    boosted = GradientBoostingRegressor(
        n_estimators=250, learning_rate=0.04, max_depth=4, subsample=0.5, max_features=0.2, min_samples_leaf=5,
        random_state=SEED,
    )  # fmt: skip
    boosted.fit(values[tried], grades[tried].astype(float), sample_weight=weights[tried])
    start = float(boosted.init_.constant_[0, 0])
    trees = [(tree.tree_, (1 - _BOOSTED) / len(bagged.estimators_)) for tree in bagged.estimators_]
    trees += [(tree.tree_, _BOOSTED * boosted.learning_rate) for tree in boosted.estimators_[:, 0]]
    return {
        "features": list(train.names),
        "rule": {"cuts": list(CUTS)},
        "grade": written(_BOOSTED * start, trees),
    }


def written(base: float, trees: Sequence[tuple[Any, float]]) -> dict[str, Any]:
    """Return trees, each with the factor of its values, in the lists that `forest` reads."""
    roots: list[int] = []
    feature: list[int] = []
    split: list[int] = []
    right: list[int] = []
    for tree, factor in trees:
        roots.append(len(feature))
        # scikit-learn numbers the nodes depth first too, the left child next to its parent.
        for node in range(tree.node_count):
            leaf = tree.children_left[node] < 0
            feature.append(-1 if leaf else int(tree.feature[node]))
            value = tree.value[node][0][0] * factor * VALUE_UNIT
            split.append(round(value) if leaf else math.floor(tree.threshold[node]))
            right.append(0 if leaf else int(tree.children_right[node]) - node)
    return {"base": round(base * VALUE_UNIT), "roots": roots, "feature": feature, "split": split, "right": right}
