"""Chunking: from a source text to chunks that carry text and know where it stands.

Every chunk satisfies `source[start:end] == text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragaliq.text.analysis import reading_length
from ragaliq.types import Chunk

WINDOW = 600
_LINE = re.compile(r"[^\r\n]*[^\s][^\r\n]*")
_BLOCK = re.compile(r"\S(?:.*\n(?!\s*\n))*.*\S|\S")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*")


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int


def line_windows(source: str, source_id: str, lang: str, size: int = WINDOW) -> Iterator[Chunk]:
    """Yield, for each line, the chunk of as many consecutive lines from there as fit `size`.

    Blank lines carry no text and repeated lines nothing new: neither starts a chunk, and a chunk of nothing but
    repeated lines is never made. Chunks overlap, so that an answer stands whole in one of them wherever it begins.
    Lengths are reading lengths; a line longer than `size` is a chunk of its own. A chunk's id is the source's name
    and the number of its first line.
    """
    lines = [_Span(match.start(), match.end()) for match in _LINE.finditer(source)]
    lengths = [reading_length(source[line.start : line.end]) for line in lines]
    seen: set[str] = set()
    last_end = -1
    for first, line in enumerate(lines):
        text = source[line.start : line.end].strip()
        if text in seen:
            continue
        seen.add(text)
        total, last = lengths[first], first
        while last + 1 < len(lines) and total + lengths[last + 1] <= size:
            last += 1
            total += lengths[last]
        # At the end of the source the windows only shrink: what they hold has been a chunk already.
        if lines[last].end == last_end and last > first:
            continue
        last_end = lines[last].end
        number = source.count("\n", 0, line.start) + 1
        span = source[line.start : last_end]
        yield Chunk(f"{source_id}:{number}", lang, span, source_id, line.start, last_end)


def paragraphs(source: str, source_id: str, lang: str) -> Iterator[Chunk]:
    """Yield each block of lines between blank lines as a chunk; a Markdown heading titles the chunks after it.

    A chunk's id is the stem of the source's name and the number of the block, so it is the same in every language of
    a parallel text.
    """
    stem, title, number = source_id.rpartition("/")[2].partition(".")[0], "", 0
    for block in _BLOCK.finditer(source):
        heading = _HEADING.fullmatch(block[0])
        if heading:
            title = heading[1]
            continue
        number += 1
        yield Chunk(f"{stem}-{number:02d}", lang, block[0], source_id, block.start(), block.end(), title)
