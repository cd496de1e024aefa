"""Figures of graded rows: by hand, with gaps, and never a failure as a grade."""

from __future__ import annotations

from typing import Any

from ragaliq.aggregate.grades.graded_answers import RowFigures, answer_figures


def row(**more: Any) -> RowFigures:
    return RowFigures.of({"lang": "en", "refuses": "none", **more})


def graded(grade: int | None, outcome: str = "scored", **more: Any) -> RowFigures:
    return row(grade=grade, outcome=outcome, **more)


def test_a_failure_is_no_grade_and_a_blank_reference_is_no_failure() -> None:
    (figures,) = answer_figures(
        [graded(5), graded(0, refuses="full"), graded(None, "api_error"), graded(None, "no_reference"),
         graded(5, answerable=False)]
    )  # fmt: skip
    grades = figures.grades
    assert grades is not None and figures.support is None
    # (1 + .4) / 2, squared; two of the three that have a reference and are answerable.
    assert (grades.n, grades.n_scored, grades.weighted_score) == (3, 2, 0.7**2)
    assert figures.n == 5 and figures.unanswerable == 1
    assert figures.failures == {"api_error": 1} and figures.not_asked == {"no_reference": 1}
    assert figures.refuses == {"none": 4, "full": 1}
    assert figures.covered(2 / 3) and not figures.covered(0.67)


def test_support_is_over_sentences_and_all_languages_come_last() -> None:
    def checked(*labels: str, lang: str = "de", outcome: str = "scored") -> RowFigures:
        support = [{"text": "x", "label": label, "context": None} for label in labels]
        return row(lang=lang, check_outcome=outcome, support=support)

    rows = [checked("supported", "supported", "partly"), checked("contradicted"), checked(lang="fr"),
            checked(lang="fr", outcome="api_error"), checked(outcome="no_contexts")]  # fmt: skip
    de, fr, both = answer_figures(rows)
    assert (de.lang, fr.lang, both.lang) == ("de", "fr", "all") and de.grades is None
    assert de.support is not None and both.support is not None and fr.support is not None
    assert (de.support.n, de.support.n_expected, de.support.n_sentences) == (2, 2, 4)
    assert {name: share.value for name, share in de.support.shares.items()} == {
        "supported": 0.5, "partly": 0.25, "unsupported": 0.0, "contradicted": 0.25,
    }  # fmt: skip
    assert fr.support.coverage == 0.5 and fr.support.shares["supported"].value is None
    assert fr.covered(0.5) and not fr.covered(0.51)
    assert (both.support.n, both.support.n_expected) == (3, 4) and both.failures == {"api_error": 1}


def test_a_row_that_has_neither_grade_nor_check_for_one_reason_counts_once() -> None:
    (figures,) = answer_figures([graded(None, "no_answer", check_outcome="no_answer")])
    assert figures.failures == {"no_answer": 1} and not figures.covered(0.1)
