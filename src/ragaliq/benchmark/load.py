"""A benchmark in memory, and its loading from disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import escape, glob
from pathlib import Path

from ragaliq.benchmark.chunking import chunk_text
from ragaliq.benchmark.collections import detect_format, load_collections
from ragaliq.benchmark.items import filled, items_of
from ragaliq.benchmark.layout import FOLDERS as FOLDERS
from ragaliq.benchmark.layout import choose_languages, hash_files, load_chunks, load_items, load_nuggets, stale_hashes
from ragaliq.benchmark.layout import declared_languages as declared_languages
from ragaliq.config import ALL, SAME
from ragaliq.errors import InputError, listed
from ragaliq.formats import upstream
from ragaliq.storage.files import read_json, read_text
from ragaliq.types import Chunk, Item, Nugget


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Parallel queries over a knowledge base, per language.

    `languages` are those of the queries; there may be chunks in others, if the queries are answered from them.

    `hash` identifies the data: equal hashes mean the same corpora, queries and nuggets in every language of the
    folder, whichever were loaded. `notes` says what was left out while loading, and why. `whole` tells that the corpora
    of all languages were loaded.
    """

    name: str
    version: str
    languages: tuple[str, ...]
    chunks: Mapping[str, tuple[Chunk, ...]]
    items: Mapping[str, tuple[Item, ...]]
    nuggets: Mapping[str, tuple[Nugget, ...]]
    hash: str
    notes: tuple[str, ...] = ()
    whole: bool = True


def load_benchmark(
    folder: Path | str,
    langs: Iterable[str] | None = None,
    knowledge_base: str = "",
    chunking: str = "windows",
    kb_lang: str = SAME,
) -> Benchmark:
    """Load a benchmark in our own or in the upstream layout, or the judged queries of any other layout known.

    Args:
        folder: the benchmark's folder; of other layouts also the file.
        langs: languages of the queries to load; None loads all.
        knowledge_base: a file that replaces the corpus; `{lang}` in it stands for the corpus's language.
        chunking: how a corpus that comes as text is cut: `windows` or `lines`; a corpus of our own layout comes cut.
        kb_lang: the language whose corpus is loaded, too; `same` loads those of `langs`, `all` all that there are.

    Raises:
        InputError: if the folder is no benchmark, a language is unknown, a row is malformed, an id stands twice, gold
            names a chunk that does not exist, or a corpus is empty; the message names file and line.
    """
    folder = Path(folder)
    asked = None if langs is None else list(langs)
    wanted = None if asked is None or kb_lang == ALL else [*asked, *_other_corpus(kb_lang)]
    if (folder / "bench.json").is_file():
        benchmark = _load_own(folder, wanted, bool(knowledge_base), kb_lang)
    elif upstream.is_upstream(folder):
        benchmark = _load_upstream(folder, wanted, "" if knowledge_base else chunking, kb_lang)
    else:
        benchmark = _load_other(folder, wanted)
        _check_kb_lang(kb_lang, benchmark.languages)
    if knowledge_base:
        corpora = _other_corpus(kb_lang) or benchmark.languages
        benchmark = _with_knowledge_base(benchmark, knowledge_base, chunking, corpora)
    for lang in benchmark.chunks:
        if not benchmark.chunks[lang]:
            source = knowledge_base.replace("{lang}", lang) or folder
            raise InputError(f"{source}: the knowledge base for '{lang}' holds no text; give one with text")
    if kb_lang != SAME:
        benchmark = _of_queries(benchmark, choose_languages(asked, benchmark.languages))
    if wanted is not None or (_other_corpus(kb_lang) and knowledge_base):
        benchmark = replace(benchmark, whole=False)
    for lang in benchmark.languages:
        if not benchmark.items[lang]:
            raise InputError(f"{folder}: no queries for '{lang}'")
    return benchmark


def require_references(benchmark: Benchmark, items: Mapping[str, Sequence[Item]]) -> None:
    """Refuse to grade answers to answerable queries without a reference answer.

    Raises:
        InputError: if one has none; it says how many, and names one.
    """
    bare = [item for own in items.values() for item in own if item.answerable and not item.reference]
    if bare:
        raise InputError(
            f"{benchmark.name}: {len(bare)} queries have no reference answer, such as '{bare[0].query.query_id}' "
            f"({bare[0].query.lang}), so that no judge can grade; take --no-judge, or `ragaliq retrieve`"
        )


def _other_corpus(kb_lang: str) -> tuple[str, ...]:
    """Return the one language whose corpus all queries are answered from; none if each has its own, or all."""
    return () if kb_lang in (SAME, ALL) else (kb_lang,)


def _check_kb_lang(kb_lang: str, available: Sequence[str]) -> None:
    if kb_lang not in (SAME, ALL, *available):
        raise InputError(f"--kb_lang: unknown language '{kb_lang}'; {listed([*available, SAME, ALL])}")


def _of_queries(benchmark: Benchmark, langs: tuple[str, ...]) -> Benchmark:
    """Return a benchmark with the queries of some languages, and all chunks."""
    items = {lang: benchmark.items[lang] for lang in langs}
    return replace(benchmark, languages=langs, items=items, nuggets={lang: benchmark.nuggets[lang] for lang in langs})


def _load_own(folder: Path, langs: Iterable[str] | None, without_corpus: bool, kb_lang: str) -> Benchmark:
    head = read_json(folder / "bench.json")
    try:
        name, version = str(head["name"]), str(head["version"])
    except (KeyError, TypeError):
        raise InputError(f"{folder / 'bench.json'}: 'name', 'version' and 'languages' are needed") from None
    available = declared_languages(head, folder / "bench.json")
    _check_kb_lang(kb_lang, available)
    chosen = choose_languages(langs, available)
    chunks = {lang: () if without_corpus else load_chunks(folder / "corpus" / f"{lang}.jsonl", lang) for lang in chosen}
    known = {lang: {chunk.doc_id for chunk in chunks[lang]} for lang in chosen}
    items = {lang: load_items(folder / "queries" / f"{lang}.jsonl", lang, known[lang]) for lang in chosen}
    nuggets = {lang: load_nuggets(folder / "nuggets" / f"{lang}.jsonl", lang) for lang in chosen}
    files = [folder / kind / f"{lang}.jsonl" for kind in FOLDERS for lang in available]
    notes = tuple(stale_hashes(folder, head.get("hashes")))
    return Benchmark(name, version, chosen, chunks, items, nuggets, hash_files(folder, files), notes)


def _load_upstream(folder: Path, langs: Iterable[str] | None, chunking: str, kb_lang: str) -> Benchmark:
    available = tuple(sorted(upstream.upstream_files(folder)))
    _check_kb_lang(kb_lang, available)
    chosen = choose_languages(langs, available)
    items, notes = upstream.load_upstream_items(folder, chosen)
    orientation = {
        lang: _chunk_file(folder / f"orientation_{lang}.md", lang, chunking) if chunking else () for lang in chosen
    }
    files = [*folder.glob("questions_*.json"), *folder.glob("orientation_*.md")]
    nuggets: dict[str, tuple[Nugget, ...]] = {lang: () for lang in chosen}
    # The layout has no name of its own; two folders tell two such benchmarks apart.
    name = "-".join(folder.resolve().parts[-2:]).strip("/")
    return Benchmark(name, "1", chosen, orientation, items, nuggets, hash_files(folder, files), tuple(notes))


def _load_other(folder: Path, langs: Iterable[str] | None) -> Benchmark:
    if not detect_format(folder):
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder; give a benchmark's folder with --data")
        raise InputError(f"{folder}: no benchmark here (neither bench.json nor questions_LANG.json); check --data")
    collections = load_collections(folder, langs=None if langs is None else list(langs))
    chunks = {lang: tuple(filter(None, map(filled, collection.chunks()))) for lang, collection in collections.items()}
    items = {}
    for lang, collection in collections.items():
        known = {chunk.doc_id for chunk in chunks[lang]}
        own = items_of(collection, known)
        items[lang] = tuple(
            item
            for item in own
            if not collection.qrels or item.query.query_id in collection.qrels or not item.answerable
        )
    nuggets = {lang: collection.nuggets for lang, collection in collections.items()}
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else [folder]
    names = {collection.name for collection in collections.values()}
    notes = [note for collection in collections.values() for note in collection.notes]
    digest = hash_files(folder if folder.is_dir() else folder.parent, files)
    return Benchmark("-".join(sorted(names)), "1", tuple(collections), chunks, items, nuggets, digest, tuple(notes))


def _with_knowledge_base(benchmark: Benchmark, knowledge_base: str, chunking: str, langs: Sequence[str]) -> Benchmark:
    if "{lang}" not in knowledge_base and len(langs) > 1:
        raise InputError(
            f"--knowledge_base {knowledge_base}: one file serves one language; "
            "choose it with --lang or --kb_lang, or write {lang} in the file name"
        )
    paths = {lang: Path(knowledge_base.replace("{lang}", lang)) for lang in langs}
    # Those of all languages, whichever were loaded, so that a run may grow by a language.
    files = sorted(glob("{lang}".join(map(escape, knowledge_base.split("{lang}"))).replace("{lang}", "*")))
    chunks = {lang: _chunk_file(path, lang, chunking) for lang, path in paths.items()}
    digest = hashlib.sha256(benchmark.hash.encode())
    for file in files:
        digest.update(Path(file).name.encode("utf-8") + b"\0" + hashlib.sha256(Path(file).read_bytes()).digest())
    return replace(benchmark, chunks=chunks, hash=digest.hexdigest())


def _chunk_file(path: Path, lang: str, chunking: str) -> tuple[Chunk, ...]:
    return tuple(chunk_text(chunking, read_text(path), path.name, lang))
