from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from fakes import chunk, hits
from ragaliq.rerank.lexical import LexicalReranker
from ragaliq.types import Hit, Query

QUERY = Query("q1", "en", "red boat")
TEXTS = st.lists(st.sampled_from(["red", "boat", "red boat", "train", "boat train", ""]), max_size=6)
# Scores are rounded to six digits.
DIGITS = 0.5e-6


def test_coverage_is_added_to_the_share_of_the_best_score() -> None:
    found = LexicalReranker(weight=0.5).rerank(QUERY, hits("red train", "red boat", "train", scores=[4, 3, 2]))
    # Among three hits `red` stands in two, `boat` in one.
    red, boat = log(1 + 3 / 2), log(1 + 3 / 1)
    assert [hit.chunk.doc_id for hit in found] == ["d2", "d1", "d3"]
    assert [hit.rank for hit in found] == [1, 2, 3]
    assert [hit.score for hit in found] == [
        approx(3 / 4 + 0.5 * 1, abs=DIGITS),
        approx(4 / 4 + 0.5 * red / (red + boat), abs=DIGITS),
        approx(2 / 4 + 0.5 * 0, abs=DIGITS),
    ]


def test_the_weight_decides_how_much_coverage_counts() -> None:
    given_hits = hits("red train", "red boat", scores=[4, 3])
    assert [hit.chunk.doc_id for hit in LexicalReranker(weight=0).rerank(QUERY, given_hits)] == ["d1", "d2"]
    assert [hit.score for hit in LexicalReranker(weight=0).rerank(QUERY, given_hits)] == [1, 3 / 4]


@pytest.mark.parametrize(
    ("lang", "question", "texts"),
    [
        ("en", "Where are boats mended?", ["The trains roll.", "They mend a boat."]),
        ("de", "Wo werden Boote repariert?", ["Die Züge rollen.", "Hier repariert man ein Boot."]),
        ("fr", "Où répare-t-on les bateaux ?", ["Les trains roulent.", "On répare le bateau."]),
        ("es", "¿Dónde reparan los barcos?", ["Los trenes ruedan.", "Aquí reparan el barco."]),
        ("ru", "Где чинят лодки?", ["Поезда едут.", "Здесь чинят лодку."]),
        ("zh", "哪里修船？", ["火车开了。", "这里修船。"]),
    ],
)
def test_a_chunk_that_holds_the_question_rises(lang: str, question: str, texts: list[str]) -> None:
    found = LexicalReranker().rerank(Query("q1", lang, question), hits(*texts, lang=lang))
    assert [hit.chunk.doc_id for hit in found] == ["d2", "d1"]


def test_a_title_counts_like_the_text() -> None:
    titled = replace(
        hits("It is old.", "It is old.", scores=[1, 1])[0], chunk=chunk("d0", "It is old.", title="Red boat")
    )
    found = LexicalReranker().rerank(QUERY, [*hits("It is old.", scores=[1]), titled])
    assert [(hit.chunk.doc_id, hit.score) for hit in found] == [("d0", 1 + 0.5), ("d1", 1)]


def test_ties_are_broken_by_doc_id_descending() -> None:
    same = [Hit(chunk(doc_id, "red boat"), 1.0, rank) for rank, doc_id in enumerate(["d2", "d10", "d3"], start=1)]
    assert [hit.chunk.doc_id for hit in LexicalReranker().rerank(QUERY, same)] == ["d3", "d2", "d10"]


def test_no_hits_and_no_scores() -> None:
    assert LexicalReranker().rerank(QUERY, []) == []
    assert [hit.score for hit in LexicalReranker().rerank(QUERY, hits("train", scores=[0.0]))] == [0]


@given(TEXTS, st.randoms(use_true_random=False))
def test_the_same_hits_come_back_in_descending_order_whatever_theirs_was(texts: list[str], random: Random) -> None:
    given_hits = hits(*texts)
    shuffled = list(given_hits)
    random.shuffle(shuffled)
    found = LexicalReranker().rerank(QUERY, given_hits)
    assert LexicalReranker().rerank(QUERY, shuffled) == found
    assert sorted(hit.chunk.doc_id for hit in found) == sorted(hit.chunk.doc_id for hit in given_hits)
    assert [hit.rank for hit in found] == list(range(1, len(texts) + 1))
    assert all(first.score >= second.score for first, second in pairwise(found))
    assert all(0 <= hit.score <= 1 + 0.5 for hit in found)
