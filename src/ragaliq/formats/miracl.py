"""MIRACL: topics, qrels with explicit negatives and a corpus in shards, or rows that hold their judged passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.catalogue import check_split
from ragaliq.formats.miracl_files import choose_files, judged_files, shards
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.reading.fields import row_id, row_objects, row_text
from ragaliq.formats.reading.joining import join_judgements
from ragaliq.formats.reading.rows import Rows, read_documents
from ragaliq.formats.reading.streams import read_rows, write_gzip_lines
from ragaliq.formats.trec.qrels import read_qrels, write_qrels
from ragaliq.formats.trec.topics import read_topics, write_topics
from ragaliq.storage.files import Row, dump_row
from ragaliq.types import Chunk

_SHARD_DOCS = 500_000
_RELEVANCE = {"positive_passages": 1, "negative_passages": 0}


def is_miracl(path: Path) -> bool:
    """Return whether a folder holds queries in one of MIRACL's layouts."""
    return path.is_dir() and bool(judged_files(path))


def miracl_languages(path: Path) -> tuple[str, ...]:
    """Return the languages that a folder has queries in, sorted."""
    return tuple(sorted({lang for lang, _ in judged_files(path)}))


def read_miracl(path: Path, lang: str, split: str = "dev") -> Collection:
    """Read one language of MIRACL; the corpus stays on disk and is read shard by shard.

    Explicit negatives are judgements of 0: they are not relevant, and tell `Judged@k` what was looked at. Without
    corpus shards, rows make a corpus of their own passages, which is marked as truncated.

    Args:
        path: the folder with the topics or rows.
        lang: one of the languages there.
        split: `dev` or `train`.

    Raises:
        InputError: if the split's judgements are withheld, files are missing or malformed (with the line), or topics
            and judgements have no query in common.
    """
    check_split(f"miracl-{lang}", split)
    topics, judged = choose_files(path, lang, split)
    if topics is None:
        texts, qrels = read_passages(read_rows(judged))
    elif judged.is_file():
        texts, qrels = read_topics(topics), read_qrels(judged)
    else:
        raise InputError(f"{path}: no {judged.name} beside the topics; it is in miracl/miracl on Hugging Face")
    items, joined = join_judgements(texts, qrels, lang, judged)
    corpus = shards(path, lang)
    if topics is not None and not corpus:
        raise InputError(
            f"{path}: no miracl-corpus-v1.0-{lang}/docs-0.jsonl.gz; it is in miracl/miracl-corpus on Hugging Face"
        )
    note = (
        f"warning[truncated-corpus]: {judged}: no corpus shards, so the corpus is the judged passages alone; values "
        "are too high; fetch miracl-corpus"
    )

    def chunks() -> Iterator[Chunk]:
        rows = chain.from_iterable(map(read_rows, corpus)) if corpus else _passages(judged)
        return read_documents(rows, lang)

    return Collection(
        "miracl", lang, split, chunks, items, joined, notes=() if corpus else (note,), truncated=not corpus
    )


def write_miracl(collection: Collection, folder: Path) -> None:
    """Write a collection as topics, qrels and corpus shards; judgements come last, so files that have them are whole.

    Tabs and line ends in queries become spaces. Nuggets, references and gold groups are left out. Without a split the
    files are `dev`.
    """
    place = folder / f"miracl-corpus-v1.0-{collection.lang}"
    part = f"miracl-v1.0-{collection.lang}-{collection.split or 'dev'}.tsv"
    written = set()
    rows = ({"docid": c.doc_id, "title": c.title, "text": c.text} for c in collection.chunks())
    for number, shard in enumerate(_sharded(rows)):
        path = place / f"docs-{number}.jsonl.gz"
        write_gzip_lines(path, map(dump_row, shard))
        written.add(path)
    # Shards of a larger corpus that was here before would be read with these.
    for stale in set(place.glob("docs-*.jsonl*")) - written:
        stale.unlink()
    write_topics(folder / "topics" / f"topics.{part}", {query.query_id: query.text for query in collection.queries})
    write_qrels(folder / "qrels" / f"qrels.{part}", collection.qrels)


def read_passages(rows: Rows) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Return the texts and judgements of rows, each with the words that name its place, by query id.

    Positive passages are judged 1, negative ones 0.

    Raises:
        InputError: if a row is malformed, a query occurs twice, or a passage is both positive and negative.
    """
    texts: dict[str, str] = {}
    qrels: dict[str, dict[str, int]] = {}
    for where, row in rows:
        query_id = row_id(row, "query_id", where)
        if query_id in texts:
            raise InputError(f"{where}: query '{query_id}' occurs twice; remove one")
        texts[query_id] = row_text(row, "query", where)
        docs = qrels.setdefault(query_id, {})
        for key, relevance in _RELEVANCE.items():
            for passage in row_objects(row, key, where):
                doc_id = row_id(passage, "docid", where)
                if docs.setdefault(doc_id, relevance) != relevance:
                    raise InputError(f"{where}: passage '{doc_id}' is both positive and negative; remove one")
    return texts, qrels


def _passages(path: Path) -> Iterator[tuple[str, Row]]:
    """Yield the passages of a file of rows, each once, in the order of the file."""
    seen: set[str] = set()
    for where, row in read_rows(path):
        for passage in chain.from_iterable(row_objects(row, key, where) for key in _RELEVANCE):
            doc_id = row_id(passage, "docid", where)
            if doc_id not in seen:
                seen.add(doc_id)
                yield where, passage


def _sharded(rows: Iterable[Row]) -> Iterator[Iterator[Row]]:
    """Yield the rows in parts of `_SHARD_DOCS`; no rows are one empty part."""
    rest = iter(rows)
    yield islice(rest, _SHARD_DOCS)
    for first in rest:
        yield chain([first], islice(rest, _SHARD_DOCS - 1))
