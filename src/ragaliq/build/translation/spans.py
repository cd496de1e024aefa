"""Where the segments of a text are: sentences within lines, and cells; marks, headings' signs and code stay outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import regex

from ragaliq.build.documents.markdown import code_lines
from ragaliq.text.sentences import sentence_starts
from ragaliq.text.terms import base_language

Span = tuple[int, int]

# What begins a line and is no text: quotes, headings, marks and numbers of lists, boxes of tasks.
_MARKS = regex.compile(r"\s*+(?:>\s*+)*+(?:\#{1,6}[ \t]++)?+(?:(?:[-*+•]|\d{1,3}[.)])[ \t]++)*+(?:\[[ xX]\][ \t]++)?+")
_CLOSING_SIGNS = regex.compile(r"(?<=\S)[ \t]+#+[ \t]*$")
_BETWEEN_CELLS = regex.compile(r"(?<!\\)\|")
_CONTENT = regex.compile(r"[\p{L}\p{N}]")
_UNSPACED = ("ja", "km", "lo", "my", "th", "zh")


def sentence_spans(text: str, fence: str = "") -> list[Span]:
    """Return the places of a text's segments, in order: sentences within lines, and the cells of tables.

    A segment has a letter or a number, and no white space at its ends. Marks of lists, signs of headings, the strokes
    of tables, blank lines and fenced code are outside.

    Args:
        text: Markdown or plain text.
        fence: the code fence that is open where it begins.
    """
    spans: list[Span] = []
    for start, end in line_spans(text, fence):
        if "|" in text[start:end]:
            spans += _cells(text, start, end)
        else:
            starts = [start + at for at in sentence_starts(text[start:end])]
            spans += _trimmed(text, zip(starts, [*starts[1:], end], strict=True))
    return spans


def line_spans(text: str, fence: str = "") -> list[Span]:
    """Return the places of a text's lines as `sentence_spans` does, with the sentences of a line as one segment."""
    spans: list[Span] = []
    for start, line in _prose_lines(text, fence):
        first = start + _end_of_marks(line)
        closing = _CLOSING_SIGNS.search(line) if line.lstrip().startswith("#") else None
        spans += _trimmed(text, [(first, start + closing.start() if closing else start + len(line))])
    return spans


def is_unspaced(lang: str) -> bool:
    """Return whether a language has no blanks between sentences."""
    return base_language(lang) in _UNSPACED


def _prose_lines(text: str, fence: str) -> Iterator[tuple[int, str]]:
    return ((start, line) for start, line, is_code in code_lines(text, fence) if not is_code)


def _end_of_marks(line: str) -> int:
    match = _MARKS.match(line)
    # A line of nothing but a number is text.
    return match.end() if match and match.end() < len(line) else 0


def _cells(text: str, start: int, end: int) -> list[Span]:
    strokes = [start + match.start() for match in _BETWEEN_CELLS.finditer(text[start:end])]
    return _trimmed(text, zip([start, *(at + 1 for at in strokes)], [*strokes, end], strict=True))


def _trimmed(text: str, spans: Iterable[Span]) -> list[Span]:
    trimmed = []
    for start, end in spans:
        body = text[start:end]
        if _CONTENT.search(body):
            trimmed.append((start + len(body) - len(body.lstrip()), start + len(body.rstrip())))
    return trimmed
