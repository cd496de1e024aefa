import pytest

from ragaliq.build.audit.corrected_rates import corrected_rates
from ragaliq.build.audit.support_strata import PairCounts
from ragaliq.types import ReviewedSupport, SupportReview


def pair(query_id: str, label: SupportReview, supported: bool, lang: str = "ru") -> ReviewedSupport:
    return ReviewedSupport(query_id, lang, "", "n", "d", label, supported)


def test_each_stratum_is_corrected_by_its_own_reviews() -> None:
    counts = PairCounts(4, 6, 2), PairCounts(2, 8, 4), PairCounts(5, 5, 1)
    population = {("ru", f"q{place}"): one for place, one in enumerate(counts, 1)}
    reviews = [pair("q1", SupportReview.RELEVANT, True), pair("q2", SupportReview.PARTIAL, True),
               pair("q2", SupportReview.RELEVANT, False), pair("q3", SupportReview.NOT, False)]  # fmt: skip
    share, per_nugget = corrected_rates(reviews, population, partial=False)
    assert (share.positives, share.negatives, share.queries) == (2, 2, 3)
    # The model: (4 + 2 + 5) / 10 / 3. Of it people call 4 of 4 + 2 support; of the unsupported rest one of two pairs.
    assert share.model == pytest.approx(1.1 / 3)
    assert share.corrected == pytest.approx(1.1 / 3 * 4 / 6 + 1.9 / 3 * 1 / 2)
    # Per nugget: 4/2 + 2/4 + 5/1. Positives weigh 4/2 and 2/4, negatives 1/4 and 1/1; the unsupported: 6/2 + 8/4 + 5/1.
    assert per_nugget.model == pytest.approx(7.5 / 3)
    assert per_nugget.corrected == pytest.approx(7.5 / 3 * 2 / 2.5 + 10 / 3 * 0.25 / 1.25)
    loose, _ = corrected_rates(reviews, population, partial=True)
    assert loose.corrected == pytest.approx(1.1 / 3 + 1.9 / 3 * 1 / 2)
    assert share.interval is not None and share.corrected is not None
    assert 0 <= share.interval.low < share.corrected < share.interval.high <= 1


@pytest.mark.parametrize("label", SupportReview)
def test_a_share_and_its_interval_stay_in_0_to_1(label: SupportReview) -> None:
    population = {("zh", f"q{place}"): PairCounts(1 + place % 9, 9 - place % 9, 2) for place in range(30)}
    reviews = [pair(f"q{place}", label, supported, "zh") for place in range(12) for supported in (True, False)]
    share, _ = corrected_rates(reviews, population, partial=False)
    assert share.corrected == (1.0 if label is SupportReview.RELEVANT else 0.0)
    assert share.interval is not None
    assert 0 <= share.interval.low < share.interval.high <= 1


def test_a_stratum_without_reviews_is_not_known_unless_it_is_empty() -> None:
    reviews = [pair("q1", SupportReview.RELEVANT, True)]
    (share, _) = corrected_rates(reviews, {("ru", "q1"): PairCounts(1, 3, 1)}, partial=False)
    assert (share.model, share.corrected, share.interval) == (0.25, None, None)
    (share, _) = corrected_rates(reviews, {("ru", "q1"): PairCounts(3, 0, 1)}, partial=False)
    assert (share.model, share.corrected) == (1.0, 1.0)
    (share, _) = corrected_rates([], {}, partial=False)
    assert (share.model, share.corrected, share.queries) == (None, None, 0)
