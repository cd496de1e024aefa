"""The queries that flipped."""

from __future__ import annotations

from ragaliq.aggregate.grades.graded_metrics import METRICS
from ragaliq.aggregate.grades.query_grades import QueryKey
from ragaliq.compare.flips import Flips, flips
from ragaliq.compare.sources.graded_systems import table_metric
from ragaliq.compare.sources.system_values import SystemValues
from ragaliq.compare.value_table import TableMetric


def values(name: str, *own: float | None) -> dict[str, SystemValues]:
    return {"ru": SystemValues(name, "ru", {QueryKey(f"q{n}"): value for n, value in enumerate(own)})}


def names(found: Flips) -> tuple[list[str], list[str]]:
    return [one.query.query for one in found.lost], [one.query.query for one in found.gained]


def test_grades_4_and_5_are_good() -> None:
    # Weights of 5, 4, 3, 0, 2, 1: 1, .8, .6, .4, .2, 0.
    metric = table_metric(METRICS["mean_weight"])
    first, second = values("a", 1, 0.8, 1, 0.6, 0.2, None, 1), values("b", 0.8, 0.6, 0, 0.2, 1, 1, None)
    (found,) = flips([first, second], metric)
    # q0 stays good, q3 stays bad, q5 and q6 have one value alone; the greatest loss is first.
    assert names(found) == (["q2", "q1"], ["q4"])
    assert [one.loss for one in found.lost] == [1, 0.8 - 0.6]


def test_every_change_between_right_and_wrong_is_a_flip_and_less_may_be_better() -> None:
    first, second = values("a", 1, 0, 1, 0), values("b", 0, 1, 1, 0)
    (found,) = flips([first, second], TableMetric("acc", "right"))
    assert names(found) == (["q0"], ["q1"])
    (turned,) = flips([first, second], TableMetric("zeros", "wrong", less_is_better=True))
    assert names(turned) == (["q1"], ["q0"])


def test_the_middle_of_another_range_divides() -> None:
    (found,) = flips([values("a", 0.1, 2, -1), values("b", -0.1, 1, 3)], TableMetric("x", "y", greatest=3, least=-3))
    assert names(found) == (["q0"], ["q2"])


def test_rounding_flips_nothing() -> None:
    mean = (1.0 + 1.0 + 0.4) / 3
    assert mean < 0.8
    metric = TableMetric("weight", "mean weight", good=0.8)
    (found,) = flips([values("a", 0.8), values("b", mean)], metric)
    assert (found.lost, found.gained) == ((), ())
