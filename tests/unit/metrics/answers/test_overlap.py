from __future__ import annotations

import random
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.metrics.answers.overlap import (
    MEASURES,
    chrf,
    exact_match,
    overlap,
    rouge_l,
    token_f1,
    tokens,
    trigram_recall,
)
from ragaliq.text.terms import fold

BOAT = {
    "en": "The boat leaves on Tuesday.",
    "de": "Das Schiff fährt am Dienstag ab.",
    "fr": "Le bateau part mardi.",
    "es": "El barco sale el martes.",
    "ru": "Судно уходит во вторник.",
    "zh": "船周二出发。",
    "th": "เรือออกวันอังคาร",
    "hi": "नाव मंगलवार को निकलती है।",
}


def test_a_text_is_itself_in_every_language() -> None:
    for (name, measure), (lang, text) in product(MEASURES.items(), BOAT.items()):
        assert measure(text, text) == 1, (name, lang)
        assert measure(text.upper(), text) == 1, (name, lang)
        assert measure("", text) == 0, (name, lang)


def test_tokens_are_words_and_characters_of_scripts_without_spaces() -> None:
    assert tokens("Die 2 Boote") == ["die", "2", "boote"]
    assert tokens("坐船go岛上") == ["坐", "船", "go", "岛", "上"]
    assert tokens("नाव को") == ["नाव", "को"]


def test_exact_match_is_blind_to_case_and_punctuation() -> None:
    assert exact_match("TUESDAY!", "tuesday") == 1
    assert exact_match("on Tuesday", "Tuesday") == 0
    assert exact_match("ＡＢＣ １２", "abc 12") == 1


def test_token_f1_by_hand() -> None:
    # 3 of 4 given, 3 of 5 wanted.
    assert token_f1("the boat leaves today", "the boat leaves on Tuesday") == 2 * 3 / (4 + 5)
    assert token_f1("a a a", "a b") == 2 * 1 / (3 + 2)
    assert token_f1("船周三出发", "船周二出发") == 2 * 4 / (5 + 5)


def test_rouge_l_by_hand() -> None:
    # The longest common subsequence of "leaves the boat" and "the boat leaves" is "the boat".
    assert rouge_l("leaves the boat", "the boat leaves") == 2 * 2 / (3 + 3)
    assert rouge_l("出发周二", "周二出发") == 2 * 2 / (4 + 4)


def test_trigram_recall_by_hand() -> None:
    # " bo", "boa", "oat", "at "; of "boats" the first three.
    assert trigram_recall("boats", "boat") == 3 / 4
    assert trigram_recall("a boat that leaves", "boat") == 1
    # 船 周 二 船周 周二; of 船周三: 船 周 船周.
    assert trigram_recall("船周三", "船周二") == 3 / 5


def test_chrf_by_hand() -> None:
    # 1-grams a b c / a b d: 2 of 3; 2-grams ab bc / ab bd: 1 of 2; 3-grams 0 of 1.
    share = (2 / 3 + 1 / 2 + 0) / 3
    assert chrf("abc", "abd") == pytest.approx(share, abs=1e-12)


def test_the_best_reference_counts_and_none_without_words() -> None:
    found = overlap("Tuesday", ["on Monday", "Tuesday"])
    assert found is not None and found["exact_match"] == 1
    assert overlap("Tuesday", ["—", ""]) is None
    nothing = overlap("", ["Tuesday"])
    assert nothing == dict.fromkeys(MEASURES, 0.0)


def _texts() -> list[tuple[str, str]]:
    generator = random.Random(5)
    pool = [word for text in BOAT.values() for word in text.split()]
    return [
        (" ".join(generator.choices(pool, k=generator.randint(1, 12))), " ".join(generator.choices(pool, k=6)))
        for _ in range(100)
    ]


def test_chrf_is_that_of_sacrebleu() -> None:
    from sacrebleu.metrics.chrf import CHRF

    oracle = CHRF()
    for answer, reference in _texts():
        expected = oracle.sentence_score(fold(answer), [fold(reference)]).score / 100
        assert chrf(answer, reference) == pytest.approx(expected, abs=1e-9)


def test_rouge_l_is_that_of_rouge_score() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    class Words:
        def tokenize(self, text: str) -> list[str]:
            return tokens(text)

    oracle = RougeScorer(["rougeL"], tokenizer=Words())
    for answer, reference in _texts():
        expected = oracle.score(reference, answer)["rougeL"].fmeasure
        assert rouge_l(answer, reference) == pytest.approx(expected, abs=1e-9)


@given(st.text("ab 船周", max_size=12), st.text("ab 船周", max_size=12))
def test_the_longest_common_subsequence_is_that_of_the_definition(one: str, two: str) -> None:
    first, second = tokens(one), tokens(two)

    @cache
    def longest(i: int, j: int) -> int:
        if i == len(first) or j == len(second):
            return 0
        if first[i] == second[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    common = longest(0, 0)
    assert rouge_l(one, two) == (2 * common / (len(first) + len(second)) if common else 0)


@pytest.mark.slow
@given(st.text(), st.text())
def test_every_measure_is_in_0_to_1(answer: str, reference: str) -> None:
    found = overlap(answer, [reference])
    assert found is None or all(0 <= value <= 1 + 1e-12 for value in found.values())
