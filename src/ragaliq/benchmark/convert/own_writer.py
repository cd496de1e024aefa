"""Collections written as a benchmark in our own layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ragaliq.benchmark.items import filled, items_of
from ragaliq.benchmark.layout import FOLDERS, file_hash, is_code
from ragaliq.benchmark.rows import is_document_id
from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection, judged_ids
from ragaliq.formats.reading.fields import check_query_id
from ragaliq.formats.trec.qrels import write_qrels
from ragaliq.storage.files import Row, write_json, write_jsonl
from ragaliq.types import Chunk, Item, Nugget


def write_benchmark(collections: Mapping[str, Collection], folder: Path, min_rel: int = 1) -> list[str]:
    """Write collections as one benchmark, language by language, and return a note for each thing it cannot hold.

    The corpus passes row by row. Documents without any text are left out; their judgements stay, and `bench.json` lists
    the judged ones under `blank_documents`. Gold is that of `items_of`. A query that nobody judged is written without
    `gold`, one without a reference without `reference`.

    Args:
        collections: by language code.
        folder: an empty folder, or one that is not there yet.
        min_rel: relevance from which on a document is gold.

    Raises:
        InputError: if the folder holds something, or an id or a language code does not fit the layout.
    """
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: holds something already; name an empty folder")
    notes: list[str] = []
    blank = {}
    for lang, collection in collections.items():
        if not is_code(lang):
            raise InputError(f"language '{lang}': no code such as de or pt-BR; name one with --lang")
        blank[lang] = _write_language(collection, folder, min_rel, notes)
    files = [f"{kind}/{lang}.jsonl" for kind in FOLDERS for lang in collections]
    files += [f"qrels/{lang}.tsv" for lang in collections]
    head: Row = {
        "name": "-".join(sorted({collection.name for collection in collections.values()})),
        "version": "1",
        "languages": list(collections),
        "parallel": False,
    }
    if any(blank.values()):
        head["blank_documents"] = {lang: ids for lang, ids in blank.items() if ids}
    head["hashes"] = {file: file_hash(folder / file) for file in sorted(files) if (folder / file).is_file()}
    write_json(folder / "bench.json", head)
    return notes


def _write_language(collection: Collection, folder: Path, min_rel: int, notes: list[str]) -> list[str]:
    """Write the files of one language, and return the judged documents that hold no text."""
    lang = collection.lang
    kept, blank, n_blank = _write_corpus(collection, folder / "corpus" / f"{lang}.jsonl")
    items = items_of(collection, kept, min_rel)
    for query_id in (item.query.query_id for item in items):
        check_query_id(query_id, collection.name)
    for nugget in collection.nuggets:
        check_query_id(nugget.nugget_id, collection.name, "nugget")
    queries = [_item_row(item) for item in items if item.query.text.strip()]
    write_jsonl(folder / "queries" / f"{lang}.jsonl", queries)
    write_qrels(folder / "qrels" / f"{lang}.tsv", collection.qrels)
    if collection.nuggets:
        write_jsonl(folder / "nuggets" / f"{lang}.jsonl", map(_nugget_row, collection.nuggets))
    if n_blank:
        judged = f", {len(blank)} of them judged; their judgements stay" if blank else ""
        notes.append(f"{lang}: left out {n_blank} documents without text{judged}")
    if len(queries) < len(items):
        notes.append(f"{lang}: left out {len(items) - len(queries)} queries without text")
    bare = sum(not nugget.text.strip() for nugget in collection.nuggets)
    if bare:
        notes.append(f"{lang}: {bare} nuggets have no text; their id stands for it")
    return sorted(blank)


def _write_corpus(collection: Collection, path: Path) -> tuple[set[str], set[str], int]:
    """Write the documents that have text; return the judged ones with text, those without, and how many are blank."""
    judged = judged_ids(collection)
    kept: set[str] = set()
    blank: set[str] = set()
    n_blank = 0

    def rows() -> Iterator[Row]:
        nonlocal n_blank
        for document in collection.chunks():
            chunk = filled(document)
            if chunk is None:
                n_blank += 1
                blank.update(judged & {document.doc_id})
                continue
            if not is_document_id(chunk.doc_id):
                raise InputError(f"{collection.name}: doc id {chunk.doc_id!r} holds odd white space; rename it")
            kept.update(judged & {chunk.doc_id})
            yield _chunk_row(chunk)

    write_jsonl(path, rows())
    return kept, blank, n_blank


def _chunk_row(chunk: Chunk) -> Row:
    row: Row = {key: getattr(chunk, key) for key in ("doc_id", "source_id", "start", "end", "text", "lang")}
    return {**row, "title": chunk.title} if chunk.title else row


def _item_row(item: Item) -> Row:
    row: Row = {"query_id": item.query.query_id, "lang": item.query.lang, "text": item.query.text}
    if item.reference:
        row["reference"] = item.reference
    row.update(answerable=item.answerable, type=item.type)
    # An answerable query without gold: nobody has written it down.
    if item.gold or not item.answerable:
        row["gold"] = [list(group) for group in item.gold]
    return row


def _nugget_row(nugget: Nugget) -> Row:
    return {
        "nugget_id": nugget.nugget_id,
        "query_id": nugget.query_id,
        "text": nugget.text if nugget.text.strip() else nugget.nugget_id,
        "importance": nugget.importance.value,
        "doc_ids": list(nugget.doc_ids),
    }
