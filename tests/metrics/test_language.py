from __future__ import annotations

from ragaliq.metrics.language import LanguageConsistency, language_consistency

ENGLISH = "The supply boat leaves the harbour every Tuesday morning."
ANSWERS = [
    (ENGLISH, "en"),
    ("Das Versorgungsschiff verlässt den Hafen jeden Dienstagmorgen.", "de"),
    ("补给船每周二早上从港口出发。", "zh"),
    (ENGLISH, "ru"),
    ("42 credits", "fr"),
    ("", "es"),
]


def test_short_answers_are_left_out_and_counted() -> None:
    assert language_consistency(ANSWERS) == LanguageConsistency((1 + 1 + 1 + 0) / 4, 4, 2)


def test_the_order_of_the_answers_does_not_matter() -> None:
    assert language_consistency(reversed(ANSWERS)) == language_consistency(ANSWERS)


def test_no_answer_long_enough_to_tell_has_no_value() -> None:
    assert language_consistency([("42", "en"), (ENGLISH, "xx")]) == LanguageConsistency(None, 0, 2)
    assert language_consistency([]) == LanguageConsistency(None, 0, 0)
