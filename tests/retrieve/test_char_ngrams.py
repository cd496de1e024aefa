from __future__ import annotations

from collections import Counter
from math import log, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from ragaliq.retrieve import Side
from ragaliq.retrieve.char_ngrams import CharNgramEmbedder
from ragaliq.text.analysis import char_ngrams, words

EPS = float(np.finfo(np.float32).eps)
# So many places that the few n-grams of these tests do not share one.
WIDE = 2**20
CORPUS = ["Red boats sail.", "Der rote Bootsmann", "Лодка красная", "红色的船开了", "लाल नाव", "boats boats boats"]


def cosine(first: str, second: str, corpus: list[str]) -> float:
    """Tf-idf cosine by the formula, without hashing."""
    grams = [Counter(char_ngrams(text, 2, 4)) for text in (first, second)]
    df = Counter(gram for text in corpus for gram in set(char_ngrams(text, 2, 4)))
    a, b = (
        {
            gram: (1 + log(tf)) * log(1 + (len(corpus) - df[gram] + 0.5) / (df[gram] + 0.5))
            for gram, tf in counts.items()
        }
        for counts in grams
    )
    dot = sum(weight * b.get(gram, 0.0) for gram, weight in a.items())
    return dot / sqrt(sum(w * w for w in a.values()) * sum(w * w for w in b.values()))


@pytest.mark.parametrize("query", ["boat", "rotes Boot", "красной лодкой", "船", "नाव", "boats and boots"])
def test_inner_products_are_tf_idf_cosines(query: str) -> None:
    embedder = CharNgramEmbedder(WIDE).fit(CORPUS)
    found = embedder.embed(CORPUS, Side.PASSAGE) @ embedder.embed([query], Side.QUERY)[0]
    # Products of unit vectors whose entries are rounded to 32 bits.
    assert found.tolist() == approx([cosine(query, text, CORPUS) for text in CORPUS], abs=4 * EPS)


def test_without_a_corpus_all_ngrams_weigh_the_same() -> None:
    # " a", "ab", "b ", " ab", "ab ", " ab " against " a", "ac", "c ", " ac", "ac ", " ac ": one of six is shared.
    first, second = CharNgramEmbedder(WIDE).embed(["ab", "ac"], Side.PASSAGE)
    assert float(first @ second) == approx(1 / 6, abs=EPS)
    # "好" and "好" twice: (1 + ln 2) · 1 on one n-gram against 1, "好好" besides.
    once, repeated = CharNgramEmbedder(WIDE).embed(["好", "好好"], Side.PASSAGE)
    assert float(once @ repeated) == approx((1 + log(2)) / sqrt((1 + log(2)) ** 2 + 1), abs=EPS)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(), max_size=4), st.text(), st.sampled_from(Side))
def test_vectors_have_unit_length_and_texts_without_words_are_zero(corpus: list[str], text: str, side: Side) -> None:
    for embedder in (CharNgramEmbedder(), CharNgramEmbedder().fit(corpus)):
        vectors = embedder.embed([text, *corpus], side)
        assert vectors.dtype == np.float32
        assert vectors.shape == (1 + len(corpus), 4096)
        expected = [1.0 if words(row) else 0.0 for row in [text, *corpus]]
        assert np.linalg.norm(vectors.astype(np.float64), axis=1).tolist() == approx(expected, abs=EPS)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("abc 好"), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_neither_the_order_of_the_corpus_nor_the_batch_changes_a_vector(corpus: list[str], random: Random) -> None:
    shuffled = list(corpus)
    random.shuffle(shuffled)
    together = CharNgramEmbedder(64).fit(corpus).embed(corpus, Side.PASSAGE)
    alone = [CharNgramEmbedder(64).fit(shuffled).embed([text], Side.QUERY)[0] for text in corpus]
    assert np.array_equal(together, alone)


def test_fitting_leaves_the_embedder_as_it_was() -> None:
    embedder = CharNgramEmbedder(64)
    before = embedder.embed(["boats"], Side.QUERY)
    assert embedder.fit(CORPUS) is not embedder
    assert np.array_equal(embedder.embed(["boats"], Side.QUERY), before)


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("harbor", "The harbour is closed.", "The kitchen is closed."),
        ("Schiff", "Das Versorgungsschiff fährt.", "Die Küche ist zu."),
        ("bibliotèque", "La bibliothèque ferme.", "La cuisine ferme."),
        ("navegando", "Los barcos navegan.", "La cocina cierra."),
        ("библиотекой", "Это библиотека.", "Это кухня."),
        ("图书", "图书馆关门了", "厨房关门了"),
    ],
)
def test_inflections_compounds_and_typing_errors_are_seen_through(query: str, near: str, far: str) -> None:
    embedder = CharNgramEmbedder().fit([near, far])
    scores = embedder.embed([near, far], Side.PASSAGE) @ embedder.embed([query], Side.QUERY)[0]
    assert scores[0] > scores[1]


def test_the_name_tells_what_decides_the_vectors() -> None:
    assert str(CharNgramEmbedder(64)) == str(CharNgramEmbedder(64)) != str(CharNgramEmbedder(128))
    assert CharNgramEmbedder(64).embed(["boat"], Side.QUERY).shape == (1, 64)
    assert CharNgramEmbedder(64).embed([], Side.QUERY).shape == (0, 64)
