"""Text of the source that is still there in its translation."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import regex

from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.text.addresses import EAST_ASIAN, without_fences
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import base_language
from ragaliq.types import Severity, TranslationFinding, TranslationPair

# A Han character counts as a word: there are no blanks between words.
_WORD = regex.compile(
    rf"[{EAST_ASIAN}]|[\p{{L}}\p{{M}}\p{{Nd}}]++(?:['’\-][\p{{L}}\p{{M}}\p{{Nd}}]++)*+", regex.VERSION1
)
_HAN = regex.compile(f"[{EAST_ASIAN}]")
# Elsewhere they are quoted, and stay.
_IN_HAN = ("zh", "ja")
_ADDRESS = regex.compile(r"(?<!\S)[^\s@]*@\S+|https?://\S+|www\.\S+|`[^`\n]*+`")
# Words in a row that a translation does not share with its source by chance, and how many of them must be common words,
# written small, or titles ("Fog on the Tyne") would count.
_RUN, _COMMON = 4, 3
# Share of a sentence in such runs: above it is the source's own, below it quotes something.
_MOST = 0.6
# A whole line of the source: least different common words, and least letters of the longest.
_FEWEST, _LONG = 2, 4


def untranslated_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `untranslated` findings: sentences of the translation in the words of the source.

    An error if a whole sentence or line is in the source, with two different words written small, or .6 of its
    words do in runs of four with three words written small; a warning if fewer do. Names, numbers, addresses and code
    alone do not count, nor do languages that are the same but for the region.
    """
    for pair in pairs:
        if base_language(pair.source_lang) == base_language(pair.lang):
            continue
        source = pair.source if base_language(pair.source_lang) in _IN_HAN else _HAN.sub(" ", pair.source)
        copied, quotes = _copied(without_fences(source)[0], without_fences(pair.target)[0])
        if copied:
            yield finding_of(pair, "untranslated", Severity.ERROR, f"still in '{pair.source_lang}': {quoted(copied)}")
        elif quotes:
            message = f"has words of the source: {quoted(quotes)}"
            yield finding_of(pair, "untranslated", Severity.WARNING, message)


def _copied(source: str, target: str) -> tuple[list[str], list[str]]:
    """Return the sentences of the target that are the source's, and the others that quote it."""
    runs, whole = _runs(source)
    copied: list[str] = []
    quotes: list[str] = []
    for sentence in sentences(target):
        words = _words(sentence)
        common = {word for word in words if _is_common(word)}
        if len(common) >= _FEWEST and tuple(words) in whole and any(_is_long(word) for word in common):
            copied.append(sentence)
            continue
        inside = [False] * len(words)
        for start in range(len(words) - _RUN + 1):
            run = tuple(words[start : start + _RUN])
            if run in runs and sum(map(_is_common, run)) >= _COMMON:
                inside[start : start + _RUN] = [True] * _RUN
        if any(inside):
            (copied if sum(inside) >= _MOST * len(words) else quotes).append(sentence)
    return copied, quotes


def _runs(text: str) -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    """Return the runs of words inside the sentences of a text, and its sentences."""
    runs: set[tuple[str, ...]] = set()
    whole: set[tuple[str, ...]] = set()
    for sentence in sentences(text):
        words = _words(sentence)
        runs.update(tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1))
        whole.add(tuple(words))
    return frozenset(runs), frozenset(whole)


def _words(sentence: str) -> list[str]:
    return _WORD.findall(_ADDRESS.sub(" ", unicodedata.normalize("NFC", sentence)))


def _is_common(word: str) -> bool:
    """Return whether a word is neither a name nor a number: written small, or a Han character."""
    return word.islower() or _HAN.match(word) is not None


def _is_long(word: str) -> bool:
    return len(word) >= _LONG or _HAN.match(word) is not None
