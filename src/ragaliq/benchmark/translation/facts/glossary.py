"""Terms that stay as they are, and terms that have a fixed translation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import regex

from ragaliq.benchmark.translation.finding import finding_of
from ragaliq.benchmark.translation.terms_kept import Terms
from ragaliq.text.terms import base_language, fold
from ragaliq.types import Severity, TranslationFinding, TranslationPair

# Endings change with the case of a noun: so many letters at the end need not be there, of longer words.
_ENDING, _SHORTEST_STEM = 2, 4


def glossary_check(terms: Terms) -> Callable[[Sequence[TranslationPair]], Iterator[TranslationFinding]]:
    """Return the check for `glossary` findings: a term of the source without its translation.

    An error where a term that stays as it is, is not there to the letter, or no word of a glossary's translation is
    there even with another ending; a warning where the translation has other endings.
    """
    kept = [(term, _source_pattern(term)) for term in sorted(terms.keep) if term.strip()]

    def findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
        for pair in pairs:
            if pair.target.strip():
                for term, pattern in kept:
                    if pattern.search(pair.source) and term not in pair.target:
                        yield finding_of(pair, "glossary", Severity.ERROR, f"'{term}' must stay as it is")
                yield from _translated(pair, terms)

    return findings


def _translated(pair: TranslationPair, terms: Terms) -> Iterator[TranslationFinding]:
    glossary = terms.glossary.get(pair.lang) or terms.glossary.get(base_language(pair.lang)) or {}
    target = fold(pair.target) if glossary else ""
    for term, translation in sorted(glossary.items()):
        if not _source_pattern(term, regex.IGNORECASE).search(pair.source) or fold(translation) in target:
            continue
        there = all(_stem(word) in target for word in fold(translation).split())
        severity = Severity.WARNING if there else Severity.ERROR
        yield finding_of(pair, "glossary", severity, f"'{term}' should be '{translation}'")


def _stem(word: str) -> str:
    return word[: max(_SHORTEST_STEM, len(word) - _ENDING)]


def _source_pattern(term: str, flags: int = 0) -> regex.Pattern[str]:
    """Return a pattern for a term as a word of its own; in scripts without blanks, anywhere."""
    apart = "" if regex.search(r"\p{Han}", term) else r"[\p{L}\p{M}\p{Nd}]"
    text = regex.escape(term.strip())
    return regex.compile(f"(?<!{apart}){text}(?!{apart})" if apart else text, flags)
