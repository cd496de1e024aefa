from __future__ import annotations

from ragaliq.metrics.answers.language import (
    LanguageConsistency,
    LanguagePassRates,
    language_consistency,
    pass_rates,
)
from ragaliq.text.language import in_language

ENGLISH = "The supply boat leaves the harbour every Tuesday morning."
ANSWERS = [
    in_language(ENGLISH, "en"),
    in_language("Das Versorgungsschiff verlässt den Hafen jeden Dienstagmorgen.", "de"),
    in_language("补给船每周二早上从港口出发。", "zh"),
    in_language(ENGLISH, "ru"),
    in_language("42 credits", "fr"),
    in_language("", "es"),
]


def test_short_answers_are_left_out_and_counted() -> None:
    for answers in (ANSWERS, ANSWERS[::-1]):
        assert language_consistency(answers) == LanguageConsistency((1 + 1 + 1 + 0) / 4, 4, 2)


def test_no_answer_long_enough_to_tell_has_no_value() -> None:
    assert language_consistency([in_language("42", "en"), in_language(ENGLISH, "xx")]) == LanguageConsistency(
        None, 0, 2
    )
    assert language_consistency([]) == LanguageConsistency(None, 0, 0)


def test_words_are_measured_on_the_answers_whose_lines_pass() -> None:
    rates = pass_rates([(True, True, True), (True, True, False), (True, False, False), (None, None, None)])
    assert rates.answers == LanguageConsistency(3 / 3, 3, 1)
    assert rates.lines == LanguageConsistency(2 / 3, 3, 1)
    assert rates.words == LanguageConsistency(1 / 2, 2, 0)
    empty = LanguageConsistency(None, 0, 0)
    assert pass_rates([]) == LanguagePassRates(empty, empty, empty)
