import numpy as np
import pytest

from ragaliq.build.parity.shifts import chance_p, local_shifts, stronger


def test_a_language_that_is_harder_throughout_has_no_shift() -> None:
    items = np.linspace(-3, 3, 30)
    assert local_shifts(np.array([items, items - 5, items + 1])) == pytest.approx(np.zeros((3, 30)))


def test_a_shift_counts_in_units_of_what_is_usual_among_items_as_hard() -> None:
    draws = np.random.default_rng(0)
    items = np.linspace(0, 10, 300)
    # Hard items differ ten times as much between languages as easy ones.
    values = items + draws.normal(size=(4, 300)) * np.where(items < 5, 1.0, 0.1)
    values[1, 50] -= 3
    values[1, 250] -= 3
    shifts = local_shifts(values)
    assert shifts[1, 250] < 3 * shifts[1, 50] < 0
    assert shifts[1, 250] == shifts.min()


def test_of_two_languages_each_is_the_mirror_of_the_other() -> None:
    values = np.random.default_rng(1).normal(size=(2, 40))
    one, two = local_shifts(values)
    assert np.sign(one) == pytest.approx(-np.sign(two))


def test_the_stronger_of_two_shifts_keeps_its_sign() -> None:
    assert stronger(np.array([1.0, -3.0]), np.array([-2.0, 2.0])).tolist() == [-2.0, -3.0]


@pytest.mark.parametrize("freedom", [3, 8, 30])
def test_p_values_of_chance_are_even_whatever_its_tails(freedom: int) -> None:
    shifts = 2.5 * np.random.default_rng(freedom).standard_t(freedom, size=(6, 5000))
    assert (chance_p(shifts) < 0.05).mean() == pytest.approx(0.05, abs=0.01)


def test_unequal_items_hardly_change_what_chance_is() -> None:
    shifts = np.random.default_rng(0).normal(size=(6, 500))
    planted = shifts.copy()
    planted[0, :70] -= 8
    assert (chance_p(planted)[0, :70] < 0.05).all()
    equal = chance_p(planted)[:, 70:]
    assert 0.03 < (equal < 0.05).mean() < 0.06


def test_without_any_spread_nothing_is_unequal() -> None:
    assert chance_p(np.zeros((3, 20))).tolist() == np.ones((3, 20)).tolist()
