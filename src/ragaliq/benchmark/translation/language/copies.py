"""Translations that are word for word those of another language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.text.language import likeliest
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import base_language, fold, reading_length
from ragaliq.types import RecordKind, Severity, TranslationFinding, TranslationPair

# Letters that a sentence must have, in words that are written small: names and loan words are the same in languages.
_SHORTEST = 12


def copy_findings(pairs: Iterable[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `language` findings: a sentence of a record's translation is also in that into another language.

    An error in the language that the sentence is less likely written in; names alone are left out.
    """
    records: dict[tuple[RecordKind, str, str], list[TranslationPair]] = defaultdict(list)
    for pair in pairs:
        records[pair.record, pair.id, pair.source_lang].append(pair)
    for translations in records.values():
        yield from _copies(translations)


def _copies(translations: list[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield what is wrong with the translations of one text."""
    where: dict[str, list[TranslationPair]] = defaultdict(list)
    for pair in translations:
        for text in {fold(sentence): sentence for sentence in sentences(pair.target)}.values():
            if _small_letters(text) >= _SHORTEST:
                where[text].append(pair)
    wrong: dict[str, list[str]] = defaultdict(list)
    others: dict[str, set[str]] = defaultdict(set)
    for text, holders in where.items():
        bases = {base_language(pair.lang) for pair in holders}
        if len(bases) > 1:
            right = likeliest(text, bases)
            for pair in holders:
                if base_language(pair.lang) != right:
                    wrong[pair.lang].append(text)
                    others[pair.lang] |= {right}
    for pair in translations:
        if wrong[pair.lang]:
            also = ", ".join(sorted(others[pair.lang]))
            yield finding_of(pair, "language", Severity.ERROR, f"the same as in '{also}': {quoted(wrong[pair.lang])}")


def _small_letters(text: str) -> int:
    return reading_length("".join(word for word in text.split() if not word[0].isupper() and word[0].isalpha()))
