import pytest

from ragaliq.build.audit.corrected_rates import corrected_rates
from ragaliq.build.audit.judge_quality import PairCounts
from ragaliq.types import ReviewedSupport, SupportReview


def pair(query_id: str, label: SupportReview, supported: bool) -> ReviewedSupport:
    return ReviewedSupport(query_id, "en", "", "n", "d", label, supported)


def test_a_query_is_estimated_from_its_pairs_of_both_kinds() -> None:
    counts = PairCounts(4, 6, 2), PairCounts(2, 8, 4), PairCounts(5, 5, 1)
    population = {("en", f"q{place}"): one for place, one in enumerate(counts, 1)}
    reviews = [pair("q1", SupportReview.RELEVANT, True), pair("q1", SupportReview.NOT, False),
               pair("q2", SupportReview.PARTIAL, True), pair("q2", SupportReview.RELEVANT, False),
               pair("q3", SupportReview.RELEVANT, True)]  # fmt: skip
    share, per_nugget = corrected_rates(reviews, population, partial=False)
    # As people see them q1 has 4 · 1 + 6 · 0 supported pairs, q2 2 · 0 + 8 · 1; of q3 no unsupported pair was reviewed.
    assert (share.reviewed, share.queries) == (2, 3)
    assert share.classical is not None and share.model is not None
    assert share.classical.mean == pytest.approx((4 / 10 + 8 / 10) / 2)
    assert share.model.mean == pytest.approx((4 / 10 + 2 / 10 + 5 / 10) / 3)
    assert per_nugget.classical is not None and per_nugget.model is not None
    assert per_nugget.classical.mean == pytest.approx((4 / 2 + 8 / 4) / 2)
    assert per_nugget.model.mean == pytest.approx((4 / 2 + 2 / 4 + 5 / 1) / 3)
    assert share.prediction_powered is None, "two reviewed queries are too few"
    loose, _ = corrected_rates(reviews, population, partial=True)
    assert loose.classical is not None
    assert loose.classical.mean == pytest.approx((4 / 10 + 10 / 10) / 2)


def test_a_judge_that_always_agrees_narrows_the_interval() -> None:
    population = {("en", f"q{place:03}"): PairCounts(1 + place % 7, 10 - place % 7, 2) for place in range(200)}
    reviewed = list(population)[:40]
    reviews = [pair(query_id, label, supported) for _, query_id in reviewed
               for label, supported in ((SupportReview.RELEVANT, True), (SupportReview.NOT, False))]  # fmt: skip
    share, _ = corrected_rates(reviews, population, partial=False)
    assert share.classical is not None and share.prediction_powered is not None and share.model is not None
    assert share.classical.interval is not None and share.prediction_powered.interval is not None
    assert share.prediction_powered.interval.half_width < share.classical.interval.half_width
    low, high = share.prediction_powered.interval
    assert low < share.model.mean < high


def test_without_reviews_there_is_the_model_alone() -> None:
    share, _ = corrected_rates([], {("en", "q1"): PairCounts(1, 3, 1)}, partial=False)
    assert (share.classical, share.prediction_powered) == (None, None)
    assert share.model is not None
    assert (share.model.n, share.model.mean) == (1, 0.25)
