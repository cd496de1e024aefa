"""Populations that are generated: ceilings, rare large differences, abstainers, and a bad system beside good ones.

Each is a table of 20,000 questions. What is not made equal by exchange is made equal by `tilted`, which leaves the
systems their shapes.
"""

from __future__ import annotations

import numpy as np
from graded_logs import Array, Population, ceiling, exchanged, tilted

from ragaliq.metrics.weights import WEIGHTS

ROWS = 20_000
# Of systems near the ceiling, each takes the common grade of a question or, as often, one of its own.
SHARED = 0.5
_WEIGHTS = np.array(list(WEIGHTS.values()))


def near_ceiling_values(values: Array, systems: int = 4, seed: int = 0) -> Array:
    """Return systems with 95 % fives each, correlated within a question; the other grades as in `values`."""
    generator, mix = np.random.default_rng(seed), ceiling(values)
    own = generator.choice(_WEIGHTS, (ROWS, systems), p=mix)
    common = generator.choice(_WEIGHTS, (ROWS, 1), p=mix)
    return np.where(generator.random((ROWS, systems)) < SHARED, common, own)


def near_ceiling(values: Array) -> Population:
    """Return four equal systems near the ceiling, by exchange."""
    return exchanged(near_ceiling_values(values), tuple(range(4)))


def rare_values(systems: int = 4, seed: int = 1) -> Array:
    """Return systems that differ rarely and by much, or often and by little.

    The first gives the common grade. Each other one gives a little more on one question in ten to one in five, and
    nothing at all (weight 0) where the common answer is right on one in forty to one in twenty.
    """
    generator = np.random.default_rng(seed)
    common = generator.choice([0.6, 0.8, 1.0], ROWS, p=[0.2, 0.3, 0.5])
    columns = [common]
    for place in range(1, systems):
        own = common.copy()
        own[(generator.random(ROWS) < 0.1 + 0.05 * place) & (common < 1)] += 0.2
        own[(generator.random(ROWS) < 0.025 + 0.012 * place) & (common == 1)] = 0.0
        columns.append(own)
    return np.round(np.column_stack(columns), 1)


def abstaining_values(systems: int = 4, seed: int = 2) -> Array:
    """Return systems of which the first answers everything, and the last abstains (weight .4) from nine in ten."""
    generator = np.random.default_rng(seed)
    hard = generator.random((ROWS, 1)) < 0.4
    own = generator.random((ROWS, systems)) < np.where(hard, 0.15, 0.7)
    answers = np.where(own, 1.0, generator.choice([0.0, 0.2], (ROWS, systems)))
    abstains = generator.random((ROWS, systems)) < np.linspace(0.0, 0.9, systems)
    return np.where(abstains, 0.4, answers)


def with_bad(population: Population, seed: int = 3) -> Population:
    """Return a population with one more system, which is wrong on four questions of five and else as the first."""
    generator = np.random.default_rng(seed)
    copies = max(1, ROWS // len(population.values))
    values, chances = np.tile(population.values, (copies, 1)), np.tile(population.chances, copies)
    bad = np.where(generator.random(len(values)) < 0.8, 0.0, values[:, 0])
    return Population(np.column_stack([values, bad]), chances / chances.sum(), population.blocks)


def small_steps(seed: int = 4) -> Population:
    """Return three good systems, the second equal to the first by exchange, the third a little better than both.

    All differ by one grade at most: the third is one grade up on a fifth of the questions and one down on some.
    """
    generator = np.random.default_rng(seed)
    common = generator.choice([0.4, 0.6, 0.8], ROWS)
    second, third = common.copy(), common.copy()
    second[generator.random(ROWS) < 0.05] += 0.2
    step = generator.random(ROWS)
    third[step < UP] += 0.2
    third[step > 1 - DOWN] -= 0.2
    return exchanged(np.round(np.column_stack([common, second, third]), 1), (0, 1))


# The shares of questions on which the third of `small_steps` is better, and worse: without a bad system one step
# separates it from the first in nine tables of ten with 70 questions, as in the case that showed the defect.
UP, DOWN = 0.27, 0.03


def rare_large() -> Population:
    """Return four systems of equal means that differ rarely and by much."""
    return tilted(rare_values())


def abstainers() -> Population:
    """Return four systems of equal means that abstain from nothing to nine questions in ten."""
    return tilted(abstaining_values())
