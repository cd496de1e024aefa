"""Statements: the pieces of a chunk that can stand alone as an answer."""

from __future__ import annotations

import regex

from ragaliq.text.sentences import sentences

_ITEM = regex.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+(?P<text>.*)")
_ROW = regex.compile(r"\s*\|(?P<cells>.*)\|\s*")
_RULE = regex.compile(r"[\s|:-]+")
_HEADING = regex.compile(r"#{1,6}\s+.*")


def statements(text: str) -> list[str]:
    """Return the sentences of `text`, its lists and its table rows, in order.

    A row of a table carries its column heads, `head: cell; head: cell`. A list with a lead-in that ends in a colon is
    one statement, lead-in and all items, and each item also stands alone. Headings are left out unless there is
    nothing else.
    """
    found: list[str] = []
    heads: list[str] | None = None
    alone = False
    lead, items = "", list[str]()
    for line in text.splitlines():
        row, item = _ROW.fullmatch(line), _ITEM.fullmatch(line)
        if row:
            found += _list(lead, items)
            lead, items = "", []
            cells = [cell.strip() for cell in row["cells"].split("|")]
            if heads is None:
                heads, alone = cells, True
            elif not _RULE.fullmatch(line):
                found.append(_table_row(heads, cells))
                alone = False
            continue
        if heads and alone:
            found.append(_table_row([], heads))
        heads = None
        if item:
            items.append(" ".join(sentences(line)))
            continue
        if not line.strip() and lead and not items:
            # Markdown parts a list from its lead-in by a blank line.
            continue
        found += _list(lead, items)
        lead, items = "", []
        if not line.strip() or _HEADING.fullmatch(line.strip()):
            continue
        parts = sentences(line)
        if parts and parts[-1].rstrip("*_ ").endswith((":", "：")):
            lead = parts.pop()
        found += parts
    if heads and alone:
        found.append(_table_row([], heads))
    found += _list(lead, items)
    return [statement for statement in found if statement] or sentences(text)


def _list(lead: str, items: list[str]) -> list[str]:
    filled = [item for item in items if item]
    if not lead:
        return filled
    whole = (
        f"{lead} {' '.join(item if item[-1] in '.;,。；' else item + ';' for item in filled)}".rstrip(";")
        if filled
        else lead
    )
    return [whole, *filled]


def _table_row(heads: list[str], cells: list[str]) -> str:
    pairs = [(heads[i] if i < len(heads) else "", cell) for i, cell in enumerate(cells)]
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in pairs if cell)
