from __future__ import annotations

from ragaliq.metrics.language import LanguageConsistency, language_consistency
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
    assert language_consistency(ANSWERS) == LanguageConsistency((1 + 1 + 1 + 0) / 4, 4, 2)


def test_the_order_of_the_answers_does_not_matter() -> None:
    assert language_consistency(reversed(ANSWERS)) == language_consistency(ANSWERS)


def test_no_answer_long_enough_to_tell_has_no_value() -> None:
    assert language_consistency([in_language("42", "en"), in_language(ENGLISH, "xx")]) == LanguageConsistency(
        None, 0, 2
    )
    assert language_consistency([]) == LanguageConsistency(None, 0, 0)
