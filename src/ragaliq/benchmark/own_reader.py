"""Benchmarks with reference answers, ours and upstream's, as collections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from ragaliq.benchmark.chunking import chunk_text
from ragaliq.benchmark.judgements import derived_qrels
from ragaliq.benchmark.layout import builders, choose_languages, declared_languages, rules_notes, stale_hashes
from ragaliq.benchmark.located import QUERIES, read_nuggets, read_records, stream_chunks
from ragaliq.formats import upstream
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.trec.qrels import read_qrels
from ragaliq.storage.files import read_json, read_text
from ragaliq.types import Chunk


def read_own(folder: Path, langs: Iterable[str] | None = None) -> dict[str, Collection]:
    """Return the collections of a benchmark in our own layout, per language; the corpora stay on disk.

    Judgements are those of `qrels/LANG.tsv`; without that file, what supports a nugget or stands in gold has
    relevance 1. That gold names chunks of the corpus is not checked.
    """
    head = read_json(folder / "bench.json")
    available = declared_languages(head, folder / "bench.json")
    built_by = builders(head)
    notes = (*stale_hashes(folder, head.get("hashes")), *rules_notes(built_by))
    name = str(head.get("name") or folder.resolve().name)
    return {
        lang: replace(_own(folder, name, lang), notes=notes, built_by=built_by)
        for lang in choose_languages(langs, available)
    }


def _own(folder: Path, name: str, lang: str) -> Collection:
    nuggets, path = read_nuggets(folder, lang), folder / "qrels" / f"{lang}.tsv"
    collection = Collection(
        name=name,
        lang=lang,
        split="",
        chunks=partial(stream_chunks, folder, lang),
        items=read_records(folder, lang, QUERIES),
        qrels=read_qrels(path) if path.is_file() else {},
        nuggets=nuggets,
    )
    return collection if path.is_file() else replace(collection, qrels=derived_qrels(nuggets, collection.gold))


def read_upstream(folder: Path, langs: Iterable[str] | None = None, chunking: str = "windows") -> dict[str, Collection]:
    """Return the collections of a benchmark in the upstream layout, per language, with a note for each row left out.

    The corpus is `orientation_LANG.md`, cut as `chunking` says. There are no judgements. The layout has no name of its
    own; the last two folders distinguish such benchmarks.
    """
    chosen = choose_languages(langs, tuple(sorted(upstream.upstream_files(folder))))
    items, left_out = upstream.load_upstream_items(folder, chosen)
    name = "-".join(folder.resolve().parts[-2:]).strip("/")
    return {
        lang: Collection(name, lang, "", partial(chunk_documents, folder / f"orientation_{lang}.md", lang, chunking),
                         items[lang], {}, notes=tuple(left_out))
        for lang in chosen
    }  # fmt: skip


# Endings of the documents in a folder.
_TEXTS = (".md", ".markdown", ".rst", ".txt")


def documents_in(path: Path) -> list[Path]:
    """Return the documents that a knowledge base is made of: the file, or the texts in a folder and those below it."""
    if not path.is_dir():
        return [path]
    return sorted(one for one in path.rglob("*") if one.suffix.lower() in _TEXTS and one.is_file())


def chunk_documents(path: Path, lang: str, chunking: str) -> Iterator[Chunk]:
    """Yield the chunks of a file, or of the documents of a folder, which go by their paths in it."""
    for document in documents_in(path):
        name = document.relative_to(path).as_posix() if document != path else path.name
        yield from chunk_text(chunking, read_text(document), name, lang)
