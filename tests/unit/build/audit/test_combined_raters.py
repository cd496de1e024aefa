from dataclasses import replace

from ragaliq.build.audit.combined_raters import (
    combined_nuggets,
    combined_support,
    combined_translations,
)
from ragaliq.metrics.answers.nugget_audit import JudgedNuggets
from ragaliq.types import (
    ReviewedNuggets,
    ReviewedSupport,
    ReviewedTranslation,
    SupportReview,
    TranslationReview,
)

IDS = ("n1", "n2")


def nuggets(rater: str, hallucinated: set[str], redundant: set[str], missing: int) -> ReviewedNuggets:
    return ReviewedNuggets("q1", "en", rater, IDS, frozenset(hallucinated), frozenset(redundant), missing)


def support(rater: str, label: SupportReview, doc_id: str = "d1") -> ReviewedSupport:
    return ReviewedSupport("q1", "en", rater, "n1", doc_id, label, True)


def test_the_majority_of_three_decides() -> None:
    judged = combined_nuggets(
        [nuggets("a", {"n1"}, set(), 0), nuggets("b", {"n1"}, {"n2"}, 5), nuggets("c", set(), set(), 1)]
    )
    assert judged == {("en", "q1"): JudgedNuggets("q1", (True, False), (False, False), 1)}


def test_of_two_the_judgement_against_the_benchmark_decides() -> None:
    judged = combined_nuggets([nuggets("a", {"n1"}, set(), 0), nuggets("b", set(), {"n2"}, 2)])
    assert judged == {("en", "q1"): JudgedNuggets("q1", (True, False), (False, True), 2)}
    (pair,) = combined_support([support("a", SupportReview.RELEVANT), support("b", SupportReview.PARTIAL)])
    assert pair.label is SupportReview.PARTIAL
    texts = [ReviewedTranslation("query q1", "q1", "de", rater, label)
             for rater, label in (("a", TranslationReview.GOOD), ("b", TranslationReview.WRONG))]  # fmt: skip
    assert [one.label for one in combined_translations(texts)] == [TranslationReview.WRONG]


def test_of_two_a_pair_that_the_model_calls_unsupported_is_support() -> None:
    two = [replace(support(rater, label), supported=False)
           for rater, label in (("a", SupportReview.RELEVANT), ("b", SupportReview.NOT))]  # fmt: skip
    assert [one.label for one in combined_support(two)] == [SupportReview.RELEVANT]
    assert [one.label for one in combined_support([*two, replace(two[1], rater="c")])] == [SupportReview.NOT]


def test_between_relevant_and_partial_the_lesser_holds_of_a_supported_pair_the_greater_of_any_other() -> None:
    two = [support("a", SupportReview.RELEVANT), support("b", SupportReview.PARTIAL)]
    assert [one.label for one in combined_support(two)] == [SupportReview.PARTIAL]
    others = [replace(one, supported=False) for one in two]
    assert [one.label for one in combined_support(others)] == [SupportReview.RELEVANT]


def test_three_different_labels_make_the_middle_one() -> None:
    (pair,) = combined_support([support(label, label) for label in SupportReview])
    assert pair.label is SupportReview.PARTIAL
