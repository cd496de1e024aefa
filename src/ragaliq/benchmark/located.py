"""The rows of a benchmark's files with the places they were read from; a bad row hides no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ragaliq.benchmark.rows import chunk_from_row, item_from_row, nugget_from_row
from ragaliq.errors import InputError
from ragaliq.storage.files import Row, parse_row, read_text
from ragaliq.types import Chunk, Item, Nugget

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Located(Generic[Record]):
    """A record and the place it was read from."""

    record: Record
    where: str


@dataclass(frozen=True, slots=True)
class Language:
    """The files of one language, as far as they could be read."""

    lang: str
    chunks: dict[str, Located[Chunk]]
    items: dict[str, Located[Item]]
    nuggets: dict[str, Located[Nugget]]


def read_language(folder: Path, lang: str, findings: list[str]) -> Language:
    """Return the files of one language as far as they can be read; what cannot joins the findings.

    A benchmark need not have nuggets in any language.
    """

    def path(kind: str) -> Path:
        return folder / kind / f"{lang}.jsonl"

    chunks = _located(path("corpus"), lang, chunk_from_row, findings)
    items = _located(path("queries"), lang, item_from_row, findings)
    has_nuggets = (folder / "nuggets").is_dir()
    nuggets = _located(path("nuggets"), lang, nugget_from_row, findings) if has_nuggets else []
    return Language(
        lang,
        _by_id(chunks, lambda chunk: chunk.doc_id, findings),
        _by_id(items, lambda item: item.query.query_id, findings),
        _by_id(nuggets, lambda nugget: nugget.nugget_id, findings),
    )


def _located(
    path: Path, lang: str, parse: Callable[[Row, str, str], Record], findings: list[str]
) -> list[Located[Record]]:
    """Return the records of a file; a bad row becomes a finding, so that it does not hide the next one."""
    found = []
    try:
        lines = read_text(path).split("\n")
    except InputError as error:
        findings.append(str(error))
        return []
    for number, line in enumerate(lines, start=1):
        where = f"{path}:{number}"
        if line.strip():
            try:
                found.append(Located(parse(parse_row(line, where), lang, where), where))
            except InputError as error:
                findings.append(str(error))
    if not found:
        findings.append(f"{path}:1: no usable row")
    return found


def _by_id(
    records: list[Located[Record]], key: Callable[[Record], str], findings: list[str]
) -> dict[str, Located[Record]]:
    found: dict[str, Located[Record]] = {}
    for located in records:
        name = key(located.record)
        if name in found:
            findings.append(f"{located.where}: id '{name}' stands already at {found[name].where}")
        found.setdefault(name, located)
    return found
