"""Benchmarks with reference answers, ours and upstream's, as collections for retrieval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ragaliq.benchmark.chunking import chunk_text
from ragaliq.benchmark.judgements import derived_qrels
from ragaliq.benchmark.layout import (
    choose_languages,
    declared_languages,
    load_items,
    load_nuggets,
    stale_hashes,
    stream_chunks,
)
from ragaliq.errors import InputError
from ragaliq.formats import upstream
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.trec.qrels import read_qrels
from ragaliq.storage.files import read_json, read_text
from ragaliq.types import Chunk, Item


def read_own(folder: Path, langs: Sequence[str] | None = None) -> dict[str, Collection]:
    """Return the collections of a benchmark in our own layout, per language; the corpora stay on disk.

    Judgements are those of `qrels/LANG.tsv`; without that file, what supports a nugget or stands in gold has
    relevance 1. An unanswerable query has gold `()`; a query whose gold nobody has written down has none.

    Raises:
        InputError: if `bench.json` or a row is malformed, an id stands twice, or a language is unknown.
    """
    head = read_json(folder / "bench.json")
    available = declared_languages(head, folder / "bench.json")
    notes = tuple(stale_hashes(folder, head.get("hashes")))
    name = str(head.get("name") or folder.resolve().name)
    return {lang: _own(folder, name, lang, notes) for lang in choose_languages(langs, available)}


def own_items(folder: Path, langs: Sequence[str] | None = None) -> dict[str, tuple[Item, ...]]:
    """Return the items of a benchmark in our own layout, per language, whatever chunks there are.

    Raises:
        InputError: as `read_own`.
    """
    available = declared_languages(read_json(folder / "bench.json"), folder / "bench.json")
    return {lang: _items(folder, lang) for lang in choose_languages(langs, available)}


def _items(folder: Path, lang: str) -> tuple[Item, ...]:
    return load_items(folder / "queries" / f"{lang}.jsonl", lang, set())


def _own(folder: Path, name: str, lang: str, notes: tuple[str, ...]) -> Collection:
    items = _items(folder, lang)
    nuggets = load_nuggets(folder / "nuggets" / f"{lang}.jsonl", lang)
    gold = {item.query.query_id: item.gold for item in items if item.gold or not item.answerable}
    path = folder / "qrels" / f"{lang}.tsv"
    qrels = read_qrels(path) if path.is_file() else derived_qrels(nuggets, gold)
    return Collection(
        name=name,
        lang=lang,
        split="",
        chunks=partial(stream_chunks, folder / "corpus" / f"{lang}.jsonl", lang),
        queries=tuple(item.query for item in items),
        qrels=qrels,
        nuggets=nuggets,
        references=_references(items),
        gold=gold,
        notes=notes,
    )


def read_upstream(folder: Path, langs: Sequence[str] | None = None) -> dict[str, Collection]:
    """Return the collections of a benchmark in the upstream layout, per language.

    The corpus is `orientation_LANG.md` in windows of lines. The layout has no judgements: runs can be made with it but
    not measured, which a note says.

    Raises:
        InputError: if a file is malformed or missing, or a language is unknown.
    """
    chosen = choose_languages(langs, tuple(sorted(upstream.upstream_files(folder))))
    items, left_out = upstream.load_upstream_items(folder, chosen)
    name = "-".join(folder.resolve().parts[-2:]).strip("/")
    note = f"{folder}: this layout has no judgements; retrieval over it can be run, not measured"
    for lang in chosen:
        if not (folder / f"orientation_{lang}.md").is_file():
            raise InputError(f"{folder / f'orientation_{lang}.md'}: missing; the corpus of '{lang}' belongs there")
    return {
        lang: Collection(
            name=name,
            lang=lang,
            split="",
            chunks=_orientation(folder / f"orientation_{lang}.md", lang),
            queries=tuple(item.query for item in items[lang]),
            qrels={},
            references=_references(items[lang]),
            notes=(note, *left_out),
        )
        for lang in chosen
    }


def _orientation(path: Path, lang: str) -> Callable[[], Iterator[Chunk]]:
    return lambda: chunk_text("windows", read_text(path), path.name, lang)


def _references(items: Sequence[Item]) -> dict[str, str]:
    return {item.query.query_id: item.reference for item in items if item.reference}
