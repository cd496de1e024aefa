"""A question that people asked, as a file has it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AskedRow:
    """A row of a file.

    Attributes:
        where: file and line, for messages.
        text: what was asked; empty if nothing.
        answer: the accepted answer; empty if there is none; None in a log, which has no answers at all.
        lang: its language as the row names it; empty if it does not.
    """

    where: str
    text: str
    answer: str | None
    lang: str
