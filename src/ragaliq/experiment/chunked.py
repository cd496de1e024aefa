"""Windows of N tokens are indexed; what they find counts for the documents that they stand in.

Judgements name documents, so the same judgements fit every size of window.
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
# Chunks further apart in their source, in characters, are no neighbours.
_GAP = 1000


@dataclass(frozen=True, slots=True)
class Units:
    """What is indexed, and by unit id the documents that a unit stands in, the most overlapped first."""

    chunks: tuple[Chunk, ...]
    documents: Mapping[str, tuple[Chunk, ...]]


def token_windows(corpus: Sequence[Chunk], tokens: int) -> Units:
    """Cut a corpus of one language into windows of `tokens` tokens, without overlap.

    A token is a word, or one character where a script writes no spaces. Neighbouring chunks of a source are joined
    first, so that a window may be greater than a chunk; what stands between them in the source is blank here. The last
    window of a text may be shorter; a text without a token is one window.

    A window belongs to every chunk with which it shares a character, the greatest share first, of equal shares the
    earlier chunk; the first gives the title.
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
    """Return start and end of a text's windows, each up to the first token of the next, without outer white space."""
    starts = [start for number, start in enumerate(_token_starts(text)) if number % tokens == 0]
    # What stands before the first token belongs to it.
    edges = [0, *starts[1:], len(text)]
    pieces = [(start, text[start:end]) for start, end in pairwise(edges)]
    return [(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())) for start, piece in pieces]


def collapse_hits(hits: Sequence[Hit], documents: Mapping[str, tuple[Chunk, ...]], top_k: int) -> list[Hit]:
    """Return the documents of units, each with the score of its best unit, at most `top_k`, best first.

    Of equal scores the greater doc id goes first; but where a unit stands in several documents, these stay in the order
    of their overlap.
    """
    best: dict[str, Hit] = {}
    for hit in hits:
        for chunk in documents[hit.chunk.doc_id]:
            best.setdefault(chunk.doc_id, replace(hit, chunk=chunk))
    ranked = list(best.values())
    alone = all(len(documents[hit.chunk.doc_id]) == 1 for hit in hits)
    if alone:
        ranked.sort(key=lambda hit: (hit.score, hit.chunk.doc_id), reverse=True)
    return as_ordered(ranked[:top_k], [hit.score for hit in ranked[:top_k]], strict=not alone)


def enough(hits: Sequence[Hit], documents: Mapping[str, tuple[Chunk, ...]], top_k: int) -> bool:
    """Return whether no unit behind these, which are the best, can change the first `top_k` documents."""
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
    for first, *others in (sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)) for chunks in sources.values()):
        members, pieces, end = [first], [first.text], first.start + len(first.text)
        for chunk in others:
            if _continues(members[-1], chunk, end):
                members.append(chunk)
                pieces.append("\n" * (chunk.start - end) + chunk.text[max(0, end - chunk.start) :])
            else:
                yield _Stretch("".join(pieces), tuple(members))
                members, pieces, end = [chunk], [chunk.text], chunk.start
            end = max(end, chunk.start + len(chunk.text))
        yield _Stretch("".join(pieces), tuple(members))


def _continues(before: Chunk, chunk: Chunk, end: int) -> bool:
    """Return whether a chunk's text fits its offsets, near the text that ends at `end` with the chunk before it."""
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
