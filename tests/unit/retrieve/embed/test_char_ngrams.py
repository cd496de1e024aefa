from __future__ import annotations

from collections import Counter
from math import log, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import ragaliq.retrieve.embed.char_ngrams as char_ngrams_module
from ragaliq.errors import ConfigError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.char_ngrams import DIMENSION, CharNgramEmbedder
from ragaliq.text.terms import char_ngrams, words

EPS = float(np.finfo(np.float32).eps)
# So many places that the few n-grams of these tests do not share one.
WIDE = 2**20
CORPUS = ["Red boats sail.", "Der rote Bootsmann", "Лодка красная", "红色的船开了", "लाल नाव", "boats boats boats"]


def tf_idf(text: str, corpus: list[str]) -> dict[str, float]:
    """The weights by the formula, without a matrix."""
    df = Counter(gram for other in corpus for gram in set(char_ngrams(other, 2, 4)))
    return {
        gram: (1 + log(tf)) * log(1 + (len(corpus) - df[gram] + 0.5) / (df[gram] + 0.5))
        for gram, tf in Counter(char_ngrams(text, 2, 4)).items()
        if df[gram]
    }


def cosine(first: str, second: str, corpus: list[str]) -> float:
    a, b = tf_idf(first, corpus), tf_idf(second, corpus)
    dot = sum(weight * b.get(gram, 0.0) for gram, weight in a.items())
    return dot / sqrt(sum(w * w for w in a.values()) * sum(w * w for w in b.values()))


def test_in_a_small_corpus_the_cosines_go_as_those_of_tf_idf() -> None:
    embedder = CharNgramEmbedder().fit(CORPUS)
    for query in ("boat", "rotes Boot", "красной лодкой", "船", "नाव", "boats and boots"):
        cosines = embedder.embed(CORPUS, Side.PASSAGE) @ embedder.embed([query], Side.QUERY)[0]
        expected = np.array([cosine(query, text, CORPUS) for text in CORPUS])
        # The part of the query that the corpus cannot express is dropped, so all cosines grow by one factor.
        factor = cosines.max() / expected.max()
        assert factor > 1 - EPS, query
        assert cosines.tolist() == approx((factor * expected).tolist(), abs=4 * EPS), query


def test_texts_of_a_small_corpus_keep_their_cosines() -> None:
    embedder = CharNgramEmbedder().fit(CORPUS)
    vectors = embedder.embed(CORPUS, Side.PASSAGE)
    expected = [[cosine(first, second, CORPUS) for second in CORPUS] for first in CORPUS]
    assert vectors @ vectors.T == approx(np.array(expected), abs=4 * EPS)


def test_ngrams_of_the_same_texts_come_together() -> None:
    corpus = ["wing lift", "lift drag", "wing drag", "soup bread", "bread salt", "soup salt"]
    plain, latent = CharNgramEmbedder().fit(corpus), CharNgramEmbedder(2).fit(corpus)

    def likeness(embedder: CharNgramEmbedder) -> float:
        first, second = embedder.embed(["wing lift", "drag"], Side.QUERY)
        return float(first @ second)

    assert abs(likeness(plain)) < 0.2
    assert likeness(latent) > 0.9


def test_without_a_corpus_all_ngrams_weigh_the_same() -> None:
    # " a", "ab", "b ", " ab", "ab ", " ab " against " a", "ac", "c ", " ac", "ac ", " ac ": one of six is shared.
    first, second = CharNgramEmbedder(WIDE).embed(["ab", "ac"], Side.PASSAGE)
    assert float(first @ second) == approx(1 / 6, abs=EPS)
    # "好" and "好" twice: (1 + ln 2) · 1 on one n-gram against 1, "好好" besides.
    once, repeated = CharNgramEmbedder(WIDE).embed(["好", "好好"], Side.PASSAGE)
    assert float(once @ repeated) == approx((1 + log(2)) / sqrt((1 + log(2)) ** 2 + 1), abs=EPS)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(), max_size=4), st.text(), st.sampled_from(Side))
def test_vectors_have_unit_length_and_texts_without_words_are_zero(corpus: list[str], text: str, side: Side) -> None:
    rows = [text, *corpus]
    hashed = CharNgramEmbedder(256).embed(rows[:2], side)
    assert hashed.dtype == np.float32
    assert hashed.shape == (len(rows[:2]), 256)
    expected = [1.0 if words(row) else 0.0 for row in rows]
    assert np.linalg.norm(hashed.astype(np.float64), axis=1).tolist() == approx(expected[:2], abs=EPS)
    fitted = CharNgramEmbedder().fit(rows).embed(rows, side)
    assert len(fitted) == len(rows)
    assert fitted.shape[1] <= DIMENSION
    assert np.linalg.norm(fitted.astype(np.float64), axis=1).tolist() == approx(expected, abs=EPS)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text("abc 好"), min_size=1, max_size=6), st.randoms(use_true_random=False), st.integers(1, 4))
def test_neither_the_order_of_the_corpus_nor_the_batch_changes_a_vector(
    corpus: list[str], random: Random, dimension: int
) -> None:
    shuffled = list(corpus)
    random.shuffle(shuffled)
    fitted, again = (CharNgramEmbedder(dimension).fit(texts) for texts in (corpus, shuffled))
    together = fitted.embed(corpus, Side.PASSAGE)
    alone = [again.embed([text], Side.QUERY)[0] for text in corpus]
    assert np.array_equal(together, alone)


def test_of_a_large_corpus_a_sample_is_learnt_from_whatever_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = [f"text {number} of many" for number in range(60)]
    whole = CharNgramEmbedder(8).fit(corpus).embed(corpus, Side.PASSAGE)
    monkeypatch.setattr(char_ngrams_module, "SAMPLE", 40)
    vectors = CharNgramEmbedder(8).fit(corpus).embed(corpus, Side.PASSAGE)
    assert vectors.shape == (60, 8)
    assert not np.array_equal(vectors, whole)
    again = CharNgramEmbedder(8).fit(corpus[::-1])
    assert np.array_equal(again.embed(corpus[:3], Side.QUERY), vectors[:3])


def test_a_corpus_without_words_teaches_nothing() -> None:
    for corpus in ([], ["", "…"]):
        embedder = CharNgramEmbedder(16).fit(corpus)
        assert not embedder.embed(corpus, Side.PASSAGE).any()
        assert embedder.embed(["boat"], Side.QUERY).shape == (1, 16)


def test_fitting_leaves_the_embedder_as_it_was() -> None:
    embedder = CharNgramEmbedder(64)
    before = embedder.embed(["boats"], Side.QUERY)
    assert embedder.fit(CORPUS) is not embedder
    assert np.array_equal(embedder.embed(["boats"], Side.QUERY), before)


def test_inflections_compounds_and_typing_errors_are_seen_through() -> None:
    for query, near, far in (
        ("harbor", "The harbour is closed.", "The kitchen is closed."),
        ("Schiff", "Das Versorgungsschiff fährt.", "Die Küche ist zu."),
        ("bibliotèque", "La bibliothèque ferme.", "La cuisine ferme."),
        ("navegando", "Los barcos navegan.", "La cocina cierra."),
        ("библиотекой", "Это библиотека.", "Это кухня."),
        ("图书", "图书馆关门了", "厨房关门了"),
    ):
        embedder = CharNgramEmbedder().fit([near, far])
        scores = embedder.embed([near, far], Side.PASSAGE) @ embedder.embed([query], Side.QUERY)[0]
        assert scores[0] > scores[1], query


def test_the_name_tells_what_decides_the_vectors() -> None:
    assert str(CharNgramEmbedder(64)) == str(CharNgramEmbedder(64)) != str(CharNgramEmbedder(128))
    assert CharNgramEmbedder(64).embed(["boat"], Side.QUERY).shape == (1, 64)
    assert CharNgramEmbedder(64).embed([], Side.QUERY).shape == (0, 64)
    with pytest.raises(ConfigError, match="'dimension' must be at least 1, not 0"):
        CharNgramEmbedder(0)
