"""A benchmark in memory, and its loading from disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import escape, glob
from pathlib import Path

from ragaliq.benchmark.collections import detect_format, load_collections
from ragaliq.benchmark.items import filled, items_of
from ragaliq.benchmark.layout import choose_languages, data_hash, declared_languages, file_hash, hash_files, own_hash
from ragaliq.benchmark.located import CORPUS, QUERIES, read_located, read_records
from ragaliq.benchmark.own_reader import chunk_documents, documents_in, read_own, read_upstream
from ragaliq.config import ALL, SAME, path_of, sample_path
from ragaliq.errors import InputError, listed
from ragaliq.formats import upstream
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.reading.stored_documents import by_doc_id
from ragaliq.storage.files import read_json
from ragaliq.types import Chunk, Item, Nugget


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Parallel queries over a knowledge base, per language.

    Attributes:
        name: the benchmark's name.
        version: its version.
        collections: the languages of the queries, each with its items, judgements and nuggets.
        chunks: the knowledge bases, in memory or on disk; there may be others than those of the queries' languages.
        hash: identifies the data: equal hashes mean the same corpora, queries and nuggets in every language of the
            folder, whichever were loaded.
        notes: what was left out while loading, and why.
        whole: the corpora of all languages were loaded.
    """

    name: str
    version: str
    collections: Mapping[str, Collection]
    chunks: Mapping[str, Sequence[Chunk]]
    hash: str
    notes: tuple[str, ...] = ()
    whole: bool = True

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the queries."""
        return tuple(self.collections)

    @property
    def built_by(self) -> tuple[str, ...]:
        """The models that it was built with, if it was built."""
        return next((collection.built_by for collection in self.collections.values()), ())

    @property
    def items(self) -> dict[str, tuple[Item, ...]]:
        """The queries of each language, with what a judge may know about them."""
        return {lang: collection.items for lang, collection in self.collections.items()}

    @property
    def nuggets(self) -> dict[str, tuple[Nugget, ...]]:
        """The nuggets of each language."""
        return {lang: collection.nuggets for lang, collection in self.collections.items()}


def load_benchmark(
    folder: Path | str,
    langs: Iterable[str] | None = None,
    knowledge_base: str = "",
    chunking: str = "windows",
    kb_lang: str = SAME,
    corpora: Mapping[str, Sequence[Chunk]] | None = None,
) -> Benchmark:
    """Load a benchmark in our own or in the upstream layout, or the judged queries of any other layout known.

    Args:
        folder: the benchmark's folder; of other layouts also the file.
        langs: languages of the queries to load; None loads all.
        knowledge_base: a file that replaces the corpus; `{lang}` in it stands for the corpus's language.
        chunking: how a corpus that comes as text is cut: `windows` or `lines`; a corpus of our own layout comes cut.
        kb_lang: the language whose corpus is loaded, too; `same` loads those of `langs`, `all` all that there are.
        corpora: those of an index on disk, by language, which are not read again.

    Raises:
        InputError: if the folder is no benchmark, a language is unknown, a row is malformed, an id occurs twice, gold
            names a chunk that does not exist, or a corpus is empty; the message names file and line.
    """
    folder = Path(sample_path(str(path_of(folder, "load_benchmark"))))
    asked = None if langs is None else list(langs)
    wanted = None if asked is None or kb_lang == ALL else [*asked, *_other_corpus(kb_lang)]
    if corpora is not None and (knowledge_base or kb_lang == ALL or upstream.is_upstream(folder)):
        raise InputError(
            "--index: holds the corpora of the data set, each language's own; leave out what replaces them"
        )
    if (folder / "bench.json").is_file():
        benchmark = _load_own(folder, wanted, corpora or {}, bool(knowledge_base), kb_lang)
    elif upstream.is_upstream(folder):
        benchmark = _load_upstream(folder, wanted, "" if knowledge_base else chunking, kb_lang)
    else:
        benchmark = _load_other(folder, wanted, corpora)
        _check_kb_lang(kb_lang, benchmark.languages)
    if knowledge_base:
        replaced = _other_corpus(kb_lang) or benchmark.languages
        benchmark = _with_knowledge_base(benchmark, knowledge_base, chunking, replaced)
    for lang in benchmark.chunks:
        if not benchmark.chunks[lang]:
            source = knowledge_base.replace("{lang}", lang) or folder
            raise InputError(f"{source}: the knowledge base for '{lang}' holds no text; give one with text")
    if kb_lang != SAME:
        chosen = choose_languages(asked, benchmark.languages)
        benchmark = replace(benchmark, collections={lang: benchmark.collections[lang] for lang in chosen})
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


def _load_own(
    folder: Path,
    langs: Iterable[str] | None,
    corpora: Mapping[str, Sequence[Chunk]],
    without_corpus: bool,
    kb_lang: str,
) -> Benchmark:
    head = read_json(folder / "bench.json")
    try:
        name, version = str(head["name"]), str(head["version"])
    except (KeyError, TypeError):
        raise InputError(f"{folder / 'bench.json'}: 'name', 'version' and 'languages' are needed") from None
    available = declared_languages(head, folder / "bench.json")
    _check_kb_lang(kb_lang, available)
    collections = read_own(folder, langs)
    chunks: dict[str, Sequence[Chunk]] = {
        lang: () if without_corpus else corpora.get(lang) or read_records(folder, lang, CORPUS) for lang in collections
    }
    for lang in collections:
        _check_gold(folder, collections[lang], by_doc_id(chunks[lang]))
    notes = next((own.notes for own in collections.values()), ())
    return Benchmark(name, version, collections, chunks, own_hash(folder, available), notes)


def _check_gold(folder: Path, collection: Collection, known: Mapping[str, Chunk]) -> None:
    for item in collection.items:
        unknown = [doc_id for group in item.gold for doc_id in group if known and doc_id not in known]
        if unknown:
            where = read_located(folder, collection.lang, QUERIES)[item.query.query_id].where
            raise InputError(f"{where}: gold names '{unknown[0]}', which is no chunk of corpus/{collection.lang}.jsonl")


def _load_upstream(folder: Path, langs: Iterable[str] | None, chunking: str, kb_lang: str) -> Benchmark:
    _check_kb_lang(kb_lang, sorted(upstream.upstream_files(folder)))
    collections = read_upstream(folder, langs, chunking)
    for path in (folder / f"orientation_{lang}.md" for lang in collections if chunking):
        if not path.is_file():
            raise InputError(f"{path}: no such file; put the documents there, or name them with --knowledge_base")
    chunks = {lang: tuple(collection.chunks()) if chunking else () for lang, collection in collections.items()}
    files = [*folder.glob("questions_*.json"), *folder.glob("orientation_*.md")]
    name, notes = next(((own.name, own.notes) for own in collections.values()), ("", ()))
    return Benchmark(name, "1", collections, chunks, hash_files(folder, files), notes)


def _load_other(folder: Path, langs: Iterable[str] | None, corpora: Mapping[str, Sequence[Chunk]] | None) -> Benchmark:
    if not detect_format(folder):
        if not folder.is_dir():
            what = "is a file" if folder.exists() else "no such folder"
            raise InputError(f"{folder}: {what}; give a benchmark's folder with --data")
        raise InputError(f"{folder}: no benchmark here (neither bench.json nor questions_LANG.json); check --data")
    collections = load_collections(folder, langs=None if langs is None else list(langs))
    chunks: dict[str, Sequence[Chunk]] = {
        lang: corpora[lang] if corpora and lang in corpora else tuple(filter(None, map(filled, collection.chunks())))
        for lang, collection in collections.items()
    }
    judged = {lang: _judged(collection, by_doc_id(chunks[lang])) for lang, collection in collections.items()}
    names = {collection.name for collection in collections.values()}
    notes = [note for collection in collections.values() for note in collection.notes]
    return Benchmark("-".join(sorted(names)), "1", judged, chunks, data_hash(folder), tuple(notes))


def _judged(collection: Collection, known: Mapping[str, Chunk]) -> Collection:
    """Return a collection with the items that have judgements or are unanswerable; all where nothing is judged."""
    items = items_of(collection, known)
    kept = (i for i in items if not collection.qrels or i.query.query_id in collection.qrels or not i.answerable)
    return replace(collection, items=tuple(kept))


def _with_knowledge_base(benchmark: Benchmark, knowledge_base: str, chunking: str, langs: Sequence[str]) -> Benchmark:
    if "{lang}" not in knowledge_base and len(langs) > 1:
        raise InputError(
            f"--knowledge_base {knowledge_base}: one file serves one language; "
            "choose it with --lang or --kb_lang, or write {lang} in the file name"
        )
    paths = {lang: Path(knowledge_base.replace("{lang}", lang)) for lang in langs}
    # Those of all languages, whichever were loaded, so that a run may grow by a language.
    files = sorted(glob("{lang}".join(map(escape, knowledge_base.split("{lang}"))).replace("{lang}", "*")))
    chunks = {lang: tuple(chunk_documents(path, lang, chunking)) for lang, path in paths.items()}
    digest = hashlib.sha256(benchmark.hash.encode())
    for path in map(Path, files):
        for document in documents_in(path):
            name = path.name if document == path else f"{path.name}/{document.relative_to(path).as_posix()}"
            digest.update(name.encode("utf-8") + b"\0" + bytes.fromhex(file_hash(document)))
    return replace(benchmark, chunks=chunks, hash=digest.hexdigest())
