"""The lines of a text by what they are: headings, list items, table rows, plain lines."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import regex

_HEADING = regex.compile(r"\s*(?:[-*+•]\s+)?#{1,6}\s")
# Chinese has no blank behind a mark. A number and the next one are no mark: "一、二层" are two floors.
_HAN_NUMBERS = "一二三四五六七八九十"
_IN_A_ROW = "|".join(f"{one}、{after}" for digits in (_HAN_NUMBERS, "123456789") for one, after in pairwise(digits))
_ITEM = regex.compile(
    r"\s*(?:"
    r"(?:[-*+•·–]|\d{1,2}[.)]|\p{L}\))\s+(?=\S)"
    r"|(?:[-•·–]|\d{1,2}[.．)）]|\p{L}[)）])\s*(?=\p{Han})"
    rf"|(?!(?:{_IN_A_ROW})(?!\d))(?:\d{{1,2}}|[{_HAN_NUMBERS}]{{1,3}})、\s*(?=\S)"
    rf"|[(（](?:\d{{1,2}}|[{_HAN_NUMBERS}]{{1,3}})[)）]\s*(?=\S)"
    r")"
)
_ROW = regex.compile(r"\s*\|.*\|\s*")
_WORD = regex.compile(r"[\p{L}\p{Nd}]")
_CELL_MARK = regex.compile(r"(?<!\\)\|")


class LineKind(StrEnum):
    """What a line is."""

    HEADING = "heading"
    ITEM = "list item"
    ROW = "table row"
    PLAIN = "line"


@dataclass(frozen=True, slots=True)
class Line:
    """A line with words: what it is, its text without the mark, and its columns if it is a row."""

    kind: LineKind
    text: str
    columns: int = 0


def lines_of(text: str) -> list[Line]:
    """Return the lines of a text that hold letters or digits, in order; so the rules of tables are left out."""
    return [_line(line) for line in text.splitlines() if _WORD.search(line)]


def _line(line: str) -> Line:
    if _HEADING.match(line):
        return Line(LineKind.HEADING, _HEADING.sub("", line, 1).strip())
    if _ROW.fullmatch(line):
        row = line.strip().strip("|")
        return Line(LineKind.ROW, row.strip(), len(_CELL_MARK.findall(row)) + 1)
    if _ITEM.match(line):
        return Line(LineKind.ITEM, _ITEM.sub("", line, 1).strip())
    return Line(LineKind.PLAIN, line.strip())
