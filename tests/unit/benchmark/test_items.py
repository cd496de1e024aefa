"""Items from the queries of any collection."""

from __future__ import annotations

from dataclasses import replace

from ragaliq.benchmark.items import filled, items_of
from ragaliq.formats.reading.collection import document, judged_ids
from ragaliq.types import Item, Query
from unit.benchmark.small_collection import FULL, PLAIN

KNOWN = {chunk.doc_id for chunk in FULL.chunks()}


def test_own_gold_comes_before_judgements() -> None:
    assert items_of(FULL, KNOWN)[1:] == (
        Item(FULL.queries[1], FULL.references["q2"], gold=(("repo/lies mich.md_0",), ("tür-2",))),
        Item(FULL.queries[2], FULL.references["q3"], answerable=False),
    )


def test_any_relevant_document_answers() -> None:
    assert [item.gold for item in items_of(PLAIN, KNOWN)] == [(("tür-1",),), (("repo/lies mich.md_0", "tür-2"),)]
    assert [item.gold for item in items_of(PLAIN, KNOWN, min_rel=3)] == [(), (("repo/lies mich.md_0",),)]
    assert [item.answerable for item in items_of(PLAIN, KNOWN, min_rel=3)] == [False, True]


def test_what_nobody_judged_is_not_called_unanswerable() -> None:
    (item,) = items_of(replace(PLAIN, items=(Item(Query("q9", "de", "Wann?"), ""),)), KNOWN)
    assert item == Item(Query("q9", "de", "Wann?"), "")


def test_a_group_that_the_corpus_lacks_takes_all_gold_away() -> None:
    assert [item.gold for item in items_of(FULL, KNOWN - {"tür-2"})] == [(("tür-1",),), (), ()]
    assert [item.answerable for item in items_of(FULL, set())] == [True, True, False]


def test_all_ids_that_are_named() -> None:
    assert judged_ids(FULL) == KNOWN
    assert judged_ids(replace(PLAIN, qrels={})) == set()


def test_a_blank_document_holds_nothing() -> None:
    assert filled(document("d", "en", " \n", "\t")) is None
    assert filled(document("d", "en", "", "Title")) == document("d", "en", "Title")
    assert filled(document("d", "en", "text", "Title")) == document("d", "en", "text", "Title")
