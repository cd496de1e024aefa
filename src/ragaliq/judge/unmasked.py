"""A text with its disguises taken off: what a reply says, and what a graded text could make a judge say."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

# Characters that show nothing: zero-width, directional, joiners, tags, and controls that are no white space.
INVISIBLE = regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cc}--[\t-\r\x1c-\x1f\x85]]", regex.V1)


@dataclass(frozen=True, slots=True)
class Unmasked:
    """A text in plain characters, and where each of them stands in the original.

    `places` has one entry more than `text` has characters: the length of the original.
    """

    text: str
    places: Sequence[int]


def unmask(text: str) -> Unmasked:
    """Return a text with each character in NFKC, digits of every script as 0-9, and invisible characters left out.

    It goes character by character, so that places are known; sequences that NFKC would compose stay apart, which
    concerns only letters with accents, no marker and no digit.
    """
    if all(_plain(char) == char for char in set(text)):
        return Unmasked(text, range(len(text) + 1))
    seen: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        plain = _plain(char)
        seen.append(plain)
        places.extend([place] * len(plain))
    places.append(len(text))
    return Unmasked("".join(seen), places)


@lru_cache(maxsize=1 << 16)
def _plain(char: str) -> str:
    if INVISIBLE.match(char):
        return ""
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in unicodedata.normalize("NFKC", char))
