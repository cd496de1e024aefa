"""Statements: the pieces of a chunk that can stand alone as an answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, zip_longest

import regex

from ragaliq.text.sentences import sentences

_ITEM = regex.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+.*")
_ROW = regex.compile(r"\s*\|.*\|\s*")
_RULE = regex.compile(r"[\s|:-]+")
_HEADING = regex.compile(r"#{1,6}\s+.*")


def statements(text: str) -> list[str]:
    """Return the sentences of `text`, its lists and its table rows, in order.

    A row of a table carries its column heads, `head: cell; head: cell`. A list with a lead-in that ends in a colon is
    one statement, lead-in and all items, and each item also stands alone. Headings are left out unless there is
    nothing else.
    """
    pieces: list[str] = []
    lead = ""
    for kind, group in groupby(text.splitlines(), _kind):
        lines = list(group)
        # Markdown parts a list from its lead-in by a blank line.
        if kind == "blank":
            continue
        if kind == "item":
            pieces += _list(lead, [" ".join(sentences(line)) for line in lines])
            lead = ""
        elif kind == "text":
            for line in lines:
                pieces.append(lead)
                *parts, last = sentences(line) or [""]
                lead = last if last.rstrip("*_ ").endswith((":", "：")) else ""
                pieces += parts if lead else [*parts, last]
        else:
            pieces.append(lead)
            lead = ""
            pieces += _table(lines) if kind == "row" else []
    return [statement for statement in [*pieces, lead] if statement] or sentences(text)


def _kind(line: str) -> str:
    if _ROW.fullmatch(line):
        return "row"
    if _ITEM.fullmatch(line):
        return "item"
    if not line.strip():
        return "blank"
    return "heading" if _HEADING.fullmatch(line.strip()) else "text"


def _list(lead: str, items: Sequence[str]) -> list[str]:
    filled = [item for item in items if item]
    if not lead:
        return filled
    joined = " ".join(item if item[-1] in ".;,。；" else f"{item};" for item in filled)
    return [f"{lead} {joined}".rstrip("; "), *filled]


def _table(lines: Sequence[str]) -> list[str]:
    heads, *rows = ([cell.strip() for cell in line.strip()[1:-1].split("|")] for line in lines)
    filled = [row for row, line in zip(rows, lines[1:], strict=True) if not _RULE.fullmatch(line)]
    return [_table_row(heads, row) for row in filled] or [_table_row([], heads)]


def _table_row(heads: Sequence[str], cells: Sequence[str]) -> str:
    pairs = zip_longest(heads[: len(cells)], cells, fillvalue="")
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in pairs if cell)
