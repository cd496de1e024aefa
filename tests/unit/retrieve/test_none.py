from __future__ import annotations

from fakes import chunk
from ragaliq.retrieve.none import NoRetriever
from ragaliq.types import Query


def test_nothing_is_found() -> None:
    retriever = NoRetriever()
    assert retriever.retrieve(Query("q1", "zh", "船"), 10) == []
    retriever.index([chunk("d1", "船", "zh")])
    assert retriever.retrieve(Query("q1", "zh", "船"), 10) == []
