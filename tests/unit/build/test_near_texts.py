"""The prefix filter finds what a comparison of each with each finds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import SHARED
from ragaliq.benchmark.checks.near_duplicates import jaccard, ngrams
from ragaliq.build.near_texts import Near, NearTexts, folded_text

# Few words of few letters, so that many texts are near; of four scripts.
WORDS = ["wann", "wird", "die", "tür", "zu", "когда", "дверь", "门", "门几点", "关", "7", "a-b", "++", ""]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join), max_size=12)


def brute(texts: list[str], text: str, least: float) -> list[Near]:
    """Each text compared with each."""
    pairs = [(1.0 if folded_text(one) == folded_text(text) else jaccard(ngrams(one), ngrams(text)), str(number))
             for number, one in enumerate(texts)]  # fmt: skip
    return [Near(key, value) for value, key in sorted(pairs, key=lambda pair: (-pair[0], pair[1])) if value >= least]


@given(TEXTS, st.sampled_from([0.1, 1 / 3, 0.5, 0.8, 0.9, 1.0]))
def test_the_filter_loses_no_near_text(texts: list[str], least: float) -> None:
    near = NearTexts(texts, least)
    for number, text in enumerate(texts):
        assert near.near(text) == brute(texts[:number], text, least)
        near.add(str(number), text)


@given(
    st.lists(st.sampled_from(WORDS[:7]), min_size=1, max_size=6).map(" ".join),
    st.text("xyz", min_size=1, max_size=4),
    st.booleans(),
)
def test_the_filter_is_no_shorter_than_it_may_be(text: str, more: str, longer_first: bool) -> None:
    # All of one text stands in the other, whose further n-grams are the rarest: the coefficient is the least one here
    # that is found, and by the last n-gram that the filter looks at.
    one, two = (f"{text} {more}", text) if longer_first else (text, f"{text} {more}")
    near = NearTexts([text, text, one, two], jaccard(ngrams(one), ngrams(two)))
    near.add("one", one)
    assert near.near(two) == [Near("one", jaccard(ngrams(one), ngrams(two)))]


def test_the_coefficient_by_hand() -> None:
    # " ab " has the n-grams " ab", "ab ", " ab "; " ac " has three others: the coefficient of the two texts is 0.
    near = NearTexts(["ab", "ac"], 0.5)
    near.add("one", "ab")
    assert near.near("ac") == [] and near.near(" AB") == [Near("one", 1.0)]
    # " 门关 " has 门, 关 and the blank at the ends, and three pairs; " 门开 " shares 门, the blank and " 门": 3 of 9.
    near = NearTexts([], 1 / 3)
    near.add("two", "门关")
    assert near.near("门开") == [Near("two", 3 / 9)]


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(("lang", "pairs"), [("en", 8), ("de", 10), ("ru", 8), ("zh", 15)])
def test_on_real_questions_the_pairs_are_those_of_a_comparison_of_each_with_each(lang: str, pairs: int) -> None:
    articles = json.loads((SHARED / "xquad" / f"xquad.{lang}.json").read_text(encoding="utf-8"))["data"]
    texts = [qa["question"] for one in articles for paragraph in one["paragraphs"] for qa in paragraph["qas"]]
    near, by_filter = NearTexts(texts, 0.8), set()
    for number, text in enumerate(texts):
        by_filter |= {(int(one.key), number) for one in near.near(text)}
        near.add(str(number), text)
    grams = [ngrams(text) for text in texts]
    brute = {(i, j) for j in range(len(texts)) for i in range(j) if jaccard(grams[i], grams[j]) >= 0.8}
    assert by_filter == brute and len(brute) == pairs
