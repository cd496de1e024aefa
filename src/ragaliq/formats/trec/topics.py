"""Queries of TREC: `qid<tab>text`, or the older `<top>` blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.streams import Stored, read_lines
from ragaliq.storage.files import write_lines

_FIELD = re.compile(r"<(num|title)>\s*(?:(?:Number|Topic):)?(.*?)(?=</?[A-Za-z]+>|\Z)", re.DOTALL | re.IGNORECASE)
# What one line of a table cannot hold.
_BREAKS = re.compile(r"[\t\r\n]")


def read_topics(source: Path | Stored) -> dict[str, str]:
    """Return query id → text, in the order of the file; `.gz` is decompressed.

    Lines `qid<tab>text`, or blocks `<top> <num> … <title> … </top>` of which the title is the text, its white space
    collapsed. A text may be empty.

    Raises:
        InputError: with file and line, if a line has no tab, a block lacks number or title, or an id occurs twice.
    """
    topics: dict[str, str] = {}
    for where, query_id, text in _topics(source):
        if not query_id:
            raise InputError(f"{where}: no query id; `qid<tab>text` is expected")
        if query_id in topics:
            raise InputError(f"{where}: query '{query_id}' occurs twice; remove one")
        topics[query_id] = text
    return topics


def write_topics(path: Path, topics: Mapping[str, str]) -> None:
    """Write `qid<tab>text` lines in the order given; tabs and line ends in texts become spaces.

    Raises:
        InputError: if an id is empty, holds a tab or a line end, or could be read as something else.
    """
    write_lines(path, (f"{_written(query_id, path)}\t{one_line(text)}".encode() for query_id, text in topics.items()))


def one_line(text: str) -> str:
    """Return a text with a space for each tab and line end, which no table of lines can hold."""
    return _BREAKS.sub(" ", text)


def _written(query_id: str, path: Path) -> str:
    if query_id.strip() != query_id or not query_id or _BREAKS.search(query_id) or query_id[0] in "<\ufeff":
        raise InputError(f"{path}: query id {query_id!r} cannot stand in a table of topics; rename it")
    return query_id


def _topics(source: Path | Stored) -> Iterator[tuple[str, str, str]]:
    block: list[str] | None = None
    start, name = "", str(source)
    for number, line in read_lines(source):
        where, tag = f"{name}:{number}", line.strip().lower()
        if block is None and tag.startswith("<top>"):
            block, start = [], where
        if block is not None:
            block.append(line)
            if tag.endswith("</top>"):
                yield _parsed(block, start)
                block = None
        elif tag:
            query_id, tab, text = line.partition("\t")
            if not tab:
                raise InputError(f"{where}: no tab; `qid<tab>text` or a <top> block is expected")
            yield where, query_id.strip(), text
    if block is not None:
        raise InputError(f"{start}: the <top> block has no </top>; fix it")


def _parsed(block: list[str], where: str) -> tuple[str, str, str]:
    fields: dict[str, str] = {}
    for name, text in _FIELD.findall("\n".join(block)):
        fields.setdefault(name.lower(), " ".join(text.split()))
    if "num" not in fields or "title" not in fields:
        raise InputError(f"{where}: a <top> block needs <num> and <title>; fix it")
    return where, fields["num"], fields["title"]
