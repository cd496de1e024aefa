"""A retrieval data set in one language, as every format is read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ragaliq.types import Chunk, Nugget, Query

# Query id → doc id → relevance: above 0 relevant, 0 judged and not relevant, below 0 as 0; what is absent is unjudged.
Qrels = Mapping[str, Mapping[str, int]]
# Query id → nugget id → doc id → relevance. A nugget that no document supports stays, with rows of 0 or none.
NuggetQrels = Mapping[str, Mapping[str, Mapping[str, int]]]


@dataclass(frozen=True, slots=True)
class Collection:
    """Corpus, queries and judgements of one language and split.

    Attributes:
        name: the data set's name, such as `scifact`.
        lang: language code of the corpus.
        split: which part of the queries, such as `test`; empty where there is one part.
        chunks: reads the corpus from its start, row by row; a collection never holds it. Blank documents come too.
        queries: the queries, in the order of the source.
        qrels: judgements by query; queries without any are absent.
        nuggets: the facts that answers need, where the data set has them.
        references: reference answer by query id, where there are any.
        gold: for each query an AND of ORs over doc ids, where the data set has it; `()` where no document answers.
        notes: what was left out while reading, and why, a line each.
        truncated: the corpus is a part of the data set's; values are then too high.
    """

    name: str
    lang: str
    split: str
    chunks: Callable[[], Iterator[Chunk]]
    queries: tuple[Query, ...]
    qrels: Qrels
    nuggets: tuple[Nugget, ...] = ()
    references: Mapping[str, str] = field(default_factory=dict)
    gold: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    truncated: bool = False


def document(doc_id: str, lang: str, text: str, title: str = "") -> Chunk:
    """Return a document of a foreign collection as a chunk: its own source, from its first character to its last."""
    return Chunk(doc_id, lang, text, doc_id, 0, len(text), title)


def judged_ids(collection: Collection) -> set[str]:
    """Return the ids of all documents that judgements, gold or nuggets name."""
    named = {doc_id for judged in collection.qrels.values() for doc_id in judged}
    named.update(doc_id for groups in collection.gold.values() for group in groups for doc_id in group)
    named.update(doc_id for nugget in collection.nuggets for doc_id in nugget.doc_ids)
    return named
