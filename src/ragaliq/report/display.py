"""Texts for a terminal: what could steer it made visible, lines of a width that people see."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache

# Joiners of letters and of pictures: they have no width and steer nothing.
_JOINERS = "\u200c\u200d"
_STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
# What may not begin a line of Chinese or Japanese, and what may not end it.
_CLOSING = "，。、；：？！）］｝」』】》〉”’…％,.;:?!)]}%"
_OPENING = "（［｛「『【《〈“‘([{"


def harmless(text: str) -> str:
    r"""Return a text with the escapes of all characters that could steer a terminal, as in `\x1b[2J`.

    These are the control characters, those that are invisible or turn the direction of writing, and lone surrogates.
    Line ends stay; a tab becomes a blank.
    """
    text = text.replace("\r\n", "\n").replace("\t", " ")
    return "".join(_escape(character) if _steers(character) else character for character in text)


def width(text: str) -> int:
    """Return the cells of a terminal that a harmless line takes: two for a wide character, none for a combining one."""
    return sum(map(_cells, text))


def wrapped(text: str, columns: int) -> list[str]:
    """Return a harmless text in lines of at most this width; its own line ends stay, blank lines go.

    Lines break at blanks and beside wide characters; a longer word is cut.
    """
    lines = []
    for paragraph in text.split("\n"):
        line, used = "", 0
        for gap, piece in _pieces(paragraph, columns):
            cells = width(piece)
            if line and used + len(gap) + cells > columns:
                lines.append(line)
                line, used = "", 0
            line, used = (line + gap + piece, used + len(gap) + cells) if line else (piece, cells)
        lines += [line] if line else []
    return lines


def cut_line(text: str, columns: int) -> str:
    """Return a harmless text in one line, with an ellipsis where it is cut."""
    text = " ".join(text.split())
    if width(text) <= columns:
        return text
    return next(_cut(text, columns - 1)) + "…"


@cache
def _steers(character: str) -> bool:
    return unicodedata.category(character) in _STEERING and character not in f"\n{_JOINERS}"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


@cache
def _cells(character: str) -> int:
    # U+1160 to U+11FF: vowels and last consonants of a Korean syllable, drawn into its first one.
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _pieces(paragraph: str, columns: int) -> Iterator[tuple[str, str]]:
    """Yield what stays together in a line, with the blank before it."""
    for number, word in enumerate(paragraph.split()):
        gap = " " if number else ""
        for part in _parts(word):
            for piece in _cut(part, columns):
                yield gap, piece
                gap = ""


def _parts(word: str) -> Iterator[str]:
    """Yield the parts of a word between which a line may end: beside wide characters."""
    part = ""
    for character in word:
        if part and _may_break(part[-1], character):
            yield part
            part = ""
        part += character
    yield part


def _may_break(before: str, after: str) -> bool:
    if _cells(after) == 0 or after in _CLOSING or before in _OPENING:
        return False
    return 2 in (_cells(before), _cells(after))


def _cut(part: str, columns: int) -> Iterator[str]:
    """Yield pieces no wider than a line."""
    piece, used = "", 0
    for character in part:
        cells = _cells(character)
        if piece and used + cells > columns:
            yield piece
            piece, used = "", 0
        piece, used = piece + character, used + cells
    yield piece
