from ragaliq.build.audit.combined_raters import (
    RaterAgreement,
    Reviews,
    combined_nuggets,
    combined_support,
    combined_translations,
    rater_agreement,
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
    texts = [ReviewedTranslation("q1", "de", rater, label)
             for rater, label in (("a", TranslationReview.GOOD), ("b", TranslationReview.WRONG))]  # fmt: skip
    assert [one.label for one in combined_translations(texts)] == [TranslationReview.WRONG]


def test_three_different_labels_make_the_middle_one() -> None:
    (pair,) = combined_support([support(label, label) for label in SupportReview])
    assert pair.label is SupportReview.PARTIAL


def test_agreement_counts_what_two_have_judged() -> None:
    labels = (SupportReview.RELEVANT, SupportReview.NOT)
    reviews = Reviews(
        nuggets=[nuggets("a", {"n1"}, set(), 0)],
        support=[*(support(rater, label, f"d{place}") for rater in "ab" for place, label in enumerate(labels)),
                 support("a", SupportReview.PARTIAL, "d9")],
    )  # fmt: skip
    assert rater_agreement(reviews) == (RaterAgreement("support", 2, 2, 1.0, 1.0),)
    assert reviews.raters == ("a", "b")
