from __future__ import annotations

from ragaliq.judge.checks.evidence import piece, split_clauses, words_held


def test_coverage_counts_the_weights_of_terms() -> None:
    # A term weighs a fifth for each letter of its stem up to 1.5, a number 2, a function word .1.
    sentence = piece("the alpha gamma 12", "en")
    assert round(words_held(sentence, piece("gamma 12", "en")), 4) == round((1.0 + 2) / (0.1 + 1.0 + 1.0 + 2), 4)
    assert words_held(sentence, piece("alpha the", "en"), piece("12 gamma", "en")) == 1.0
    assert words_held(piece("?!", "en"), sentence) == 0.0


def test_half_a_words_grams_are_a_part_of_it_and_no_number_is() -> None:
    assert 0.5 < words_held(piece("Granitfelsen", "de"), piece("Felsen aus Granit", "de")) < 1
    assert words_held(piece("1874", "de"), piece("18741", "de")) == 0.0


def test_clauses_end_at_commas_and_conjunctions() -> None:
    assert split_clauses("The tower was built in 1874, and nobody has lived there since.") == [
        "The tower was built in 1874",
        "and nobody has lived there since.",
    ]
    assert split_clauses("Red, blue and green") == ["Red, blue and green"]
    assert split_clauses("泰瑟拉提供存储空间，而诺尔比赢得了杯赛") == ["泰瑟拉提供存储空间", "诺尔比赢得了杯赛"]
