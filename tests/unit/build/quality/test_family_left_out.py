"""The pool without a family of retrievers."""

from __future__ import annotations

from ragaliq.build.quality.built import Built
from ragaliq.build.quality.family_left_out import families_left_out, retriever_families


def test_a_hybrid_is_of_the_families_of_its_channels() -> None:
    names = ("bm25", "char", "dense", "sparse:some/model", "hybrid")
    assert [sorted(retriever_families(name)) for name in names] == [
        ["words"],
        ["chars"],
        ["vectors"],
        ["sparse"],
        ["chars", "vectors", "words"],
    ]


def test_what_only_a_family_finds_is_lost_with_it_and_may_turn_the_order(built: Built) -> None:
    chars, words = families_left_out(built)
    assert (chars.family, chars.left_out, chars.rest, words.rest) == ("chars", ["char"], ["bm25"], ["char"])
    assert (chars.lost, chars.tau, chars.rank_moved) == (0.0, 1.0, 0)
    # BM25 alone finds d2 of q1. d4 is a random document, and q2 was written from d5: they are in every pool.
    assert (words.queries, words.relevant, words.lost) == (2, 4, 1 / 4)
    # By all judgements BM25 (d2, d1: .72) is above characters (d1: .64), without d2 below (.48, .76), for each of the
    # three texts that a system could have.
    assert (words.systems, words.tau, words.rank_moved) == (6, -1.0, 3)
