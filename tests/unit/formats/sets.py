"""Small collections, and what two readings of one must have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hypothesis import strategies as st

from ragaliq.formats.reading.collection import Collection, document
from ragaliq.types import Chunk, Item, Query

ANY = st.characters(exclude_categories=["Cs"])
TEXTS = st.text(ANY, max_size=12)
LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n"), max_size=12)
# Ids that TREC's columns can hold: documents with anything but line ends inside, queries without white space.
_SOLID = st.characters(exclude_categories=["Cs", "Z", "Cc"], exclude_characters="#<\ufeff")
WORDS = st.text(_SOLID, min_size=1, max_size=5)
DOC_IDS = st.builds("{}{}{}".format, WORDS, st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=4), WORDS)
GRADES = st.integers(-1, 3)


def items_for(
    queries: Iterable[Query],
    references: Mapping[str, str] | None = None,
    gold: Mapping[str, tuple[tuple[str, ...], ...]] | None = None,
) -> tuple[Item, ...]:
    """Items of queries with the references and gold of some; `()` stands for a query that nothing answers."""
    known = gold or {}
    return tuple(
        Item(query, (references or {}).get(query.query_id, ""), known.get(query.query_id) != (),
             gold=known.get(query.query_id, ()))
        for query in queries
    )  # fmt: skip


SMALL = Collection(
    name="small",
    lang="hi",
    split="dev",
    chunks=lambda: iter(
        [
            document("10020#0", "hi", "हिन्दी भाषा", "भाषा"),
            document("docs/my file 2.md", "hi", "", "खाली"),
            document("7", "hi", 'text with "quotes"\u2028and a line'),
        ]
    ),
    items=items_for((Query("q#1", "hi", "क्या?"), Query("2", "hi", "कौन?"))),
    qrels={"q#1": {"10020#0": 1, "7": 0}, "2": {"docs/my file 2.md": 1}},
)


def facts(collection: Collection) -> dict[str, object]:
    """Return all that a collection says, its corpus included, but for its name and notes."""
    read = {query_id: dict(docs) for query_id, docs in collection.qrels.items()}
    return {
        "lang": collection.lang,
        "split": collection.split,
        "chunks": list(collection.chunks()),
        "queries": collection.queries,
        "qrels": read,
        "references": dict(collection.references),
        "truncated": collection.truncated,
    }


@st.composite
def collections(
    draw: st.DrawFn,
    doc_ids: st.SearchStrategy[str] = DOC_IDS,
    query_ids: st.SearchStrategy[str] = WORDS,
    texts: st.SearchStrategy[str] = TEXTS,
    grades: st.SearchStrategy[int] = GRADES,
) -> Collection:
    """Collections in which every query is judged, on documents of the corpus."""
    ids = draw(st.lists(doc_ids, min_size=1, max_size=4, unique=True))
    chunks = [document(doc_id, "ko", draw(texts), draw(texts)) for doc_id in ids]
    asked = draw(st.lists(query_ids, min_size=1, max_size=3, unique=True))
    judged = st.dictionaries(st.sampled_from(ids), grades, min_size=1, max_size=3)
    qrels = {query_id: draw(judged) for query_id in asked}
    queries = tuple(Query(query_id, "ko", draw(texts)) for query_id in asked)
    return Collection("drawn", "ko", "dev", lambda: iter(chunks), items_for(queries), qrels)


def with_docs(collection: Collection, docs: Mapping[str, str]) -> Collection:
    """Return the collection over another corpus."""
    chunks: list[Chunk] = [document(doc_id, collection.lang, text) for doc_id, text in docs.items()]
    return replace(collection, chunks=lambda: iter(chunks))
