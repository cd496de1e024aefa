"""Sentence boundaries by Unicode rules, for scripts with and without spaces."""

from __future__ import annotations

import regex

from ragaliq.text.terms import fold

# A full stop of an alphabet needs white space and no lower-case letter behind it; after an initial, a number or one of
# a few abbreviations it ends nothing. The full stops of Chinese, Japanese, Hindi, Arabic and Urdu end a sentence alone.
# Closing quotes and brackets belong to the sentence before; French ones may stand behind a blank.
_ABBREVIATIONS = r"e\.g|i\.e|z\.B|d\.h|p\.ex|т\.е|т\.д|vs|etc|approx|bzw|ca|ch|Nr|No|ext|Dr|Mr|Mrs|Ms|Prof|St"
# So many, and no more: behind each of a thousand quotes in a row, all would be looked through again.
_CLOSING = "{0,32}"
_BOUNDARY = regex.compile(
    rf"(?<=[。！？｡؟۔।॥][\"'”’»)\]*_」』）]{_CLOSING})\s*(?![\s。！？｡؟۔।॥”’»)\]」』）])"
    rf"|(?<=[.!?…](?:[\"'”“’)\]*_]|\s?»){_CLOSING})"
    rf"(?<!\b\p{{L}}\.)(?<!\b\d{{1,2}}\.)(?<!\b(?:{_ABBREVIATIONS})\.)"
    r"\s+(?=[^\p{Ll}\s»])"
)
_SEMICOLON = regex.compile("[;；]")
_LIST_MARK = regex.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")


def sentence_starts(text: str) -> list[int]:
    """Return where sentences begin, ascending, 0 the first: the text cut there is whole, white space included.

    A sentence begins behind a line end, too, so that each item of a list and each row of a table stands alone.
    """
    starts, at = set[int](), 0
    for line in text.split("\n"):
        starts.update((at, *(at + match.end() for match in _BOUNDARY.finditer(line))))
        at += len(line) + 1
    return sorted(start for start in starts if start < len(text))


def sentences(text: str) -> list[str]:
    """Return the sentences of `text` in order, stripped, list marks removed, none empty.

    A line end always ends a sentence, so each item of a list and each row of a table stands alone.
    """
    lines = (_LIST_MARK.sub("", line) for line in text.split("\n"))
    return [part for line in lines for piece in _BOUNDARY.split(line) if (part := piece.strip())]


def folded_statements(text: str) -> list[str]:
    """Return the sentences of `text`, folded, each also cut at its semicolons."""
    return [fold(part) for sentence in sentences(text) for part in _SEMICOLON.split(sentence)]
