"""The unit that is indexed apart from the unit that is judged: windows of a size, and the way back to documents.

Judgements name documents of the corpus. A corpus may be indexed in other units, windows of N tokens; what they find is
told of the documents that they stand in, so the same judgements fit every size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import regex

from ragaliq.experiment.settings.depth import as_ordered
from ragaliq.text.terms import UNSPACED, WORD
from ragaliq.types import Chunk, Hit

# One character of a script without spaces, with the marks that belong to it, is a token.
_CHARACTER = regex.compile(r"\P{M}\p{M}*|\p{M}+")
# Chunks that stand further apart in their source, in characters, are no neighbours.
_GAP = 1000


@dataclass(frozen=True, slots=True)
class Units:
    """What is indexed, and for each unit's id the documents that it stands in, the most overlapped first."""

    chunks: tuple[Chunk, ...]
    documents: Mapping[str, tuple[Chunk, ...]]


def token_windows(corpus: Sequence[Chunk], tokens: int) -> Units:
    """Cut a corpus of one language into windows of `tokens` tokens, without overlap.

    A token is a word, or one character where a script writes no spaces. Chunks of one source that are neighbours are
    joined first, so that a window may be greater than a chunk; what stands between them in the source (blank lines, a
    heading) is blank here. A document that is its own source is cut by itself. The last window of a text may be
    shorter. A text without a token is one window.

    A window belongs to every chunk with which it shares a character; of equal shares the earlier chunk goes first. Its
    title is that of the chunk with the greatest share.
    """
    chunks: list[Chunk] = []
    documents: dict[str, tuple[Chunk, ...]] = {}
    for stretch in _stretches(corpus):
        first = stretch.chunks[0]
        for number, (start, end) in enumerate(windows(stretch.text, tokens)):
            low, high = first.start + start, first.start + end
            within = [chunk for chunk in stretch.chunks if chunk.start < high and low < chunk.end] or [first]
            within.sort(key=lambda chunk: max(chunk.start, low) - min(chunk.end, high))
            unit = f"{first.doc_id}#{number:06d}"
            text = stretch.text[start:end]
            chunks.append(Chunk(unit, first.lang, text, first.source_id, low, high, within[0].title))
            documents[unit] = tuple(within)
    return Units(tuple(chunks), documents)


def windows(text: str, tokens: int) -> list[tuple[int, int]]:
    """Return the places of a text's windows: each from its first token to the first of the next, less white space."""
    starts = [start for number, start in enumerate(_token_starts(text)) if number % tokens == 0]
    # What stands before the first token belongs to it.
    edges = [0, *starts[1:], len(text)]
    pieces = [(start, text[start:end]) for start, end in pairwise(edges)]
    return [(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())) for start, piece in pieces]


def collapse_hits(hits: Sequence[Hit], documents: Mapping[str, tuple[Chunk, ...]], top_k: int) -> list[Hit]:
    """Return the documents of units, each with the score of its best unit, at most `top_k`, best first.

    Of equal scores the greater doc id goes first. But where a unit stands in several documents, these stay in the order
    of their overlap: a unit does not tell which of them answers.
    """
    best: dict[str, Hit] = {}
    for hit in hits:
        for chunk in documents[hit.chunk.doc_id]:
            best.setdefault(chunk.doc_id, replace(hit, chunk=chunk))
    found = list(best.values())
    alone = all(len(documents[hit.chunk.doc_id]) == 1 for hit in hits)
    if alone:
        found.sort(key=lambda hit: (hit.score, hit.chunk.doc_id), reverse=True)
    return as_ordered(found[:top_k], [hit.score for hit in found[:top_k]], strict=not alone)


def enough(hits: Sequence[Hit], documents: Mapping[str, tuple[Chunk, ...]], top_k: int) -> bool:
    """Tell whether no unit behind these, which are the best, can change the first `top_k` documents."""
    seen: set[str] = set()
    for hit in hits:
        seen.update(chunk.doc_id for chunk in documents[hit.chunk.doc_id])
        if len(seen) >= top_k:
            return hits[-1].score < hit.score
    return False


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The text of neighbouring chunks of a source, from the start of the first one on."""

    text: str
    chunks: tuple[Chunk, ...]


def _stretches(corpus: Sequence[Chunk]) -> Iterator[_Stretch]:
    sources: dict[str, list[Chunk]] = {}
    for chunk in corpus:
        sources.setdefault(chunk.source_id, []).append(chunk)
    for own in sources.values():
        own.sort(key=lambda chunk: (chunk.start, chunk.end))
        members, pieces, end = [own[0]], [own[0].text], own[0].start + len(own[0].text)
        for chunk in own[1:]:
            if _continues(members[-1], chunk, end):
                members.append(chunk)
                pieces.append("\n" * (chunk.start - end) + chunk.text[max(0, end - chunk.start) :])
            else:
                yield _Stretch("".join(pieces), tuple(members))
                members, pieces, end = [chunk], [chunk.text], chunk.start
            end = max(end, chunk.start + len(chunk.text))
        yield _Stretch("".join(pieces), tuple(members))


def _continues(before: Chunk, chunk: Chunk, end: int) -> bool:
    """Tell whether a chunk stands where it says in the text that ends at `end` with the chunk before it.

    Offsets that are not those of one source would join texts that have nothing to do with each other.
    """
    overlap = before.text[chunk.start - before.start :]
    same = overlap[: len(chunk.text)] == chunk.text[: len(overlap)]
    return same and chunk.end - chunk.start == len(chunk.text) and chunk.start - end <= _GAP


def _token_starts(text: str) -> Iterator[int]:
    for word in WORD.finditer(text):
        at = word.start()
        for run in UNSPACED.finditer(text, word.start(), word.end()):
            if run.start() > at:
                yield at
            yield from (match.start() for match in _CHARACTER.finditer(text, run.start(), run.end()))
            at = run.end()
        if at < word.end():
            yield at
