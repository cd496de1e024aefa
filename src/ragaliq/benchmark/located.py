"""The files of a benchmark in our own layout, read as records with their places; every reader of the layout is here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from ragaliq.benchmark.rows import chunk_from_row, item_from_row, nugget_from_row
from ragaliq.errors import InputError
from ragaliq.formats.reading.streams import read_lines, read_rows
from ragaliq.storage.files import Row, parse_row
from ragaliq.types import Chunk, Item, Nugget

Record = TypeVar("Record")


class Located(NamedTuple, Generic[Record]):
    """A record and the place it was read from."""

    record: Record
    where: str


@dataclass(frozen=True, slots=True)
class RowKind(Generic[Record]):
    """The rows of a folder `FOLDER/LANG.jsonl`: the key of their ids, and what they become."""

    folder: str
    key: str
    parse: Callable[[Row, str, str], Record]

    def path(self, folder: Path, lang: str) -> Path:
        """Return the file of one language."""
        return folder / self.folder / f"{lang}.jsonl"


CORPUS = RowKind("corpus", "doc_id", chunk_from_row)
QUERIES = RowKind("queries", "query_id", item_from_row)
NUGGETS = RowKind("nuggets", "nugget_id", nugget_from_row)


@dataclass(frozen=True, slots=True)
class LocatedRows:
    """The rows of one language by id, as far as they could be read."""

    lang: str
    chunks: dict[str, Located[Chunk]]
    items: dict[str, Located[Item]]
    nuggets: dict[str, Located[Nugget]]


def read_located(
    folder: Path, lang: str, kind: RowKind[Record], findings: list[str] | None = None
) -> dict[str, Located[Record]]:
    """Return the records of a file by id, in its order.

    Args:
        folder: the benchmark's folder.
        lang: the language.
        kind: which of its files.
        findings: takes what is wrong, so that a bad row hides no other; of two rows with one id the first stays.

    Raises:
        InputError: without `findings`, at the first bad row or an id that occurs twice.
    """
    rows: dict[str, Located[Record]] = {}
    path = kind.path(folder, lang)
    try:
        for number, line in read_lines(path):
            if line.strip():
                try:
                    _add(rows, line, f"{path}:{number}", lang, kind)
                except InputError as error:
                    if findings is None:
                        raise
                    findings.append(str(error))
    except InputError as error:
        if findings is None:
            raise
        findings.append(str(error))
    return rows


def _add(rows: dict[str, Located[Record]], line: str, where: str, lang: str, kind: RowKind[Record]) -> None:
    row = parse_row(line, where)
    record, name = kind.parse(row, lang, where), row[kind.key]
    if name in rows:
        first = rows[name].where.rpartition(":")[2]
        raise InputError(f"{where}: {kind.key} '{name}' stands already in line {first}; ids must be unique")
    rows[name] = Located(record, where)


def read_language(folder: Path, lang: str, findings: list[str]) -> LocatedRows:
    """Return the files of one language as far as they can be read; what cannot joins the findings.

    A benchmark need not have nuggets in any language.
    """

    def rows(kind: RowKind[Record]) -> dict[str, Located[Record]]:
        before = len(findings)
        located = read_located(folder, lang, kind, findings)
        if not located and len(findings) == before:
            findings.append(f"{kind.path(folder, lang)}:1: no usable row")
        return located

    return LocatedRows(lang, rows(CORPUS), rows(QUERIES), rows(NUGGETS) if (folder / "nuggets").is_dir() else {})


def read_records(folder: Path, lang: str, kind: RowKind[Record]) -> tuple[Record, ...]:
    """Return the records of a file."""
    return tuple(located.record for located in read_located(folder, lang, kind).values())


def read_nuggets(folder: Path, lang: str) -> tuple[Nugget, ...]:
    """Return the nuggets of a language, none without a file of them."""
    return read_records(folder, lang, NUGGETS) if NUGGETS.path(folder, lang).exists() else ()


def stream_chunks(folder: Path, lang: str) -> Iterator[Chunk]:
    """Yield the chunks of a language, one row in memory at a time; ids are not compared."""
    for where, row in read_rows(CORPUS.path(folder, lang)):
        yield chunk_from_row(row, lang, where)
