from __future__ import annotations

from collections.abc import Sequence
from math import log

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from ragaliq.errors import ConfigError
from ragaliq.retrieve.bm25 import LUCENE, Bm25Channel, bm25_channel, char_analyzer, check_bm25, word_analyzer
from ragaliq.retrieve.counts import Analyzer, count_words
from ragaliq.text.terms import char_ngrams
from ragaliq.types import Query

# A language without a stemmer, so that the terms are the words.
PLAIN = "xx"
WORDS = st.lists(st.sampled_from(["red", "boat", "sail", "ёж", "über", "लाल", "12"]), max_size=8).map(" ".join)
EPS = float(np.finfo(np.float32).eps)


def channel(
    texts: Sequence[str], lang: str = PLAIN, k1: float = 0.9, b: float = 0.4, analyze: Analyzer | None = None
) -> Bm25Channel:
    return bm25_channel(count_words(texts), analyze or word_analyzer(lang), k1, b)


def scores(channel: Bm25Channel, query: str, n: int) -> list[float]:
    """The score of each text, 0 for those not found."""
    (found,) = channel.search([Query("q1", PLAIN, query)], n)
    row = np.zeros(n)
    row[found.docs] = found.scores
    return list(row)


def bm25(query: Sequence[str], docs: Sequence[Sequence[str]], k1: float = 0.9, b: float = 0.4) -> list[float]:
    """BM25 in Lucene's form, written out."""
    n, average = len(docs), sum(map(len, docs)) / len(docs)
    found = []
    for doc in docs:
        score = 0.0
        for term in query:
            df, tf = sum(term in other for other in docs), doc.count(term)
            if tf:
                score += log(1 + (n - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b + b * len(doc) / average))
        found.append(score)
    return found


def test_scores_by_hand() -> None:
    found = scores(channel(["red boat", "boat boat sail train", "train"]), "boat", 3)
    # N = 3, df = 2, average length (2 + 4 + 1) / 3.
    idf, average = log(1 + (3 - 2 + 0.5) / (2 + 0.5)), (2 + 4 + 1) / 3
    first = idf * 1 / (1 + 0.9 * (1 - 0.4 + 0.4 * 2 / average))
    second = idf * 2 / (2 + 0.9 * (1 - 0.4 + 0.4 * 4 / average))
    assert found == approx([first, second, 0], rel=4 * EPS)


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=8), WORDS, st.sampled_from([(0.9, 0.4), (1.2, 0.75), (0, 0), (2, 1)]))
def test_scores_are_those_of_the_formula(texts: list[str], query: str, k1_b: tuple[float, float]) -> None:
    found = scores(channel(texts, k1=k1_b[0], b=k1_b[1]), query, len(texts))
    # Each term's weight is rounded to 32 bits a few times, and so is each sum.
    expected = bm25(query.split(), [text.split() for text in texts], *k1_b)
    assert found == approx(expected, rel=(4 + len(query.split())) * EPS, abs=0)


@settings(deadline=None)
@given(st.lists(WORDS.filter(bool), min_size=1, max_size=8), WORDS.filter(bool))
def test_scores_are_those_of_bm25s(texts: list[str], query: str) -> None:
    oracle = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    oracle.index([text.split() for text in texts], show_progress=False)
    known = [word for word in query.split() if word in oracle.vocab_dict]
    expected = oracle.get_scores(known) if known else np.zeros(len(texts))
    assert scores(channel(texts, k1=1.2, b=0.75), query, len(texts)) == approx(list(expected), rel=1e-5)


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_what_has_no_evidence_is_not_found(texts: list[str], query: str) -> None:
    (found,) = channel(texts).search([Query("q1", PLAIN, query)], 10)
    assert sorted(found.docs) == [i for i, text in enumerate(texts) if {*text.split()} & {*query.split()}]
    assert all(score > 0 for score in found.scores)


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_a_query_term_counts_as_often_as_it_stands(texts: list[str], query: str) -> None:
    found = channel(texts)
    once, twice = (scores(found, text, len(texts)) for text in (query, f"{query} {query}"))
    assert twice == approx([2 * score for score in once], rel=1e-5)


def test_a_term_of_every_text_still_counts_and_a_strange_one_does_not() -> None:
    found = channel(["red boat", "red sail"])
    assert min(scores(found, "red", 2)) > 0
    assert scores(found, "red zeppelin", 2) == scores(found, "red", 2)


@pytest.mark.parametrize("texts", [["", "…"], ["red", ""], []])
@pytest.mark.parametrize("query", ["", "?!", "zeppelin"])
def test_nothing_in_common_finds_nothing(texts: list[str], query: str) -> None:
    (found,) = channel(texts).search([Query("q1", PLAIN, query)], 5)
    assert len(found.docs) == len(found.scores) == 0


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
    other, wanted = scores(channel(texts, lang), query, 2)
    assert wanted > other


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=5), WORDS)
def test_characters_are_terms_of_their_own(texts: list[str], query: str) -> None:
    found = scores(channel(texts, k1=1.2, b=0.75, analyze=char_analyzer()), query, len(texts))
    grams = [char_ngrams(text, 3, 5) for text in texts]
    expected = bm25(char_ngrams(query, 3, 5), grams, 1.2, 0.75)
    assert found == approx(expected, rel=1e-5, abs=0)


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("harbor", "The harbour is closed.", "The kitchen is closed."),
        ("Schiff", "Das Versorgungsschiff fährt.", "Die Küche ist zu."),
        ("библиотекой", "Это библиотека.", "Это кухня."),
        ("图书", "图书馆关门了", "厨房关门了"),
        ("หนังสือ", "ร้านหนังสือปิด", "ครัวปิด"),
    ],
)
def test_characters_see_through_compounds_and_typing_errors(query: str, near: str, far: str) -> None:
    first, second = scores(channel([near, far], analyze=char_analyzer()), query, 2)
    assert first > second


def test_stemmer_and_stopwords_are_options() -> None:
    assert word_analyzer("en")("boats") == ["boat"]
    assert word_analyzer("en", stemmer=False)("boats") == ["boats"]
    assert len(LUCENE) == 33
    assert word_analyzer("en-GB", stopwords="lucene")("the") == []
    assert word_analyzer("nl", stopwords="lucene")("the") == ["the"]
    assert word_analyzer("de", stopwords=["Der", "und"])("der") == []
    assert word_analyzer("ru", stopwords=["и"])("и") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((-1, 0.4), "'k1' must be at least 0"),
        ((float("nan"), 0.4), "'k1' must be at least 0"),
        ((0.9, 1.1), "'b' from 0 to 1"),
        ((0.9, 0.4, "lucine"), "unknown stopwords 'lucine'; did you mean 'lucene'"),
        ((0.9, 0.4, 7), "must be a list of words, not 7"),
    ],
)
def test_options_that_cannot_be_are_refused(options: tuple[float, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check_bm25(*options)
