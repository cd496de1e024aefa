"""A benchmark in memory, and its loading from disk."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from glob import escape, glob
from pathlib import Path

from ragaliq.corpus.chunking import chunk_text
from ragaliq.corpus.rows import chunk_from_row, identifier, item_from_row, nugget_from_row
from ragaliq.errors import InputError, listed
from ragaliq.formats.upstream import is_upstream, load_items, upstream_files
from ragaliq.io import Row, read_json, read_jsonl, read_text
from ragaliq.types import Chunk, Item, Nugget

FOLDERS = ("corpus", "queries", "nuggets")
_CODE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Parallel queries over a knowledge base, per language.

    `hash` identifies the data: equal hashes mean the same corpora, queries and nuggets in every language of the
    folder, whichever were loaded. `notes` says what was left out while loading, and why.
    """

    name: str
    version: str
    languages: tuple[str, ...]
    chunks: Mapping[str, tuple[Chunk, ...]]
    items: Mapping[str, tuple[Item, ...]]
    nuggets: Mapping[str, tuple[Nugget, ...]]
    hash: str
    notes: tuple[str, ...] = ()


def load_benchmark(
    folder: Path | str, langs: Iterable[str] | None = None, knowledge_base: str = "", chunking: str = "windows"
) -> Benchmark:
    """Load a benchmark in our own or in the upstream layout.

    Args:
        folder: the benchmark's folder.
        langs: languages to load; None loads all.
        knowledge_base: a file that replaces the corpus; `{lang}` in it stands for the language.
        chunking: how a corpus that comes as text is cut: `windows` or `lines`; a corpus of our own layout comes cut.

    Raises:
        InputError: if the folder is no benchmark, a language is unknown, a row is malformed, an id stands twice, gold
            names a chunk that does not exist, or a corpus is empty; the message names file and line.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; give a benchmark's folder with --data")
    if (folder / "bench.json").is_file():
        benchmark = _load_own(folder, langs, bool(knowledge_base))
    elif is_upstream(folder):
        benchmark = _load_upstream(folder, langs, "" if knowledge_base else chunking)
    else:
        raise InputError(f"{folder}: no benchmark here (neither bench.json nor questions_LANG.json); check --data")
    if knowledge_base:
        benchmark = _with_knowledge_base(benchmark, knowledge_base, chunking)
    for lang in benchmark.languages:
        if not benchmark.chunks[lang]:
            source = knowledge_base.replace("{lang}", lang) or folder
            raise InputError(f"{source}: the knowledge base for '{lang}' holds no text; give one with text")
        if not benchmark.items[lang]:
            raise InputError(f"{folder}: no queries for '{lang}'")
    return benchmark


def _load_own(folder: Path, langs: Iterable[str] | None, without_corpus: bool) -> Benchmark:
    head = read_json(folder / "bench.json")
    try:
        name, version = str(head["name"]), str(head["version"])
    except (KeyError, TypeError):
        raise InputError(f"{folder / 'bench.json'}: 'name', 'version' and 'languages' are needed") from None
    available = declared_languages(head, folder / "bench.json")
    chosen = choose(langs, available)
    chunks = {
        lang: () if without_corpus else _load_chunks(folder / "corpus" / f"{lang}.jsonl", lang) for lang in chosen
    }
    known = {lang: {chunk.doc_id for chunk in chunks[lang]} for lang in chosen}
    items = {lang: _load_items(folder / "queries" / f"{lang}.jsonl", lang, known[lang]) for lang in chosen}
    nuggets = {lang: _load_nuggets(folder / "nuggets" / f"{lang}.jsonl", lang) for lang in chosen}
    files = [folder / kind / f"{lang}.jsonl" for kind in FOLDERS for lang in available]
    notes = tuple(stale_hashes(folder, head.get("hashes")))
    return Benchmark(name, version, chosen, chunks, items, nuggets, hash_files(folder, files), notes)


def declared_languages(head: object, where: Path) -> tuple[str, ...]:
    """Return the languages that a `bench.json` lists.

    Raises:
        InputError: if they are not a list of different language codes; they become parts of file names.
    """
    langs = head.get("languages") if isinstance(head, dict) else None
    if not isinstance(langs, list) or not langs or not all(isinstance(lang, str) for lang in langs):
        raise InputError(f'{where}: \'languages\' must be a list of language codes, as in ["en", "de"]')
    bad = [lang for lang in langs if not _CODE.fullmatch(lang) or langs.count(lang) > 1]
    if bad:
        raise InputError(f"{where}: 'languages' names '{bad[0]}' twice or is no language code such as de or pt-BR")
    return tuple(langs)


def _load_upstream(folder: Path, langs: Iterable[str] | None, chunking: str) -> Benchmark:
    available = tuple(sorted(upstream_files(folder)))
    chosen = choose(langs, available)
    items, notes = load_items(folder, chosen)
    orientation = {
        lang: _chunk_file(folder / f"orientation_{lang}.md", lang, chunking) if chunking else () for lang in chosen
    }
    files = [*folder.glob("questions_*.json"), *folder.glob("orientation_*.md")]
    nuggets: dict[str, tuple[Nugget, ...]] = {lang: () for lang in chosen}
    # The layout has no name of its own; two folders tell two such benchmarks apart.
    name = "-".join(folder.resolve().parts[-2:]).strip("/")
    return Benchmark(name, "1", chosen, orientation, items, nuggets, hash_files(folder, files), tuple(notes))


def choose(langs: Iterable[str] | None, available: tuple[str, ...]) -> tuple[str, ...]:
    """Return the wanted languages in the benchmark's order.

    Raises:
        InputError: if one is not in the benchmark.
    """
    if langs is None:
        return available
    wanted = list(langs)
    for lang in wanted:
        if lang not in available:
            raise InputError(f"--lang: unknown language '{lang}'; {listed([*available, 'all'])}")
    return tuple(lang for lang in available if lang in wanted)


def _with_knowledge_base(benchmark: Benchmark, knowledge_base: str, chunking: str) -> Benchmark:
    if "{lang}" not in knowledge_base and len(benchmark.languages) > 1:
        raise InputError(
            f"--knowledge_base {knowledge_base}: one file serves one language; "
            "choose it with --lang, or write {lang} in the file name"
        )
    paths = {lang: Path(knowledge_base.replace("{lang}", lang)) for lang in benchmark.languages}
    # Those of all languages, whichever were loaded, so that a run may grow by a language.
    files = sorted(glob("{lang}".join(map(escape, knowledge_base.split("{lang}"))).replace("{lang}", "*")))
    chunks = {lang: _chunk_file(path, lang, chunking) for lang, path in paths.items()}
    digest = hashlib.sha256(benchmark.hash.encode())
    for file in files:
        digest.update(Path(file).name.encode("utf-8") + b"\0" + hashlib.sha256(Path(file).read_bytes()).digest())
    return replace(benchmark, chunks=chunks, hash=digest.hexdigest())


def _chunk_file(path: Path, lang: str, chunking: str) -> tuple[Chunk, ...]:
    return tuple(chunk_text(chunking, read_text(path), path.name, lang))


def _load_chunks(path: Path, lang: str) -> tuple[Chunk, ...]:
    rows = _unique(path, "doc_id")
    return tuple(chunk_from_row(row, lang, where) for where, row in rows)


def _load_items(path: Path, lang: str, known: set[str]) -> tuple[Item, ...]:
    items = []
    for where, row in _unique(path, "query_id"):
        item = item_from_row(row, lang, where)
        unknown = [doc_id for group in item.gold for doc_id in group if known and doc_id not in known]
        if unknown:
            raise InputError(f"{where}: gold names '{unknown[0]}', which is no chunk of corpus/{lang}.jsonl")
        items.append(item)
    return tuple(items)


def _load_nuggets(path: Path, lang: str) -> tuple[Nugget, ...]:
    if not path.exists():
        return ()
    return tuple(nugget_from_row(row, lang, where) for where, row in _unique(path, "nugget_id"))


def _unique(path: Path, key: str) -> list[tuple[str, Row]]:
    """Return `(FILE:LINE, row)` of a file whose rows have different ids.

    Raises:
        InputError: at the second row with the same id.
    """
    first: dict[object, int] = {}
    rows = []
    for number, row in read_jsonl(path):
        where = f"{path}:{number}"
        value = identifier(row, key, where)
        if value in first:
            raise InputError(f"{where}: {key} '{value}' stands already in line {first[value]}; ids must be unique")
        first[value] = number
        rows.append((where, row))
    return rows


def stale_hashes(folder: Path, hashes: object) -> list[str]:
    """Return a line for each file whose content is not the one that `bench.json` records."""
    if not hashes:
        return []
    if not isinstance(hashes, dict):
        return [f"{folder / 'bench.json'}:1: 'hashes' must map file names to SHA-256"]
    found = []
    for name, recorded in sorted(hashes.items()):
        path = folder / name
        # The sources need not ship.
        if not path.is_file() and name.startswith("sources/"):
            continue
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != recorded:
            found.append(
                f"{path}:1: differs from the hash in bench.json; data/derive.py renews the hashes of your own edition"
            )
    return found


def hash_files(folder: Path, files: Iterable[Path]) -> str:
    """Return one SHA-256 over the names and contents of files that exist below `folder`."""
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode("utf-8") + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
