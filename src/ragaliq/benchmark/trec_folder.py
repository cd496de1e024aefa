"""Folders of TREC files: `topics.LANG.tsv`, `qrels.LANG.txt`, `qrels.LANG.nuggets.txt`, `corpus.LANG.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from ragaliq.benchmark.judgements import binary_qrels, subtopic_qrels
from ragaliq.benchmark.layout import choose_languages, is_code, one_language
from ragaliq.errors import InputError
from ragaliq.formats.freshstack import judged_nuggets
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.reading.rows import read_documents
from ragaliq.formats.reading.streams import read_rows
from ragaliq.formats.trec.qrels import (
    has_nuggets,
    read_nugget_qrels,
    read_qrels,
    sum_nuggets,
    write_nugget_qrels,
    write_qrels,
)
from ragaliq.formats.trec.topics import read_topics, write_topics
from ragaliq.storage.files import Row, write_jsonl
from ragaliq.types import Chunk, Importance, Item, Nugget, NuggetQrels, Query

_TOPICS = re.compile(r"topics\.([A-Za-z0-9-]+)\.tsv")


def write_trec(collections: Mapping[str, Collection], folder: Path, min_rel: int = 1) -> list[str]:
    """Write collections as TREC files, and return a note for each thing that they cannot hold.

    For each language: `topics.LANG.tsv`; `corpus.LANG.jsonl` (rows of BEIR); `qrels.LANG.txt` as judged, and
    `qrels.LANG.binary.txt` with 1 for a relevance of at least `min_rel`, else 0. Where there are nuggets,
    `qrels.LANG.nuggets.txt` says which document supports which, and `qrels.LANG.count.txt` how many each supports.
    """
    notes = []
    for lang, collection in collections.items():
        write_topics(folder / f"topics.{lang}.tsv", {query.query_id: query.text for query in collection.queries})
        write_qrels(folder / f"qrels.{lang}.txt", collection.qrels)
        write_qrels(folder / f"qrels.{lang}.binary.txt", binary_qrels(collection.qrels, min_rel))
        if collection.nuggets:
            write_nugget_qrels(folder / f"qrels.{lang}.nuggets.txt", subtopic_qrels(collection))
            counts = sum_nuggets(judged_nuggets(collection.nuggets, collection.qrels))
            write_qrels(folder / f"qrels.{lang}.count.txt", counts)
            notes.append(f"{lang}: trec holds which documents support a nugget, not its text and importance")
        write_jsonl(folder / f"corpus.{lang}.jsonl", map(_row, collection.chunks()))
    return notes


def is_trec(folder: Path) -> bool:
    """Return whether a folder holds topics and qrels."""
    return folder.is_dir() and all(any(map(Path.is_file, folder.glob(kind))) for kind in ("topics*", "qrels*"))


def read_trec(folder: Path, langs: Sequence[str] | None = None, split: str = "") -> dict[str, Collection]:
    """Return the collections in a folder of TREC files, per language.

    Either the files that `write_trec` writes, or one file of topics, one of qrels and `corpus.jsonl` under any names
    that begin so; `split` chooses among several by a part of their names, and the one language named, `en` without, is
    theirs. Subtopic qrels become nuggets without text.

    Raises:
        InputError: if a file is missing or malformed, or several would do.
    """
    parts = [match[1] for path in sorted(folder.glob("topics.*.tsv")) if (match := _TOPICS.fullmatch(path.name))]
    available = tuple(lang for lang in parts if is_code(lang) and (folder / f"qrels.{lang}.txt").is_file())
    name = folder.resolve().name
    if available and split:
        raise InputError(f"--split: {folder} has one part of the queries for each language; leave it out")
    if available:
        return {lang: _ours(folder, name, lang) for lang in choose_languages(langs, available)}
    lang = one_language(langs)
    topics, qrels = (_one(folder, kind, split) for kind in ("topics", "qrels"))
    with_nuggets = has_nuggets(qrels)
    files = (topics, None if with_nuggets else qrels, qrels if with_nuggets else None, folder / "corpus.jsonl")
    return {lang: _collection(name, lang, split, files)}


def _ours(folder: Path, name: str, lang: str) -> Collection:
    nuggets = folder / f"qrels.{lang}.nuggets.txt"
    topics, qrels, corpus = (folder / f for f in (f"topics.{lang}.tsv", f"qrels.{lang}.txt", f"corpus.{lang}.jsonl"))
    return _collection(name, lang, "", (topics, qrels, nuggets if nuggets.is_file() else None, corpus))


def _one(folder: Path, kind: str, split: str) -> Path:
    paths = sorted(path for path in folder.glob(f"{kind}*") if path.is_file() and split in path.name)
    if len(paths) != 1:
        names = ", ".join(path.name for path in paths) or "none"
        raise InputError(f"{folder}: one file {kind}* is needed, here are: {names}; choose with --split PART_OF_NAME")
    return paths[0]


def _collection(name: str, lang: str, split: str, files: tuple[Path, Path | None, Path | None, Path]) -> Collection:
    topics, qrels, nuggets, corpus = files
    judged: NuggetQrels = {} if nuggets is None else read_nugget_qrels(nuggets)
    return Collection(
        name=name,
        lang=lang,
        split=split,
        chunks=partial(_documents, corpus, lang),
        items=tuple(Item(Query(query_id, lang, text), "") for query_id, text in read_topics(topics).items()),
        qrels=sum_nuggets(judged) if qrels is None else read_qrels(qrels),
        nuggets=tuple(_nuggets(judged, lang)),
    )


def _nuggets(judged: NuggetQrels, lang: str) -> Iterator[Nugget]:
    ids = [nugget_id for by_nugget in judged.values() for nugget_id in by_nugget]
    # In the subtopic qrels of TREC every topic counts its subtopics from 1.
    unique = len(set(ids)) == len(ids)
    for query_id, by_nugget in judged.items():
        for nugget_id, docs in by_nugget.items():
            supporting = tuple(doc_id for doc_id, relevance in docs.items() if relevance > 0)
            own_id = nugget_id if unique else f"{query_id}-{nugget_id}"
            yield Nugget(own_id, query_id, lang, "", Importance.VITAL, supporting)


def _documents(path: Path, lang: str) -> Iterator[Chunk]:
    if not path.is_file():
        raise InputError(
            f"{path}: missing; without a corpus there is nothing to retrieve, `ragaliq measure` needs none"
        )
    return read_documents(read_rows(path), lang)


def _row(chunk: Chunk) -> Row:
    return {"_id": chunk.doc_id, "title": chunk.title, "text": chunk.text}
