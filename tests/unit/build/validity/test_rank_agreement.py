"""Agreement of rankings: perfect, opposite, noisy, and beside what halves of people's questions reach."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ragaliq.build.validity.rank_agreement import RankAgreement, rank_agreement

Array = NDArray[np.float64]


def _questions(qualities: list[float], n: int, noise: float, seed: int) -> Array:
    generator = np.random.default_rng(seed)
    return np.array(qualities)[:, None] + noise * generator.normal(size=(len(qualities), n))


QUALITIES = [0.1 * place for place in range(8)]


def _both(built: Array, human: Array) -> dict[str, RankAgreement]:
    return {one.coefficient: one for one in rank_agreement("RR", built, human)}


def test_perfect_agreement_is_one_whatever_the_values() -> None:
    human = _questions(QUALITIES, 10, 0.0, 0)
    for one in _both(5 * _questions(QUALITIES, 4, 0.0, 1) ** 3, human).values():
        assert one.value and one.ceiling and one.built and one.distance
        assert (one.value.value, one.value.low, one.value.high) == (1, 1, 1)
        # Ten questions have halves of five, but there are four on the other side.
        assert (one.half, one.ceiling.value, one.built.value, one.distance.value) == (4, 1, 1, 0)
        assert one.verdict == "within"


def test_people_are_the_reference_of_tau_ap() -> None:
    human, built = (np.repeat(np.array([means]).T, 6, axis=1) for means in ([4.0, 3, 2, 1], [1.0, 4, 3, 2]))
    value = _both(built, human)["tau_ap"].value
    # 2/3 · (1/1 + 2/2 + 0/3) − 1; with the sides exchanged it would be −2/9.
    assert value and value.value == pytest.approx(1 / 3)


@pytest.mark.slow
def test_the_opposite_order_is_beyond() -> None:
    human, built = _questions(QUALITIES, 20, 0.0, 0), _questions(QUALITIES[::-1], 20, 0.0, 0)
    for one in _both(built, human).values():
        assert one.value and one.distance and (one.value.value, one.distance.value) == (-1, 2)
        assert one.verdict == "beyond"


@pytest.mark.slow
def test_the_ceiling_of_noisy_questions_is_below_one_and_the_same_kind_reaches_it() -> None:
    human, alike = _questions(QUALITIES, 80, 1.0, 0), _questions(QUALITIES, 80, 1.0, 1)
    for one in _both(alike, human).values():
        assert one.ceiling and one.ceiling.low and one.ceiling.high and one.distance and one.distance.low is not None
        assert 0.3 < one.ceiling.value < 0.9
        assert one.ceiling.low < one.ceiling.value < one.ceiling.high
        assert one.distance.low < 0 < (one.distance.high or 0)
        assert one.verdict == "undecided"


@pytest.mark.slow
def test_the_order_of_configurations_and_of_questions_does_not_matter() -> None:
    human, built = _questions(QUALITIES, 30, 0.5, 0), _questions(QUALITIES, 30, 0.5, 1)
    order = np.random.default_rng(2).permutation(len(QUALITIES))
    once, other = _both(built, human), _both(built[order], human[order])
    turned = _both(built[:, ::-1], human[:, ::-1])
    for name, one in once.items():
        two, three = other[name], turned[name]
        assert one.value and two.value and three.value and one.distance and two.distance
        assert (two.value.value, two.distance.value) == pytest.approx((one.value.value, one.distance.value))
        assert three.value.value == pytest.approx(one.value.value)


def test_what_cannot_be_told_is_none() -> None:
    flat, human = np.ones((4, 10)), _questions(QUALITIES[:4], 10, 0.0, 0)
    for one in _both(flat, human).values():
        assert (one.value, one.ceiling, one.distance, one.verdict) == (None, None, None, "undecided")
    for one in _both(human[:, :1], human).values():
        # One question has no spread that could be resampled.
        assert one.value and (one.value.value, one.value.low, one.half, one.ceiling) == (1, None, 1, None)
