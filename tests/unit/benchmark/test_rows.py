"""Rows become records, or an error that names the line and the field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ragaliq.benchmark.rows import chunk_from_row, item_from_row, nugget_from_row
from ragaliq.errors import InputError
from ragaliq.types import Chunk, Importance, Item, Nugget, Query

Parse = Callable[[dict[str, Any], str, str], object]
CHUNK = {"doc_id": "d1", "source_id": "s.md", "start": 5, "end": 8, "text": "a😀c", "lang": "en"}
ITEM = {
    "query_id": "q1", "lang": "en", "text": "Why?", "reference": "So.", "answerable": True, "type": "single",
    "gold": [["d1", "d2"], ["d3"]],
}  # fmt: skip
NUGGET = {"nugget_id": "n1", "query_id": "q1", "text": "It is so.", "importance": "okay", "doc_ids": ["d1"]}


def test_a_chunk() -> None:
    assert chunk_from_row(CHUNK, "en", "f:1") == Chunk("d1", "en", "a😀c", "s.md", 5, 8)
    assert chunk_from_row({**CHUNK, "title": "T"}, "en", "f:1") == Chunk("d1", "en", "a😀c", "s.md", 5, 8, "T")


def test_an_item() -> None:
    query = Query("q1", "en", "Why?")
    gold = (("d1", "d2"), ("d3",))
    assert item_from_row(ITEM, "en", "f:1") == Item(query, "So.", True, "single", gold)
    more = {**ITEM, "answerable": False, "gold": [], "aliases": ["So!"], "difficulty": "hard", "near_miss": "d9"}
    assert item_from_row(more, "en", "f:1") == Item(query, "So.", False, "single", (), ("So!",), "hard", "d9")


def test_an_item_without_reference_or_gold() -> None:
    query = Query("q1", "en", "Why?")
    without_gold = {key: value for key, value in ITEM.items() if key not in ("reference", "gold")}
    assert item_from_row(without_gold, "en", "f:1") == Item(query, "")
    assert item_from_row({**without_gold, "answerable": False}, "en", "f:1") == Item(query, "", False)
    assert item_from_row({**ITEM, "reference": None}, "en", "f:1").reference == ""


def test_spaces_may_stand_inside_the_id_of_a_document() -> None:
    for doc_id in ["d1", "docs/my file.md_0_12", "10020#0", "a  b", "説明 書", "हिन्दी 1"]:
        assert chunk_from_row({**CHUNK, "doc_id": doc_id}, "en", "f:1").doc_id == doc_id, doc_id


def test_a_nugget_that_no_document_supports() -> None:
    assert nugget_from_row({**NUGGET, "doc_ids": []}, "en", "f:1").doc_ids == ()


def test_a_nugget() -> None:
    assert nugget_from_row(NUGGET, "de", "f:1") == Nugget("n1", "q1", "de", "It is so.", Importance.OKAY, ("d1",))


def test_what_is_wrong_is_named() -> None:
    cases: list[tuple[Parse, dict[str, Any], dict[str, Any], str]] = [
        (chunk_from_row, CHUNK, {"lang": "de"}, "'lang' is 'de' in a file for 'en'"),
        (chunk_from_row, CHUNK, {"start": "5"}, "'start' must be of type int"),
        (chunk_from_row, CHUNK, {"start": True}, "'start' must be of type int"),
        (chunk_from_row, CHUNK, {"end": ...}, "'end' must be of type int; it is missing"),
        (chunk_from_row, CHUNK, {"end": 9}, "end - start is 4, but 'text' has 3 code points"),
        (chunk_from_row, CHUNK, {"text": " \n "}, "'text' is blank; a chunk carries text"),
        (chunk_from_row, CHUNK, {"doc_id": ""}, "'doc_id' must be a text without white space, but for spaces inside"),
        (chunk_from_row, CHUNK, {"doc_id": " d1"}, "'doc_id' must be a text without white space"),
        (chunk_from_row, CHUNK, {"doc_id": "d\t1"}, "'doc_id' must be a text without white space"),
        (chunk_from_row, CHUNK, {"doc_id": "d\u00a01"}, "'doc_id' must be a text without white space"),
        (chunk_from_row, CHUNK, {"doc_id": 1}, "'doc_id' must be of type str"),
        (item_from_row, ITEM, {"text": "\t"}, "'text' is blank"),
        (item_from_row, ITEM, {"reference": " "}, "'reference' is blank"),
        (item_from_row, ITEM, {"answerable": 1}, "'answerable' must be of type bool"),
        (item_from_row, ITEM, {"answerable": False}, "an answerable query has gold, an unanswerable one has none"),
        (item_from_row, ITEM, {"gold": []}, "an answerable query has gold, an unanswerable one has none"),
        (item_from_row, ITEM, {"gold": ["d1"]}, "'gold' is a list of non-empty lists of doc ids"),
        (item_from_row, ITEM, {"gold": [[]]}, "'gold' is a list of non-empty lists of doc ids"),
        (item_from_row, ITEM, {"gold": [[1]]}, "'gold' is a list of non-empty lists of doc ids"),
        (item_from_row, ITEM, {"aliases": "So!"}, "'aliases' is a list of texts"),
        (item_from_row, ITEM, {"type": None}, "'type' must be of type str"),
        (nugget_from_row, NUGGET, {"importance": "high"}, "'importance' is 'vital' or 'okay', not 'high'"),
        (item_from_row, ITEM, {"query_id": "q 1"}, "'query_id' must be a text without white space"),
        (nugget_from_row, NUGGET, {"doc_ids": [""]}, "'doc_ids' is a list of doc ids"),
        (nugget_from_row, NUGGET, {"text": ""}, "'text' is blank"),
        (nugget_from_row, NUGGET, {"query_id": ...}, "'query_id' must be of type str; it is missing"),
    ]
    for parse, row, change, message in cases:
        changed = {key: value for key, value in {**row, **change}.items() if value is not ...}
        with pytest.raises(InputError) as caught:
            parse(changed, "en", "corpus/en.jsonl:7")
        assert str(caught.value).startswith(f"corpus/en.jsonl:7: {message}"), change
