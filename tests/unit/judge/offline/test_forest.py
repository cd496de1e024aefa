from __future__ import annotations

import json
from typing import Any

import numpy as np

from ragaliq.judge.offline.forest import VALUE_UNIT, forest, in_units
from ragaliq.judge.offline.judge import MODEL

# Tree 1: feature 0 up to 0.5 → 0.2, else 0.3. Tree 2: feature 1 up to 1 → (feature 0 up to 0.25 → 1, else 2), else 3.
SMALL = {
    "base": 100_000,
    "roots": [0, 3],
    "feature": [0, -1, -1, 1, 0, -1, -1, -1],
    "split": [500, 20_000, 30_000, 1000, 250, 100_000, 200_000, 300_000],
    "right": [2, 0, 0, 4, 2, 0, 0, 0],
}


def test_trees_add_up() -> None:
    cases: list[tuple[tuple[float, float], float]] = [
        ((0.2, 1.0), 1 + 0.2 + 1),
        ((0.5, 1.0), 1 + 0.2 + 2),
        ((0.501, 0.0), 1 + 0.3 + 2),
        ((0.0, 1.001), 1 + 0.2 + 3),
    ]
    for row, value in cases:
        assert forest(SMALL).value_of(in_units(row)) == value, value


def test_features_enter_in_thousandths() -> None:
    assert in_units([0.1, 1 / 3, -1, 0.0004]).tolist() == [100, 333, -1000, 0]


def walked(data: dict[str, Any], row: list[int]) -> float:
    """One tree after the other, one node after the other."""
    total = data["base"]
    for node in data["roots"]:
        while data["feature"][node] >= 0:
            goes_left = row[data["feature"][node]] <= data["split"][node]
            node += 1 if goes_left else data["right"][node]
        total += data["split"][node]
    return float(total / VALUE_UNIT)


def test_the_shipped_trees_are_walked_as_one_would_by_hand() -> None:
    data = json.loads(MODEL.read_bytes())
    rows = np.random.default_rng(0).integers(-1000, 6000, size=(20, len(data["features"])))
    fast = forest(data["grade"])
    assert [fast.value_of(row) for row in rows] == [walked(data["grade"], row.tolist()) for row in rows]
