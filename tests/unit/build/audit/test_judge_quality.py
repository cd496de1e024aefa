import pytest

from ragaliq.build.audit.judge_quality import judge_quality, label_shares
from ragaliq.build.audit.support_strata import PairCounts
from ragaliq.types import ReviewedSupport, SupportReview

POPULATION = {("en", "q1"): PairCounts(4, 6, 2), ("en", "q2"): PairCounts(2, 8, 3)}


def pair(query_id: str, label: SupportReview, supported: bool, doc_id: str = "d") -> ReviewedSupport:
    return ReviewedSupport(query_id, "en", "", "n", doc_id, label, supported)


REVIEWS = (
    pair("q1", SupportReview.RELEVANT, True),
    pair("q1", SupportReview.NOT, False),
    pair("q2", SupportReview.PARTIAL, True),
    pair("q2", SupportReview.RELEVANT, False),
)


def test_a_supported_pair_stands_for_its_query_and_an_unsupported_one_for_itself() -> None:
    strict, loose = (judge_quality(REVIEWS, POPULATION, partial) for partial in (False, True))
    assert (strict.positives, strict.negatives) == (6, 14)
    assert strict.precision.value == pytest.approx(4 / 6)
    # Pairs that the model calls unsupported are drawn at random: one of two.
    assert strict.missed.value == pytest.approx(1 / 2)
    assert strict.recall == pytest.approx(4 / (4 + 7))
    assert (loose.counts_as, loose.precision.value) == ("relevant or partial", 1.0)
    assert loose.recall == pytest.approx(6 / (6 + 7))
    assert strict.recall_interval is not None
    assert strict.recall_interval.low < 4 / 11 < strict.recall_interval.high


def test_languages_count_by_their_pairs() -> None:
    population = {**POPULATION, ("zh", "q1"): PairCounts(6, 56, 2)}
    chinese = [ReviewedSupport("q1", "zh", "", "n", doc, SupportReview.NOT, supported)
               for doc, supported in (("a", True), ("b", False), ("c", False))]  # fmt: skip
    figures = judge_quality([*REVIEWS, *chinese], population, False)
    assert figures.missed.value == pytest.approx((14 * 1 / 2 + 56 * 0) / 70)
    assert figures.precision.value == pytest.approx((6 * 4 / 6 + 6 * 0) / 12)


def test_several_pairs_of_a_query_share_its_weight() -> None:
    more = [*REVIEWS, pair("q1", SupportReview.NOT, True, "e")]
    assert judge_quality(more, POPULATION, False).precision.value == pytest.approx((4 / 2 + 0) / 6)


def test_nothing_missed_in_few_pairs_leaves_doubt() -> None:
    figures = judge_quality([one for one in REVIEWS if one.query_id == "q1"], POPULATION, False)
    assert figures.recall == 1.0
    assert figures.recall_interval is not None
    assert figures.recall_interval.low < 0.8
    assert figures.recall_interval.high == 1.0


def test_without_reviewed_negatives_recall_is_not_known() -> None:
    figures = judge_quality([one for one in REVIEWS if one.supported], POPULATION, False)
    assert (figures.missed.value, figures.recall, figures.recall_interval) == (None, None, None)


def test_c20_three_levels_of_the_positives() -> None:
    labels = [SupportReview.RELEVANT] * 43 + [SupportReview.PARTIAL] * 7 + [SupportReview.NOT] * 10
    reviews = [pair(f"q{place}", label, True) for place, label in enumerate(labels)]
    population = {("en", f"q{place}"): PairCounts(1, 1, 1) for place in range(60)}
    shares = label_shares([*reviews, pair("q0", SupportReview.NOT, False)], population)
    # The paper's table 5: 60 questions, 71.7, 11.7 and 16.6 %.
    assert [one.value for one in (shares.relevant, shares.partial, shares.not_relevant)] == pytest.approx(
        [43 / 60, 7 / 60, 10 / 60]
    )
    assert shares.relevant.n == 60
