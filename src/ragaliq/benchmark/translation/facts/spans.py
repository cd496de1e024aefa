"""Answers that are in their document in the source, and no longer in the translation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.text.addresses import EAST_ASIAN
from ragaliq.text.terms import UNSPACED, char_runs, fold, pieces
from ragaliq.types import RecordKind, Severity, TranslationFinding, TranslationPair

_APART = regex.compile(r"[^\p{L}\p{M}\p{Nd}]+")
# Letters of a word, whose ending may be another; a smaller share of the words is an error.
_STEM, _FEWEST = 5, 0.25
# In a script without blanks, letters that count as a word; a Han character or a kana is a word by itself.
_LETTERS = 4
_EAST_ASIAN = regex.compile(f"[{EAST_ASIAN}ー々]")


def span_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `span` findings: a reference that a gold chunk of the source holds verbatim, and none of the translation.

    A warning if at least .25 of its words are in one gold chunk, endings aside; else an error. Case, white space and
    punctuation do not count. References of which no gold chunk is among the pairs are left out.
    """
    chunks = {pair.id: pair for pair in pairs if pair.record is RecordKind.CHUNK}
    for pair in pairs:
        if pair.record is not RecordKind.REFERENCE or not pair.target.strip():
            continue
        gold = [chunks[doc_id] for doc_id in pair.gold if doc_id in chunks]
        held = [chunk.id for chunk in gold if _holds(chunk.source, pair.source)]
        if held and not any(_holds(chunk.target, pair.target) for chunk in gold):
            share = max(_share(chunk.target, pair.target) for chunk in gold)
            severity = Severity.WARNING if share >= _FEWEST else Severity.ERROR
            message = f"{quoted([pair.target])} is not in {', '.join(held)}, as it is in '{pair.source_lang}'"
            yield finding_of(pair, "span", severity, message)


def _holds(text: str, part: str) -> bool:
    """Return whether a text has a part, words and order the same."""
    words, whole = _plain(part), _plain(text)
    if UNSPACED.search(words + whole):
        # There are no blanks between words: the part may begin and end anywhere.
        return bool(words) and words.replace(" ", "") in whole.replace(" ", "")
    return bool(words) and f" {words} " in f" {whole} "


def _share(text: str, part: str) -> float:
    """Return the share of a part's words, endings aside, that a text has; 0..1, 0 without words.

    Of scripts without blanks each Han character or kana counts as a word, and each run of four letters of the others.
    """
    words, whole = [piece for word in _plain(part).split() for piece in _pieces(word)], _plain(text)
    return sum(word in whole for word in words) / len(words) if words else 0.0


def _pieces(word: str) -> Iterator[str]:
    for piece, unspaced in pieces(word):
        if not unspaced:
            yield piece[:_STEM]
        elif _EAST_ASIAN.match(piece):
            yield from piece
        else:
            length = min(_LETTERS, len(piece))
            yield from char_runs(piece, length, length)


def _plain(text: str) -> str:
    return _APART.sub(" ", fold(text)).strip()
