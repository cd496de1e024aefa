from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from ragaliq.retrieve.bm25 import Bm25Channel

# A language without a stemmer, so that the terms are the words.
PLAIN = "xx"
WORDS = st.lists(st.sampled_from(["red", "boat", "sail", "ёж", "über", "लाल", "12"]), max_size=8).map(" ".join)
EPS = float(np.finfo(np.float32).eps)


def bm25(query: str, texts: list[str], k1: float = 0.9, b: float = 0.4) -> list[float]:
    """BM25 in Lucene's form, written out."""
    docs = [text.split() for text in texts]
    n, average = len(docs), sum(map(len, docs)) / len(docs)
    scores = []
    for doc in docs:
        score = 0.0
        for term in set(query.split()):
            df, tf = sum(term in other for other in docs), doc.count(term)
            if tf:
                score += log(1 + (n - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b + b * len(doc) / average))
        scores.append(score)
    return scores


def test_scores_by_hand() -> None:
    found = Bm25Channel(["red boat", "boat boat sail train", "train"], PLAIN).scores("boat")
    # N = 3, df = 2, average length (2 + 4 + 1) / 3.
    idf, average = log(1 + (3 - 2 + 0.5) / (2 + 0.5)), (2 + 4 + 1) / 3
    first = idf * 1 / (1 + 0.9 * (1 - 0.4 + 0.4 * 2 / average))
    second = idf * 2 / (2 + 0.9 * (1 - 0.4 + 0.4 * 4 / average))
    assert found.tolist() == approx([first, second, 0], rel=2 * EPS)


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_scores_are_those_of_the_formula(texts: list[str], query: str) -> None:
    found = Bm25Channel(texts, PLAIN).scores(query)
    # Each term's weight is rounded to 32 bits, and so is each sum.
    assert found.tolist() == approx(bm25(query, texts), rel=(1 + len(set(query.split()))) * EPS, abs=0)


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_no_evidence_is_exactly_0_and_evidence_is_positive(texts: list[str], query: str) -> None:
    found = Bm25Channel(texts, PLAIN).scores(query)
    assert found.dtype == np.float64
    assert [score > 0 for score in found] == [bool({*text.split()} & {*query.split()}) for text in texts]
    assert all(score >= 0 for score in found)


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_a_query_term_counts_once(texts: list[str], query: str) -> None:
    channel = Bm25Channel(texts, PLAIN)
    assert np.array_equal(channel.scores(f"{query} {query}"), channel.scores(query))


def test_a_term_of_every_text_still_counts_and_a_strange_one_does_not() -> None:
    channel = Bm25Channel(["red boat", "red sail"], PLAIN)
    assert (channel.scores("red") > 0).all()
    assert np.array_equal(channel.scores("red zeppelin"), channel.scores("red"))


@pytest.mark.parametrize("texts", [["", "…"], ["red", ""]])
@pytest.mark.parametrize("query", ["", "?!", "zeppelin"])
def test_nothing_in_common_scores_0(texts: list[str], query: str) -> None:
    assert Bm25Channel(texts, PLAIN).scores(query).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("lang", "query", "texts"),
    [
        ("en", "boats", ["A red train", "A red boat"]),
        ("de", "Häuser", ["Ein roter Zug", "Ein rotes Haus"]),
        ("fr", "continuer", ["Le train rouge", "Il continuait"]),
        ("es", "trabajando", ["El tren rojo", "Ellos trabajaron"]),
        ("ru", "книгами", ["Красный поезд", "Красная книга"]),
        ("zh", "图书馆", ["红色的火车", "红色的图书"]),
        ("th", "เรือ", ["รถไฟสีแดง", "เรือสีแดง"]),
        ("hi", "नाव", ["लाल गाड़ी", "लाल नाव"]),
    ],
)
def test_words_are_found_in_any_form(lang: str, query: str, texts: list[str]) -> None:
    other, wanted = Bm25Channel(texts, lang).scores(query)
    assert wanted > other
