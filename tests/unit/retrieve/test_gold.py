"""The oracle finds the gold of a query, group by group, and nothing else."""

from __future__ import annotations

import pytest

from fakes import chunk
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import ConfigError
from ragaliq.retrieve.gold import GoldRetriever
from ragaliq.types import Query

GOLD = {("en", "q1"): [["a", "b"], ["c"], ["a", "d", "e"]], ("de", "q1"): [["b"]], ("en", "none"): []}


def ranked(query_id: str, lang: str = "en", top_k: int = 10) -> list[tuple[str, float, int]]:
    retriever = GoldRetriever(GOLD)
    retriever.index([chunk(name, name) for name in "abcdx"])
    retriever.index([chunk(name, name, "de") for name in "ab"])
    hits = retriever.retrieve(Query(query_id, lang, "?"), top_k)
    return [(hit.chunk.doc_id, hit.score, hit.rank) for hit in hits]


def test_c33_one_of_each_group_comes_before_the_second_of_any() -> None:
    # The third group begins with a, which is there already; e is in no corpus.
    assert ranked("q1") == [("a", 1, 1), ("c", 1 / 2, 2), ("b", 1 / 3, 3), ("d", 1 / 4, 4)]
    assert ranked("q1", top_k=2) == [("a", 1, 1), ("c", 1 / 2, 2)]
    assert ranked("q1", "de") == [("b", 1, 1)]


def test_without_gold_it_finds_nothing() -> None:
    assert ranked("none") == ranked("unknown") == ranked("q1", "fr") == []


def test_only_who_is_told_the_gold_can_make_it() -> None:
    with pytest.raises(ConfigError, match="option 'gold' is needed"):
        make("retriever", Component("gold"), embedder=None, session=None)
