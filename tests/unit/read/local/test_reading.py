"""From a completion to a reading."""

from __future__ import annotations

from ragaliq.local.causal.completion import Completion
from ragaliq.read.local.reading import reading
from ragaliq.read.outcome import CUT
from ragaliq.text.refusals import not_found
from ragaliq.types import AnswerOutcome, Query, Reading, TokenChoice, Usage

CHOICES = ((TokenChoice("t0", 0.5),),)


def test_an_abstention_is_known_in_each_language() -> None:
    cases: list[str] = ["en", "de", "fr", "es", "ru", "zh"]
    for lang in cases:
        found = reading(Completion(f" {not_found(lang)}\n", 9, True), Query("q", lang, "?"), 30)
        assert found == Reading(not_found(lang), AnswerOutcome.ABSTAINED, Usage(30, 9)), lang


def test_the_outcome_is_typed() -> None:
    cases: list[tuple[str, bool, AnswerOutcome]] = [
        ("At nine.", True, AnswerOutcome.ANSWERED),
        ("At ni", False, AnswerOutcome.TRUNCATED),
        (" \n", True, AnswerOutcome.EMPTY),
        (not_found("en"), False, AnswerOutcome.TRUNCATED),
    ]
    for text, finished, outcome in cases:
        found = reading(Completion(text, 3, finished, CHOICES), Query("q", "en", "?"), 5, "a note")
        assert found == Reading(text.strip(), outcome, Usage(5, 3), "a note", CHOICES), text


def test_what_was_cut_before_its_first_word_says_so() -> None:
    cut = Completion("", 3, False, reasoning="The guests ask")
    found = reading(cut, Query("q", "en", "?"), 5)
    assert found == Reading("", AnswerOutcome.TRUNCATED, Usage(5, 3), CUT, reasoning="The guests ask")
    assert reading(cut, Query("q", "en", "?"), 5, "a note").error == f"a note; {CUT}"
