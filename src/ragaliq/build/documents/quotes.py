"""Finding a quote in the text that it was copied from."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher

# Share of a quote's characters that must occur in the text, in their order and close together.
LEAST = 0.95
_SAME = str.maketrans(
    {"„": '"', "“": '"', "”": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "\\": " "}
)


@dataclass(frozen=True, slots=True)
class _Plain:
    """A text normalised for comparison, and the place of each of its characters in the original."""

    text: str
    places: list[int]


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Return start and end of a quote in a text, None if it is not there.

    First letter by letter. Otherwise white space, case, compatibility forms, quotation marks and dashes do not count,
    and up to a twentieth of the characters may be missing or different, but no digit. White space around a quote does
    not count either.
    """
    quote = quote.strip()
    at = text.find(quote)
    if quote and at >= 0:
        return at, at + len(quote)
    wanted, plain = _plain(quote).text, _plain(text)
    if not wanted:
        return None
    at = plain.text.find(wanted)
    if at < 0:
        near = _nearest(wanted, plain.text)
        if near is None:
            return None
        at, size = near
    else:
        size = len(wanted)
    return plain.places[at], plain.places[at + size - 1] + 1


def _nearest(wanted: str, text: str) -> tuple[int, int] | None:
    """Return place and length of the part of a text that has enough of a quote, around their longest common part."""
    longest = SequenceMatcher(None, wanted, text, autojunk=False).find_longest_match()
    slack = max(1, int(len(wanted) * (1 - LEAST)))
    if longest.size < slack:
        return None
    start = max(0, longest.b - longest.a - slack)
    window = text[start : start + len(wanted) + 2 * slack]
    blocks = SequenceMatcher(None, wanted, window, autojunk=False).get_matching_blocks()
    matched = [block for block in blocks if block.size]
    if not matched or sum(block.size for block in matched) < LEAST * len(wanted):
        return None
    first, last = matched[0].b, matched[-1].b + matched[-1].size
    # The matching characters may not spread over more text than the quote has.
    same = last - first <= len(wanted) + slack and _digits(window[first:last]) == _digits(wanted)
    return (start + first, last - first) if same else None


def _digits(text: str) -> list[str]:
    return [char for char in text if char.isdigit()]


def _plain(text: str) -> _Plain:
    characters: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for one in unicodedata.normalize("NFKD", char.translate(_SAME)).casefold():
            if not one.isspace():
                characters.append(one)
                places.append(place)
    return _Plain("".join(characters), places)
