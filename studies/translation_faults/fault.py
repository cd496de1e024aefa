"""One fault in one translation, and the splitting of a text that the kinds of faults share."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Kinds of findings that name a planted fault rightly. A changed day of the month is a changed number too; a code is a
# name to the checks; a source line in the target is in another language.
KINDS: dict[str, frozenset[str]] = {
    "number": frozenset({"number", "unit"}),
    "date": frozenset({"date", "number"}),
    "negation": frozenset({"negation"}),
    "entity": frozenset({"name"}),
    "item": frozenset({"structure"}),
    "untranslated": frozenset({"untranslated", "language"}),
    "language": frozenset({"language", "untranslated"}),
    "link": frozenset({"link", "name"}),
}

# A stop and a space, but not after "18." or "Dr."; a Chinese stop; a line.
_END = re.compile(r"(?<=[.!?])(?<!\d\.)(?<!Dr\.)(?<!Dra\.)\s+|(?<=[。！？])(?=[^」”）\n])|\n")


@dataclass(frozen=True, slots=True)
class Fault:
    """A translation with one fault: `target` differs from the sound one in one place; `form` says how."""

    kind: str
    form: str
    target: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence or line, `text[start:end]`."""

    start: int
    end: int
    text: str


def segments(text: str) -> list[Segment]:
    """Split into sentences and lines."""
    bounds = [0, *(place for match in _END.finditer(text) for place in match.span()), len(text)]
    spans = zip(bounds[::2], bounds[1::2], strict=True)
    return [Segment(start, end, text[start:end]) for start, end in spans if text[start:end].strip()]


def aligned(source: str, target: str) -> list[tuple[Segment, Segment]]:
    """Sentence by sentence where both have as many; else nothing."""
    left, right = segments(source), segments(target)
    return list(zip(left, right, strict=True)) if len(left) == len(right) else []


def replaced(text: str, start: int, end: int, new: str) -> str:
    """Return `text` with another text in the place of `text[start:end]`."""
    return text[:start] + new + text[end:]
