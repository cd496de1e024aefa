"""FreshStack: a corpus, and queries that carry their answer, its nuggets and the documents judged for each nugget.

Corpus rows `{_id, title?, text, metadata}`; query rows `{query_id, query_title, query_text, answer_id, answer_text,
nuggets, metadata}` with `nuggets: [{_id, text, relevant_corpus_ids, non_relevant_corpus_ids}]` (arXiv 2504.13128; data
sets `freshstack/corpus-oct-2024` and `freshstack/queries-oct-2024`).

A nugget belongs to the query whose row holds it. Its id is never taken apart: a prefix would give query 76 the nuggets
of query 7628, and a split at `_` would break every query id that has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.reading.fields import row_id, row_objects, row_text
from ragaliq.formats.reading.rows import Rows, read_documents
from ragaliq.formats.reading.streams import read_rows
from ragaliq.formats.trec.qrels import sum_nuggets
from ragaliq.storage.files import Row, read_json, write_jsonl
from ragaliq.types import Chunk, Importance, Item, Nugget, Qrels, Query

_CORPUS = ("corpus.jsonl", "corpus.jsonl.gz")
_QUERIES = ("queries.jsonl", "queries.jsonl.gz", "queries.json")


def read_freshstack(folder: Path, lang: str = "en") -> Collection:
    """Read a folder with `corpus.jsonl[.gz]` and `queries.jsonl[.gz]` or `queries.json`.

    A query's text is its title, a space and its body; its reference is the answer. All nuggets are vital, since
    FreshStack does not weigh them; those that no document supports stay. A document's relevance to a query is the
    number of nuggets that it supports, 0 where it was judged and supports none.
    """
    corpus, queries = _first_file(folder, _CORPUS), _first_file(folder, _QUERIES)
    name, rows = folder.resolve().name, _query_rows(queries)
    return from_rows(name, lang, rows, lambda: read_documents(read_rows(corpus), lang))


def is_freshstack(folder: Path) -> bool:
    """Return whether a folder holds a corpus, and queries whose first one has nuggets."""
    queries = [folder / name for name in _QUERIES if (folder / name).is_file()]
    if not queries or not any((folder / name).is_file() for name in _CORPUS):
        return False
    _, first = next(_query_rows(queries[0]), ("", {}))
    return "nuggets" in first


def from_rows(
    name: str, lang: str, rows: Rows, chunks: Callable[[], Iterator[Chunk]], split: str = "test"
) -> Collection:
    """Return the collection of query rows, each with the words that name its place in errors.

    Raises:
        InputError: if a row is malformed, or a query or nugget occurs twice.
    """
    items: dict[str, Item] = {}
    qrels: dict[str, dict[str, int]] = {}
    nuggets: dict[str, Nugget] = {}
    notes: list[str] = []
    for where, row in rows:
        query_id = row_id(row, "query_id", where)
        if query_id in items:
            raise InputError(f"{where}: query '{query_id}' occurs twice; remove one")
        parts = (row_text(row, key, where) for key in ("query_title", "query_text"))
        query = Query(query_id, lang, " ".join(part for part in parts if part))
        items[query_id] = Item(query, row_text(row, "answer_text", where))
        judged = {}
        for nugget_row in row_objects(row, "nuggets", where, required=True):
            nugget, docs = _nugget(nugget_row, query, where, notes)
            judged[nugget.nugget_id] = docs
            if nuggets.setdefault(nugget.nugget_id, nugget) is not nugget:
                raise InputError(f"{where}: nugget '{nugget.nugget_id}' occurs twice; give each its own id")
        if relevance := sum_nuggets({query_id: judged})[query_id]:
            qrels[query_id] = relevance
    return Collection(
        name, lang, split, chunks, tuple(items.values()), qrels, tuple(nuggets.values()), notes=tuple(notes)
    )


def judged_nuggets(nuggets: Iterable[Nugget], qrels: Qrels) -> dict[str, dict[str, dict[str, int]]]:
    """Return for each nugget 1 for the documents that support it and 0 for all others judged for its query.

    FreshStack judges a document against all nuggets of a query at once. A nugget that no document supports stays, with
    rows of 0.
    """
    judged: dict[str, dict[str, dict[str, int]]] = {}
    for nugget in nuggets:
        docs = dict.fromkeys(qrels.get(nugget.query_id, ()), 0) | dict.fromkeys(nugget.doc_ids, 1)
        judged.setdefault(nugget.query_id, {})[nugget.nugget_id] = docs
    return judged


def write_freshstack(collection: Collection, folder: Path) -> None:
    """Write a collection with nuggets; reading it gives the same documents, queries, nuggets, qrels and references.

    Raises:
        InputError: if there are no nuggets, or the qrels are not the numbers of nuggets that documents support.
    """
    judged = judged_nuggets(collection.nuggets, collection.qrels)
    _check_counts(collection, sum_nuggets(judged), folder)
    own: dict[str, list[Row]] = {}
    for nugget in collection.nuggets:
        docs = judged[nugget.query_id][nugget.nugget_id]
        row = {
            "_id": nugget.nugget_id,
            "text": nugget.text,
            "relevant_corpus_ids": list(nugget.doc_ids),
            "non_relevant_corpus_ids": [doc_id for doc_id, relevance in docs.items() if not relevance],
        }
        own.setdefault(nugget.query_id, []).append(row)
    rows = [
        {
            "query_id": item.query.query_id,
            # Title and body were joined when they were read; as a body alone they give the same query again.
            "query_title": "",
            "query_text": item.query.text,
            "answer_id": "",
            "answer_text": item.reference,
            "nuggets": own.get(item.query.query_id, []),
            "metadata": {},
        }
        for item in collection.items
    ]
    write_jsonl(folder / _QUERIES[0], rows)
    write_jsonl(folder / _CORPUS[0], map(_document_row, collection.chunks()))


def _nugget(row: Row, query: Query, where: str, notes: list[str]) -> tuple[Nugget, dict[str, int]]:
    """Return a nugget and its judgements."""
    nugget_id = row_id(row, "_id", where)
    supporting, against = (_ids(row, f"{key}_corpus_ids", where) for key in ("relevant", "non_relevant"))
    both = sorted(set(supporting) & set(against))
    if both:
        # The later judgement wins, as in FreshStack's own loader.
        notes.append(f"{where}: nugget '{nugget_id}': '{both[0]}' is judged both ways, taken as not supporting")
    docs = dict.fromkeys(supporting, 1) | dict.fromkeys(against, 0)
    doc_ids = tuple(doc_id for doc_id, relevance in docs.items() if relevance)
    text = row_text(row, "text", where)
    return Nugget(nugget_id, query.query_id, query.lang, text, Importance.VITAL, doc_ids), docs


def _ids(row: Row, key: str, where: str) -> list[str]:
    value = row.get(key)
    if not isinstance(value, list):
        raise InputError(f"{where}: '{key}' must be a list of doc ids; fix it")
    return [row_id({key: doc_id}, key, where) for doc_id in value]


def _check_counts(collection: Collection, counts: Qrels, folder: Path) -> None:
    if not collection.nuggets:
        raise InputError(f"{folder}: '{collection.name}' has no nuggets, FreshStack needs them; write beir or trec")
    known = {query.query_id for query in collection.queries}
    for query_id in sorted({*collection.qrels, *counts}):
        if query_id not in known:
            raise InputError(f"{folder}: query '{query_id}' is judged and has no text; leave it out")
        docs, supported = collection.qrels.get(query_id, {}), counts.get(query_id, {})
        odd = sorted(doc_id for doc_id in {*docs, *supported} if docs.get(doc_id) != supported.get(doc_id))
        if odd:
            raise InputError(
                f"{folder}: query '{query_id}': the relevance of '{odd[0]}' is not the number of nuggets it supports, "
                "and FreshStack holds nothing else; write trec"
            )


def _document_row(chunk: Chunk) -> Row:
    title = {"title": chunk.title} if chunk.title else {}
    return {"_id": chunk.doc_id, **title, "text": chunk.text, "metadata": {}}


def _first_file(folder: Path, names: Iterable[str]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"{folder}: none of {', '.join(names)} is here; give the folder of one topic of FreshStack")


def _query_rows(path: Path) -> Iterator[tuple[str, Row]]:
    if path.suffix != ".json":
        yield from read_rows(path)
        return
    rows = read_json(path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: a JSON list of objects is expected; fix it")
    yield from ((f"{path}: row {number}", row) for number, row in enumerate(rows, start=1))
