"""Whether a tag of a thought is only mentioned: in quotes, in code, in a list or in the middle of a sentence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import regex

# So many characters before and behind a tag decide.
NEAR = 120
_FENCE = regex.compile(r"^[ \t]{0,3}(?:```|~~~)", regex.MULTILINE)
_QUOTES = frozenset("`'\"“”„«»‘’「」『』()*|")
_BLANK = " \u00a0\u202f"
_MID_SENTENCE = (
    regex.compile(r"[\p{L}\d,;][ \t]+$|\p{Han}$"),
    regex.compile(r"[ \t]+\p{L}|[ \t]*[.,;:!?](?:\s|$)|[，。；：、！？]"),
)
_SENTENCE_END = regex.compile(r"[.!?。！？…\])}»”」]\s*$")
_LISTED = regex.compile(r"^\s*(?:[-*•+|]|\d+[.)])\s*$")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands before and behind a tag, on its line; `begins_line` tells whether nothing stands before it."""

    before: str
    behind: str
    begins_line: bool

    @property
    def is_quoted(self) -> bool:
        """Whether the tag stands in quotes, in emphasis, in a cell of a table or in code within the line."""
        # French quotes have blanks inside, and so have cells.
        left, right = self.before.rstrip(_BLANK)[-1:], self.behind.lstrip(_BLANK)[:1]
        if left and right and left in _QUOTES and right in _QUOTES:
            return True
        return self.before.count("`") % 2 == 1 and "`" in self.behind

    @property
    def is_explained(self) -> bool:
        """Whether the tag is a word of a sentence, or the entry of a list."""
        in_sentence = _MID_SENTENCE[0].search(self.before) and _MID_SENTENCE[1].match(self.behind)
        return in_sentence is not None or _LISTED.match(self.before) is not None

    @property
    def follows_sentence(self) -> bool:
        """Whether a whole sentence stands before the tag, and a text begins right behind it."""
        return _SENTENCE_END.search(self.before) is not None and not self.behind[:1].isspace()


def surroundings(text: str, start: int, end: int) -> Surroundings:
    """Return what stands around the tag at `text[start:end]`."""
    before = text[max(0, start - NEAR) : start].rpartition("\n")[2]
    behind = text[end : end + NEAR].partition("\n")[0]
    whole = len(before) < NEAR or start == len(before) or text[start - len(before) - 1] == "\n"
    return Surroundings(before, behind, whole and not before.strip(" \t\r\ufeff\u200b"))


def fences(text: str) -> Callable[[int], bool]:
    """Return what tells whether a place is in a block of code."""
    marks = [mark.start() for mark in _FENCE.finditer(text)]

    def is_fenced(place: int) -> bool:
        n_before = bisect_right(marks, place)
        # A block that never ends holds nothing.
        return n_before % 2 == 1 and n_before < len(marks)

    return is_fenced
