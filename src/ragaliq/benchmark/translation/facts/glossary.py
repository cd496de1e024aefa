"""Terms that stay as they are, and terms that have a fixed translation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import regex

from ragaliq.benchmark.translation.finding import finding_of
from ragaliq.benchmark.translation.terms_kept import Terms
from ragaliq.text.terms import UNSPACED_LETTERS, base_language, fold
from ragaliq.types import Severity, TranslationFinding, TranslationPair

# Endings change with the case of a noun: letters at the end of a longer word that need not be there.
_ENDING, _SHORTEST_STEM = 2, 4
# Scripts without blanks, and Korean, which adds particles to a word, have no ends of words.
_JOINING = rf"{UNSPACED_LETTERS}\p{{Hangul}}"
_JOINS = regex.compile(f"[{_JOINING}]")
_LETTER = regex.compile(rf"[[\p{{L}}\p{{M}}\p{{Nd}}_]--[{_JOINING}]]", regex.VERSION1)


def glossary_check(terms: Terms) -> Callable[[Sequence[TranslationPair]], Iterator[TranslationFinding]]:
    """Return the check for `glossary` findings: a term of the source without its translation.

    An error where a term that stays as it is, is not there to the letter, or a word of a glossary's translation is not
    there even with another ending; a warning where all its words are, with other endings or apart.
    """
    kept = [term for term in sorted(terms.keep) if term.strip()]

    @cache
    def entries(lang: str) -> list[_Entry]:
        return _entries(terms.glossary.get(lang) or terms.glossary.get(base_language(lang)) or {})

    def findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
        for pair in pairs:
            if pair.target.strip():
                for term in kept:
                    if term not in pair.target and _has(pair.source, term.strip()):
                        yield finding_of(pair, "glossary", Severity.ERROR, f"'{term}' must stay as it is")
                yield from _translated(pair, entries(pair.lang))

    return findings


@dataclass(frozen=True, slots=True)
class _Entry:
    """A term and its translation, each as it is written and folded."""

    term: str
    translation: str
    folded: str
    folded_translation: str


def _entries(glossary: Mapping[str, str]) -> list[_Entry]:
    return [_Entry(term, there, fold(term).strip(), fold(there)) for term, there in sorted(glossary.items())]


def _translated(pair: TranslationPair, entries: Sequence[_Entry]) -> Iterator[TranslationFinding]:
    source, target = (fold(pair.source), fold(pair.target)) if entries else ("", "")
    for entry in entries:
        if entry.folded_translation in target or not _has(source, entry.folded):
            continue
        there = all(_stem(word) in target for word in entry.folded_translation.split())
        severity = Severity.WARNING if there else Severity.ERROR
        yield finding_of(pair, "glossary", severity, f"'{entry.term}' should be '{entry.translation}'")


def _stem(word: str) -> str:
    """Return a folded word without its ending; whole in a joining script, whose last letters are part of the term."""
    if _JOINS.match(word[-1]):
        return word
    return word[: max(_SHORTEST_STEM, len(word) - _ENDING)]


def _has(text: str, term: str) -> bool:
    """Return whether a text has a term as a word of its own; where a letter of a joining script meets it, anywhere."""
    at = text.find(term) if term else -1
    while at >= 0:
        before, after = text[max(0, at - 1) : at], text[at + len(term) : at + len(term) + 1]
        if not (_part_of_word(before, term[0]) or _part_of_word(after, term[-1])):
            return True
        at = text.find(term, at + 1)
    return False


def _part_of_word(beside: str, letter: str) -> bool:
    return _JOINS.match(letter) is None and _LETTER.match(beside) is not None
