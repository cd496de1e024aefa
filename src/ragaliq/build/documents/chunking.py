"""Chunks of a document: cut at headings, definitions, paragraphs and sentences, with a hard maximum of tokens.

Every chunk satisfies `source[start:end] == text`, and the chunks contain every character that is not white space.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from ragaliq.build.documents.code import code_separators, is_program
from ragaliq.build.documents.markdown import has_sections, markdown_sections, paragraph_starts
from ragaliq.text.sentences import sentence_starts
from ragaliq.types import Chunk

_SPACE = regex.compile(r"\s+")
# Characters as readers see them, with their marks. An endless word is cut into short runs first: there are fewer.
_RUN, _CHARACTER = regex.compile(r"\X{1,16}"), regex.compile(r"\X")

Span = tuple[int, int]
# From a text to the places where it may be cut, in any order.
_Places = Callable[[str], Iterable[int]]


@dataclass(frozen=True, slots=True)
class Chunking:
    """How documents are cut.

    Attributes:
        max_tokens: no chunk has more, by `count`, unless a single code point has.
        count: the tokens of a text.
        sections: whether a chunk ends where a Markdown section does, even if the next would fit.
    """

    max_tokens: int
    count: Callable[[str], int]
    sections: bool = True


def chunk_document(text: str, source_id: str, lang: str, chunking: Chunking) -> Iterator[Chunk]:
    """Yield the chunks of a document in order; without overlap.

    Each section of a Markdown or plain text is cut by itself. What is within the maximum stays whole; what is longer is
    cut before the definitions of its programming language (by the suffix of `source_id`), at blank lines, at sentences
    and line ends, at white space, between characters as readers see them, and at last between code points. Neighbours
    are joined again as long as they fit. A chunk's id is `source_id:start-end`, its title the headings above its start.
    """
    cutter = _Cutter(text, chunking, is_program(source_id))
    parts = markdown_sections(text) if has_sections(source_id) else [(0, "")]
    starts = [start for start, _ in parts]
    places = _places(source_id)
    spans = [span for section in pairwise([*starts, len(text)]) for span in cutter.cut(section, places)]
    if not chunking.sections:
        spans = cutter.joined(spans)
    for span in spans:
        start, end = cutter.trimmed(span)
        if start < end:
            title = parts[bisect_right(starts, start) - 1][1]
            yield Chunk(f"{source_id}:{start}-{end}", lang, text[start:end], source_id, start, end, title)


def _places(source_id: str) -> list[_Places]:
    """Return the functions that name the places where a text may be cut, the best first."""
    return [
        *(_before(separator) for separator in code_separators(source_id)),
        *([lambda text: paragraph_starts(text, fences=False)] if has_sections(source_id) else []),
        paragraph_starts,
        *([_line_starts] if is_program(source_id) else []),
        sentence_starts,
        *(_behind(pattern) for pattern in (_SPACE, _RUN, _CHARACTER)),
        lambda text: range(len(text)),
    ]


def _before(separator: str) -> _Places:
    pattern = re.compile(re.escape(separator))
    return lambda text: (match.start() for match in pattern.finditer(text))


def _behind(pattern: regex.Pattern[str]) -> _Places:
    return lambda text: (match.end() for match in pattern.finditer(text))


def _line_starts(text: str) -> Iterator[int]:
    return (match.end() for match in re.finditer("\n", text))


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Cuts spans of one text. `indented`: a chunk keeps the indentation of its first line, as code needs it."""

    text: str
    chunking: Chunking
    indented: bool

    def cut(self, span: Span, places: Sequence[_Places]) -> list[Span]:
        """Return a span in pieces within the maximum."""
        start, end = span
        if not places or self._fits(span):
            return [span]
        inner = (start + at for at in places[0](self.text[start:end]) if 0 < at < end - start)
        pieces = [piece for part in pairwise(sorted({start, end, *inner})) for piece in self.cut(part, places[1:])]
        return self.joined(pieces)

    def joined(self, pieces: Sequence[Span]) -> list[Span]:
        """Return neighbouring pieces joined, from the first on as many as fit the maximum."""
        joined: list[Span] = []
        first = 0
        while first < len(pieces):
            after = self._most_that_fit(pieces, first)
            joined.append((pieces[first][0], pieces[after - 1][1]))
            first = after
        return joined

    def trimmed(self, span: Span) -> Span:
        """Return a span without white space at its ends."""
        start, end = span
        body = self.text[start:end]
        first = len(body) - len(body.lstrip())
        if self.indented:
            first = body.rfind("\n", 0, first) + 1
        return start + first, max(start + first, start + len(body.rstrip()))

    def _most_that_fit(self, pieces: Sequence[Span], first: int) -> int:
        """Return the place behind the last piece that may be joined to the first; steps double, then halve."""
        start, after, step = pieces[first][0], first + 1, 1
        while after + step <= len(pieces) and self._fits((start, pieces[after + step - 1][1])):
            after, step = after + step, 2 * step
        while step > 1:
            step //= 2
            if after + step <= len(pieces) and self._fits((start, pieces[after + step - 1][1])):
                after += step
        return after

    def _fits(self, span: Span) -> bool:
        start, end = self.trimmed(span)
        return self.chunking.count(self.text[start:end]) <= self.chunking.max_tokens
