"""Queries and judgements of a split meet on the query id."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.reading.joining import join_judgements
from ragaliq.types import Item, Query


def test_queries_are_those_with_text_and_judgement() -> None:
    items, qrels = join_judgements({"a": "α", "b": "β"}, {"c": {"d": 1}, "b": {"d": 0}, "a": {}}, "el", Path("qrels"))
    assert items == (Item(Query("b", "el", "β"), ""),)
    assert qrels == {"c": {"d": 1}, "b": {"d": 0}}
    for texts, judged in (({}, {}), ({"a": "α"}, {}), ({"1": "α"}, {"01": {"d": 1}})):
        with pytest.raises(InputError, match=r"qrels: error\[wrong-split\]: none of its"):
            join_judgements(texts, judged, "el", Path("qrels"))
