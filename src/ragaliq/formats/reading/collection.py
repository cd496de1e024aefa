"""One language of a data set or benchmark: the record that every format is read into and written from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ragaliq.types import Chunk, Item, Nugget, Qrels, Query


@dataclass(frozen=True, slots=True)
class Collection:
    """Corpus, queries and judgements of one language and split.

    Attributes:
        name: the data set's name, such as `scifact`.
        lang: language code of the corpus.
        split: which part of the queries, such as `test`; empty where there is one part.
        chunks: reads the corpus from its start, row by row; a collection never holds it. Blank documents come too.
        items: the queries in the order of the source, each with its reference and gold where the data set has them.
            An answerable one without gold is one whose gold nobody has written down.
        qrels: judgements by query; queries without any are absent.
        nuggets: the facts that answers need, where the data set has them.
        notes: what was left out while reading, and why, a line each.
        truncated: the corpus is a part of the data set's; values are then too high.
        built_by: the models that wrote its questions and judged its documents, if it was built.
    """

    name: str
    lang: str
    split: str
    chunks: Callable[[], Iterator[Chunk]]
    items: tuple[Item, ...]
    qrels: Qrels
    nuggets: tuple[Nugget, ...] = ()
    notes: tuple[str, ...] = ()
    truncated: bool = False
    built_by: tuple[str, ...] = ()

    @property
    def queries(self) -> tuple[Query, ...]:
        """The queries, in the order of the source."""
        return tuple(item.query for item in self.items)

    @property
    def references(self) -> dict[str, str]:
        """The reference answer of each query that has one."""
        return {item.query.query_id: item.reference for item in self.items if item.reference}

    @property
    def gold(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """For each query whose gold is known an AND of ORs over doc ids; `()` where no document answers."""
        return {item.query.query_id: item.gold for item in self.items if item.gold or not item.answerable}


def document(doc_id: str, lang: str, text: str, title: str = "") -> Chunk:
    """Return a document of a foreign collection as a chunk: its own source, from its first character to its last."""
    return Chunk(doc_id, lang, text, doc_id, 0, len(text), title)


def judged_ids(collection: Collection) -> set[str]:
    """Return the ids of all documents that judgements, gold or nuggets name."""
    named = {doc_id for judged in collection.qrels.values() for doc_id in judged}
    named.update(doc_id for item in collection.items for group in item.gold for doc_id in group)
    named.update(doc_id for nugget in collection.nuggets for doc_id in nugget.doc_ids)
    return named
