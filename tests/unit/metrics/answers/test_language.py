from __future__ import annotations

from pytest import approx

from ragaliq.metrics.answers.language import (
    LanguageConsistency,
    LanguagePassRates,
    language_consistency,
    pass_rates,
)
from ragaliq.metrics.statistics.intervals import share_interval
from ragaliq.text.language import in_language

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
    decided = [in_language(text, lang) for text, lang in ANSWERS]
    for answers in (decided, decided[::-1]):
        assert language_consistency(answers) == LanguageConsistency((1 + 1 + 1 + 0) / 4, 4, 2, share_interval(3, 4))


def test_no_answer_long_enough_to_tell_has_no_value() -> None:
    too_short = language_consistency([in_language("42", "en"), in_language(ENGLISH, "xx")])
    assert too_short == LanguageConsistency(None, 0, 2, None)
    assert language_consistency([]) == LanguageConsistency(None, 0, 0, None)


def test_the_interval_by_hand() -> None:
    # Wilson, z = 1.96: (p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n) with p = 9/10, n = 10.
    found = language_consistency([True] * 9 + [False, None])
    assert (found.value, found.n_decided) == (0.9, 10)
    assert found.ci == approx((0.59585, 0.98212), abs=5e-6)


def test_marks_of_how_far_are_averaged_and_odd_ones_have_no_interval() -> None:
    assert language_consistency([1.0, 0.5]) == LanguageConsistency(0.75, 2, 0, share_interval(1.5, 2))
    assert language_consistency([100.0, 50.0]) == LanguageConsistency(75.0, 2, 0, None)


def test_words_are_measured_on_the_answers_whose_lines_pass() -> None:
    rates = pass_rates([(True, True, True), (True, True, False), (True, False, False), (None, None, None)])
    assert rates.answers == LanguageConsistency(3 / 3, 3, 1, share_interval(3, 3))
    assert rates.lines == LanguageConsistency(2 / 3, 3, 1, share_interval(2, 3))
    assert rates.words == LanguageConsistency(1 / 2, 2, 0, share_interval(1, 2))
    empty = LanguageConsistency(None, 0, 0, None)
    assert pass_rates([]) == LanguagePassRates(empty, empty, empty)
