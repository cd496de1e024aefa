"""The names in texts of a language that writes them with capitals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

import regex

from ragaliq.text.addresses import without_addresses
from ragaliq.text.answer_language import scripts_of
from ragaliq.text.polarity import function_words
from ragaliq.text.quantities.extract import comparable, quantities
from ragaliq.text.terms import base_language, fold, word_terms

_CAPITAL = regex.compile(r"[\p{Lu}\p{Lt}]")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
# What may separate the words of one name.
_JOINT = regex.compile(r"[ \-\u00a0‑]|\. ?")
_SENTENCE_END = regex.compile(r"[.!?…:;\n|«»\"“”„(*]")
# Every noun has a capital.
_NOUN_CAPITALS = frozenset(["de"])


def writes_names(lang: str, texts: Iterable[str]) -> bool:
    """Return whether capitals tell names from other words in texts of a language."""
    return base_language(lang) not in _NOUN_CAPITALS and has_capitals(lang, texts)


def has_capitals(lang: str, texts: Iterable[str]) -> bool:
    """Return whether texts of a language have capitals of its own script: the `GPS` of a Chinese one is none."""
    return any(map(_capital_of(scripts_of(lang)).search, texts))


class NameSpans:
    """The names of a body of texts: capitalised words inside sentences, alone and in a row.

    A word that the texts also write small is a name only as part of a row; so is each word where nouns have capitals.
    """

    def __init__(self, texts: Iterable[str], lang: str) -> None:
        self._lang = lang
        self._function = function_words(lang)
        self._inside: set[str] = set()
        self._small: set[str] = set()
        nouns_small = base_language(lang) not in _NOUN_CAPITALS
        for written in texts:
            text, end = without_addresses(written, "`"), 0
            for match in _WORD.finditer(text):
                between, word = text[end : match.start()], match[0]
                if word[0].islower():
                    self._small.add(word)
                elif nouns_small and end and not _SENTENCE_END.search(between):
                    self._inside.add(word)
                end = match.end()

    def names(self, text: str) -> Counter[str]:
        """Return the folded names of a text with their counts: each row of capitalised words, and each of its words.

        Addresses and code between backticks are left out.
        """
        found = Counter[str]()
        for run in self._runs(without_addresses(text, "`")):
            words = [word_terms(fold(word), self._lang)[0] for word in run]
            if len(run) > 1:
                found[" ".join(words)] += 1
            found.update(word for word, written in zip(words, run, strict=True) if self._is_name(written, len(run)))
        return found

    def _is_name(self, word: str, of: int) -> bool:
        inside = len(word) > 1 and (of > 1 or word in self._inside)
        return inside and fold(word) not in self._small and not _in_calendar(word, self._lang)

    def _runs(self, text: str) -> Iterator[list[str]]:
        run: list[str] = []
        end = 0
        for match in _WORD.finditer(text):
            word, between = match[0], text[end : match.start()]
            end = match.end()
            capital = _CAPITAL.match(word) is not None and fold(word) not in self._function
            if run and not (capital and _JOINT.fullmatch(between)):
                yield run
                run = []
            if capital:
                run.append(word)
        if run:
            yield run


@cache
def _capital_of(scripts: tuple[str, ...]) -> regex.Pattern[str]:
    own = "".join(rf"\p{{{script}}}" for script in scripts)
    return regex.compile(rf"[[\p{{Lu}}\p{{Lt}}]&&[{own}]]", regex.VERSION1)


@cache
def _in_calendar(word: str, lang: str) -> bool:
    """Return whether a word is a month or a weekday."""
    mentions = quantities(word, lang) if comparable(lang) else ()
    return any(each.kind in ("month", "weekday") for mention in mentions for each in mention.readings[0])
