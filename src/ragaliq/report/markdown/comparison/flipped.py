"""Queries that changed between two systems, as Markdown and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.compare.flips import Flips, QueryChange
from ragaliq.report.format import bulleted, code, escaped, number

# Queries of one system and language that Markdown shows each way; JSON has all.
_SHOWN = 10
# Queries that Markdown shows in all, but for one of each list: GitHub takes comments of 65,536 characters.
_MOST = 200
_QUESTION = 60


def flips_text(flips: Sequence[Flips]) -> str:
    """Return the queries that flipped as sections that unfold, those lost first; empty for none."""
    ways = [
        (one, way, changes)
        for one in flips
        for way, changes in (("good to bad", one.lost), ("bad to good", one.gained))
        if changes
    ]
    if not ways:
        return ""
    shown = max(1, min(_SHOWN, _MOST // len(ways)))
    blocks = [
        details(f"{one.system}{f' ({one.lang})' if one.lang else ''}: {len(changes)} from {way}",
                changes_list(changes, shown))
        for one, way, changes in ways
    ]  # fmt: skip
    return "\n\n".join(["Queries that flipped, greatest change first:", *blocks])


def flips_json(flips: Sequence[Flips]) -> list[dict[str, Any]]:
    """Return all queries that flipped, as programs read them."""
    return [
        {
            "system": one.system,
            "lang": one.lang,
            "good_to_bad": [change_json(change) for change in one.lost],
            "bad_to_good": [change_json(change) for change in one.gained],
        }
        for one in flips
    ]


def changes_list(changes: Sequence[QueryChange], shown: int = _SHOWN) -> str:
    """Return the first queries as a list, each with its question's beginning, and how many there are beyond them."""
    more = [f"and {len(changes) - shown} more (`--format json` has all)"] if len(changes) > shown else []
    return bulleted([*map(_line, changes[:shown]), *more])


def change_json(change: QueryChange) -> dict[str, Any]:
    """Return one query as programs read it; grades are null where the values are not of one grade each."""
    return {
        "query": change.query.query,
        "occurrence": change.query.occurrence,
        "question": change.question,
        "before": change.before,
        "after": change.after,
        "grades": None if change.grades is None else list(change.grades),
    }


def details(summary: str, text: str) -> str:
    """Return a section that unfolds; blank lines around the text let it be Markdown."""
    shown = escaped(summary).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<details><summary>{shown}</summary>\n\n{text}\n\n</details>"


def _line(change: QueryChange) -> str:
    before, after = change.grades or (change.before, change.after)
    text = " ".join(change.question.split())
    question = text[:_QUESTION] + ("…" if len(text) > _QUESTION else "")
    # A query that goes by its text has no other id.
    name = code(change.query.query if len(change.query.query) <= _QUESTION else f"{change.query.query[:_QUESTION]}…")
    beside = f" {_plain(question)}" if question and text != change.query.query else ""
    return f"{name} {number(before)} → {number(after)}{beside}"


def _plain(text: str) -> str:
    """Return a text in which no character marks anything in Markdown."""
    return escaped("".join(f"\\{char}" if char in "\\`*_[]#|~@$" else char for char in text))
