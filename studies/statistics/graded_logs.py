"""The reference's graded answers, and populations of questions made of them of which the truth is known.

A population is a table of weights (questions × systems) with a chance for each row; a sample of n questions draws rows
with replacement, so that systems stay correlated as they were observed.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ragaliq.metrics.weights import WEIGHTS

Array = NDArray[np.float64]
SHARED_DATA = Path(os.environ.get("RAGALIQ_SHARED_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
# Nine of ten systems are graded so well that 95 % of the answers are right; the rest fails as in the English logs.
CEILING = 0.95


@dataclass(frozen=True, slots=True)
class Population:
    """Rows of weights with the chance of each.

    `blocks` are systems that are made equal by exchanging their values within a question, anew in each draw.
    """

    values: Array
    chances: Array
    blocks: tuple[tuple[int, ...], ...] = ()

    @property
    def means(self) -> Array:
        """The true mean of each system."""
        means = self.chances @ self.values
        for block in self.blocks:
            means[list(block)] = means[list(block)].mean()
        return means

    def draw(self, n: int, generator: np.random.Generator) -> Array:
        """Return n questions."""
        drawn = self.values[generator.choice(len(self.values), n, p=self.chances)]
        for block in self.blocks:
            drawn[:, list(block)] = generator.permuted(drawn[:, list(block)], axis=1)
        return drawn


def logs(lang: str) -> tuple[tuple[str, ...], Array]:
    """Return the names of the systems and their weights on the questions that all of them have."""
    folder = SHARED_DATA / "ragaliq" / "logs" / "eval"
    start = f"eval_res_questions_{lang}_"
    tables = {
        path.stem.removeprefix(start).removesuffix(f"_bge-reranker-v2-m3_{lang}"): {
            row["question"]: WEIGHTS[int(row["score"])] for row in json.loads(path.read_text(encoding="utf-8"))
        }
        for path in sorted(folder.glob(f"{start}*.json"))
    }
    shared = sorted(set.intersection(*map(set, tables.values())))
    return tuple(tables), np.array([[table[question] for table in tables.values()] for question in shared])


def shares(weights: Array) -> Array:
    """Return the share of each grade in the order of `WEIGHTS`."""
    return np.array([np.isclose(weights, weight).mean() for weight in WEIGHTS.values()])


def ceiling(weights: Array) -> Array:
    """Return shares of grades with 95 % fives, the others in proportion to what they are in `weights`."""
    rest = shares(weights)
    rest[list(WEIGHTS).index(5)] = 0
    rest *= (1 - CEILING) / rest.sum()
    rest[list(WEIGHTS).index(5)] = CEILING
    return rest


def observed(values: Array) -> Population:
    """Every question as likely as the next."""
    return Population(values, np.full(len(values), 1 / len(values)))


def exchanged(values: Array, *blocks: tuple[int, ...]) -> Population:
    """Systems of a block are equal and exchangeable: their values change places within each question."""
    return Population(values, np.full(len(values), 1 / len(values)), blocks)


def tilted(values: Array, *tables: tuple[int, ...]) -> Population:
    """All systems of a table have the same mean but keep their own shapes: rows weigh exp(θ · values) to that end.

    `tables` are the columns of each table; without any, all columns are one. Columns in none keep what mean they get.
    """
    centred = np.zeros_like(values)
    for table in tables or (tuple(range(values.shape[1])),):
        columns = list(table)
        centred[:, columns] = values[:, columns] - values[:, columns].mean(axis=1, keepdims=True)

    def log_sum(theta: Array) -> tuple[float, Array]:
        exponents = centred @ theta
        raised = np.exp(exponents - exponents.max())
        return float(np.log(raised.sum()) + exponents.max()), raised @ centred / raised.sum()

    theta = minimize(log_sum, np.zeros(values.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-12}).x
    raised = np.exp(centred @ theta - (centred @ theta).max())
    return Population(values, raised / raised.sum())
