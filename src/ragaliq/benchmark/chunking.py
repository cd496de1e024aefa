"""Chunking: from a source text to chunks that carry text and know where it stands.

Every chunk satisfies `source[start:end] == text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragaliq.errors import ConfigError, nearest
from ragaliq.text.terms import WORD, is_wide
from ragaliq.types import Chunk

WINDOW = 600
_LINE = re.compile(r"(?P<text>[^\r\n]+)|\r\n|\r|\n")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*\s+|[。！？；][”’」』）]*")
_SPACE = re.compile(r"\s+")
_BLOCK = re.compile(r"\S(?:.*\n(?!\s*\n))*.*\S|\S")
_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    length: int
    place: str


def chunk_text(chunking: str, source: str, source_id: str, lang: str) -> Iterator[Chunk]:
    """Yield a text's chunks by the chunking named: `windows` or `lines`."""
    known = {"windows": line_windows, "lines": _single_lines}
    if chunking not in known:
        raise ConfigError(f"config: unknown chunking '{chunking}'; {nearest(chunking, known)}")
    return known[chunking](source, source_id, lang)


def line_windows(source: str, source_id: str, lang: str, size: int = WINDOW) -> Iterator[Chunk]:
    """Yield, for each line, the chunk of as many consecutive lines from there as fit `size` characters.

    Lines without a letter or digit carry no text and repeated lines nothing new: neither starts a chunk or counts in
    one, though one may stand inside. Chunks overlap, so that an answer stands whole in one of them wherever it begins;
    a chunk that lies inside the one before is left out. A line longer than `size` is taken in pieces, cut behind a
    sentence where it can be. Where the source is written in Han, kana or hangul, every character counts 3. A chunk's id
    is the source's name and the number of its first line, with that of the piece where it is not the first.
    """
    limit = max(1, size // 3 if is_wide(source) else size)
    lines = _lines(source, limit)
    covered = 0
    for first, line in enumerate(lines):
        last, total = first, line.length
        while last + 1 < len(lines) and total + lines[last + 1].length <= limit:
            last += 1
            total += lines[last].length
        if lines[last].end > covered:
            covered = lines[last].end
            doc_id = f"{'_'.join(source_id.split())}:{line.place}"
            yield Chunk(doc_id, lang, source[line.start : covered], source_id, line.start, covered)


def _single_lines(source: str, source_id: str, lang: str) -> Iterator[Chunk]:
    """Yield each line that holds a letter or a digit as a chunk, of equal lines the first.

    A chunk's id is the source's name and the number of its line.
    """
    for line in _lines(source, max(1, len(source))):
        doc_id = f"{'_'.join(source_id.split())}:{line.place}"
        yield Chunk(doc_id, lang, source[line.start : line.end], source_id, line.start, line.end)


def _lines(source: str, limit: int) -> list[_Line]:
    """Return the lines that hold a letter or a digit, of equal ones the first; long ones in pieces."""
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
            for piece, (start, end) in enumerate(_pieces(match["text"], limit), start=1):
                place = f"{number}.{piece}" if piece > 1 else str(number)
                if WORD.search(match["text"][start:end]):
                    lines.append(_Line(match.start() + start, match.start() + end, end - start, place))
    return lines


def _pieces(line: str, limit: int) -> Iterator[tuple[int, int]]:
    """Yield the line in pieces of at most `limit`, cut behind a sentence, else at white space, else anywhere."""
    start = 0
    while len(line) - start > limit:
        window = line[start : start + limit]
        ends = [match.end() for match in _SENTENCE_END.finditer(window)] or [
            match.end() for match in _SPACE.finditer(window)
        ]
        cut = ends[-1] if ends and ends[-1] > limit // 3 else limit
        yield start, start + cut
        start += cut
    if line[start:].strip():
        yield start, len(line)


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
