import pytest

from ragaliq.metrics.statistics.clustered_share import ClusteredShare, QueryUnits, clustered_share, share_of_marks
from ragaliq.metrics.statistics.intervals import share_interval


def test_queries_alike_count_as_their_units() -> None:
    share = clustered_share({"a": QueryUnits(3, 4, 4), "b": QueryUnits(1, 2, 2)})
    # p = 4/6; the sums differ from p · size by 1/3 each, so the variance is 2 · (2/9) / 36 = 1/81, that of one unit
    # (4/6) (2/6) = 2/9, and 18 units would do: more than there are.
    assert share == ClusteredShare(4 / 6, 6, 2, 6, share_interval(4, 6))


def test_queries_that_are_all_or_nothing_count_as_fewer_units() -> None:
    share = clustered_share({"a": QueryUnits(4, 4, 4), "b": QueryUnits(0, 4, 4)})
    # p = 1/2, rests 2 and −2: variance 2 · 8 / 64 = 1/4, that of one unit.
    assert share.effective == pytest.approx(1.0)
    assert share.interval == pytest.approx(share_interval(0.5, 1))


def test_no_errors_leave_as_much_doubt_as_there_are_queries() -> None:
    share = clustered_share({"a": QueryUnits(40, 40, 40), "b": QueryUnits(10, 10, 10), "c": QueryUnits(5, 5, 5)})
    assert share == ClusteredShare(1.0, 55, 3, 3.0, share_interval(3, 3))


def test_nothing_is_undefined() -> None:
    assert clustered_share({"a": QueryUnits(0, 0, 0)}) == ClusteredShare(None, 0, 0, 0.0, None)


def test_marks_of_different_queries_are_a_plain_share() -> None:
    marks = [True, True, False, True]
    plain = ClusteredShare(0.75, 4, 4, 4.0, share_interval(3, 4))
    assert share_of_marks(marks) == share_of_marks(marks, ["a", "b", "c", "d"]) == plain


def test_marks_of_one_query_belong_together() -> None:
    marks, queries = [True, True, True, False], ["a", "a", "b", "b"]
    assert share_of_marks(marks, queries) == clustered_share({"a": QueryUnits(2, 2, 2), "b": QueryUnits(1, 2, 2)})
    assert share_of_marks([True] * 6, ["a"] * 3 + ["b"] * 3) == ClusteredShare(1.0, 6, 2, 2.0, share_interval(2, 2))


def test_no_marks_and_too_few_queries() -> None:
    assert share_of_marks([]) == ClusteredShare(None, 0, 0, 0.0, None)
    with pytest.raises(ValueError):
        share_of_marks([True, False], ["a"])
