"""Collections with reference answers, written in the layout of the RAGaliq sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection
from ragaliq.storage.files import Row, write_json, write_lines
from ragaliq.types import Chunk

_PIVOT = "en"


def write_upstream(collections: Mapping[str, Collection], folder: Path) -> list[str]:
    """Write `questions_LANG.json` and `orientation_LANG.md`, and return a note on what the layout cannot hold.

    The pivot language, `en` or else the first, carries question and answer; the others also the pivot's. A query
    without a reference answer in every language is left out, and so is the second of two with the same question in the
    pivot language. The orientation text is the corpus, chunk after chunk; where chunks of one source overlap, the
    common part stands once.

    Raises:
        InputError: if no query is left.
    """
    pivot = _PIVOT if _PIVOT in collections else next(iter(collections))
    kept = _kept(collections, pivot)
    if not kept:
        raise InputError(f"{collections[pivot].name}: no query has a reference answer, which upstream needs")
    items = {lang: {item.query.query_id: item for item in own.items} for lang, own in collections.items()}
    for lang, collection in collections.items():
        rows = []
        for query_id in kept:
            own, source = items[lang][query_id], items[pivot][query_id]
            row: Row = {"question": own.query.text, "answer": own.reference}
            if lang != pivot:
                row |= {"source_q": source.query.text, "source_a": source.reference}
            rows.append(row)
        write_json(folder / f"questions_{lang}.json", rows)
        write_lines(folder / f"orientation_{lang}.md", _text(collection))
    missing = len(collections[pivot].queries) - len(kept)
    return [f"left out: {missing} queries without a reference answer, or asked twice"] if missing else []


def _kept(collections: Mapping[str, Collection], pivot: str) -> list[str]:
    """Return the ids of the queries that can be written, in the order of the pivot language."""
    complete = [
        {item.query.query_id for item in own.items if item.query.text.strip() and item.reference.strip()}
        for own in collections.values()
    ]
    common = set.intersection(*complete)
    asked: dict[str, str] = {}
    for query in collections[pivot].queries:
        if query.query_id in common:
            asked.setdefault(query.text.strip(), query.query_id)
    return list(asked.values())


def _text(collection: Collection) -> Iterator[bytes]:
    """Yield the corpus in pieces that end where a line ends."""
    last: Chunk | None = None
    title = ""
    for chunk in collection.chunks():
        follows = last is not None and last.source_id == chunk.source_id and last.start <= chunk.start
        end = last.end if last is not None and follows else chunk.start
        if chunk.title and chunk.title != title:
            yield f"# {chunk.title}\n".encode()
        title = chunk.title
        text = chunk.text[max(0, end - chunk.start) :]
        if text.strip():
            yield f"{text}\n".encode("utf-8", "replace")
        if last is None or not follows or chunk.end > last.end:
            last = chunk
