"""Chunking: from a source text to chunks that carry text and know where it stands.

Every chunk satisfies `source[start:end] == text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragaliq.text.analysis import WORD, is_wide
from ragaliq.types import Chunk

WINDOW = 600
_LINE = re.compile(r"(?P<text>[^\r\n]+)|\r\n|\r|\n")
_BLOCK = re.compile(r"\S(?:.*\n(?!\s*\n))*.*\S|\S")
_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    length: int
    number: int


def line_windows(source: str, source_id: str, lang: str, size: int = WINDOW) -> Iterator[Chunk]:
    """Yield, for each line, the chunk of as many consecutive lines from there as fit `size` characters.

    Lines without a letter or digit carry no text and repeated lines nothing new: neither starts a chunk or counts in
    one, though one may stand inside. Chunks overlap,
    so that an answer stands whole in one of them wherever it begins; a chunk that lies inside the one before is left
    out. A line longer than `size` is a chunk of its own. Where the source is written in Han, kana or hangul, every
    character counts 3. A chunk's id is the source's name and the number of its first line.
    """
    lines = _lines(source)
    limit = size // 3 if is_wide(source) else size
    covered = 0
    for first, line in enumerate(lines):
        last, total = first, line.length
        while last + 1 < len(lines) and total + lines[last + 1].length <= limit:
            last += 1
            total += lines[last].length
        if lines[last].end > covered:
            covered = lines[last].end
            doc_id = f"{'_'.join(source_id.split())}:{line.number}"
            yield Chunk(doc_id, lang, source[line.start : covered], source_id, line.start, covered)


def _lines(source: str) -> list[_Line]:
    """Return the lines that hold a letter or a digit, of equal ones the first."""
    lines: list[_Line] = []
    seen: set[str] = set()
    number = 1
    for match in _LINE.finditer(source):
        if match["text"] is None:
            number += 1
            continue
        text = match["text"].strip()
        if text not in seen and WORD.search(text):
            seen.add(text)
            lines.append(_Line(match.start(), match.end(), len(text), number))
    return lines


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
