import pytest

from ragaliq.metrics.answers.nugget_audit import (
    JudgedNuggets,
    ListPlace,
    PlaceErrors,
    errors_by_place,
    last_share,
    nugget_quality,
)

# Four nuggets, the third hallucinated, the second and the last redundant, one fact missing; then two sound ones with
# two facts missing; one sound one; and none at all where one fact is missing.
JUDGED = (
    JudgedNuggets("q1", (False, False, True, False), (False, True, False, True), 1),
    JudgedNuggets("q2", (False, False), (False, False), 2),
    JudgedNuggets("q3", (False,), (False,), 0),
    JudgedNuggets("q4", (), (), 1),
)


def test_c19_precision_recall_and_groundedness_of_nuggets() -> None:
    quality = nugget_quality(JUDGED)
    assert (quality.queries, quality.nuggets) == (4, 7)
    assert quality.precision.value == pytest.approx((7 - 2) / 7)
    assert quality.recall.value == pytest.approx((7 - 2) / (7 - 2 + 4))
    assert quality.groundedness.value == pytest.approx((7 - 1) / 7)
    assert quality.per_query == pytest.approx(
        ((2 / 4 + 2 / 2 + 1 / 1) / 3, (2 / 3 + 2 / 4 + 1 / 1 + 0 / 1) / 4, (3 / 4 + 2 / 2 + 1 / 1) / 3)
    )


def test_of_no_nuggets_only_recall_is_defined_and_only_if_a_fact_is_missing() -> None:
    quality = nugget_quality(JUDGED[3:])
    assert (quality.precision.value, quality.recall.value, quality.groundedness.value) == (None, 0.0, None)
    assert quality.per_query == (None, 0.0, None)
    assert nugget_quality([JudgedNuggets("q", (), (), 0)]).recall.value is None
    assert nugget_quality([]).per_query == (None, None, None)


def test_a_query_in_several_languages_is_one_cluster() -> None:
    quality = nugget_quality([JudgedNuggets("q1", (False,), (flag,), 0) for flag in (True, False)])
    assert (quality.precision.n, quality.precision.n_queries) == (2, 1)


def test_c21_errors_by_place() -> None:
    assert errors_by_place(JUDGED) == (
        PlaceErrors(ListPlace.ONLY, 1, 0, 0),
        PlaceErrors(ListPlace.FIRST, 2, 0, 0),
        PlaceErrors(ListPlace.SECOND, 1, 1, 0),
        PlaceErrors(ListPlace.MIDDLE, 1, 0, 1),
        PlaceErrors(ListPlace.LAST, 2, 1, 0),
    )
    assert last_share(JUDGED).value == 1 / 2
    assert last_share(JUDGED[1:]).value is None
