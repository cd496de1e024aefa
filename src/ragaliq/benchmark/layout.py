"""The files of a benchmark in our own layout: its languages, its rows, its hashes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ragaliq.benchmark.rows import chunk_from_row, document_id, identifier, item_from_row, nugget_from_row
from ragaliq.errors import InputError, listed
from ragaliq.formats.reading.streams import read_rows
from ragaliq.storage.files import Row
from ragaliq.types import Chunk, Item, Nugget

FOLDERS = ("corpus", "queries", "nuggets")
_CODE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")


def declared_languages(head: object, where: Path) -> tuple[str, ...]:
    """Return the languages that a `bench.json` lists.

    Raises:
        InputError: if they are not a list of different language codes; they become parts of file names.
    """
    langs = head.get("languages") if isinstance(head, dict) else None
    if not isinstance(langs, list) or not langs or not all(isinstance(lang, str) for lang in langs):
        raise InputError(f'{where}: \'languages\' must be a list of language codes, as in ["en", "de"]')
    bad = [lang for lang in langs if not is_code(lang) or langs.count(lang) > 1]
    if bad:
        raise InputError(f"{where}: 'languages' names '{bad[0]}' twice or is no language code such as de or pt-BR")
    return tuple(langs)


def is_code(lang: str) -> bool:
    """Tell whether `lang` has the form of a language code, as in `de` or `pt-BR`."""
    return _CODE.fullmatch(lang) is not None


def choose_languages(langs: Iterable[str] | None, available: tuple[str, ...]) -> tuple[str, ...]:
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


def stream_chunks(path: Path, lang: str) -> Iterator[Chunk]:
    """Yield the chunks of a corpus file, one row in memory at a time; ids are not compared.

    Raises:
        InputError: at the first line that is no chunk, with file and line.
    """
    for where, row in read_rows(path):
        yield chunk_from_row(row, lang, where)


def load_chunks(path: Path, lang: str) -> tuple[Chunk, ...]:
    """Return the chunks of a corpus file.

    Raises:
        InputError: as `stream_chunks`, and if an id stands twice.
    """
    return tuple(chunk_from_row(row, lang, where) for where, row in _unique(path, "doc_id", document_id))


def load_items(path: Path, lang: str, known: set[str]) -> tuple[Item, ...]:
    """Return the items of a file of queries; gold must name `known` chunks, unless that is empty.

    Raises:
        InputError: at the first bad row, an id that stands twice, or gold that names no chunk.
    """
    items = []
    for where, row in _unique(path, "query_id"):
        item = item_from_row(row, lang, where)
        unknown = [doc_id for group in item.gold for doc_id in group if known and doc_id not in known]
        if unknown:
            raise InputError(f"{where}: gold names '{unknown[0]}', which is no chunk of corpus/{lang}.jsonl")
        items.append(item)
    return tuple(items)


def load_nuggets(path: Path, lang: str) -> tuple[Nugget, ...]:
    """Return the nuggets of a file, none if it is missing.

    Raises:
        InputError: at the first bad row or an id that stands twice.
    """
    if not path.exists():
        return ()
    return tuple(nugget_from_row(row, lang, where) for where, row in _unique(path, "nugget_id"))


def _unique(path: Path, key: str, read: Callable[[Row, str, str], str] = identifier) -> Iterator[tuple[str, Row]]:
    """Yield `(FILE:LINE, row)` of a file whose rows have different ids.

    Raises:
        InputError: at the second row with the same id.
    """
    first: dict[str, str] = {}
    for where, row in read_rows(path):
        value = read(row, key, where)
        if value in first:
            line = first[value].rpartition(":")[2]
            raise InputError(f"{where}: {key} '{value}' stands already in line {line}; ids must be unique")
        first[value] = where
        yield where, row


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
        if not path.is_file() or file_hash(path) != recorded:
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
            digest.update(bytes.fromhex(file_hash(path)))
    return digest.hexdigest()


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file's content, read piece by piece."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
