"""Negations that a translation loses or adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.benchmark.translation.alignment import SentenceGroup, aligned
from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.terms import base_language, fold
from ragaliq.types import Severity, TranslationFinding, TranslationPair

_FILE = Path(__file__).with_name("negation.yaml")
# Sources whose negations mostly stay negations; those of Russian and Chinese often become plain words.
_SURE = ("de", "en", "es", "fr")


def negation_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield a finding for each pair of which one side negates in a sentence and the other affirms.

    Sentences are compared as `aligned` groups them. A negation is a word such as "not", "never" and "without"; what
    says the same in other words ("closed", "refuse", "at most") counts in its favour and demands nothing. An error is a
    negation with nothing of the kind in the translation. A warning is one that the translation adds, that is `weak`
    in the source's table, or that a plain word of the translation may express where the source is Russian or
    Chinese. A pair with a language without a table has no findings.
    """
    for pair in pairs:
        if base_language(pair.source_lang) in _data() and base_language(pair.lang) in _data():
            yield from _of_pair(pair)


@dataclass(frozen=True, slots=True)
class _Polarity:
    """What negates in a text, in reading order, and what may say the same in another way.

    Attributes:
        negations: words that negate.
        limits: negations that set a limit.
        bound: whether other words set one.
        akin: how many other words may be the translation of a negation.
        loose: whether others may have one as their translation.
    """

    negations: tuple[str, ...]
    limits: tuple[str, ...]
    bound: bool
    akin: int
    loose: bool

    @classmethod
    def of(cls, text: str, lang: str) -> _Polarity:
        # Folded, the sign would be the word "no".
        folded = fold(text.replace("№", " "))
        rest = _pattern("neutral", lang).sub(" ", folded)
        limits = tuple(match[0] for match in _pattern("limit", lang).finditer(rest))
        rest = _pattern("limit", lang).sub(" ", rest)
        negations = tuple(match[0] for match in _pattern("mark", lang).finditer(rest))
        akin = len(_pattern("akin", lang).findall(rest))
        loose = _pattern("loose", lang).search(rest) is not None
        # "ne … que" negates nothing and sets a limit.
        bound = _pattern("bound", lang).search(_pattern("limit", lang).sub(" ", folded)) is not None
        return cls(negations, limits, bound, akin, loose)

    @property
    def negates(self) -> bool:
        return bool(self.negations or self.limits)

    def lost_in(self, other: _Polarity) -> str:
        """Return a negation of this text for which the other has nothing, else ""."""
        if other.negates or other.akin > self.akin:
            return ""
        return next(iter(self.negations), "") or ("" if other.bound else next(iter(self.limits), ""))


def _of_pair(pair: TranslationPair) -> Iterator[TranslationFinding]:
    for group in aligned(pair.source, pair.target):
        finding = _of_group(group, pair)
        if finding:
            yield finding
            return


def _of_group(group: SentenceGroup, pair: TranslationPair) -> TranslationFinding | None:
    here = _Polarity.of("\n".join(group.source), pair.source_lang)
    there = _Polarity.of("\n".join(group.target), pair.lang)
    lost, added = here.lost_in(there), there.lost_in(here)
    if lost:
        weak = bool(_pattern("weak", pair.source_lang).fullmatch(lost))
        weak = weak or (there.loose and base_language(pair.source_lang) not in _SURE)
        severity = Severity.WARNING if weak else Severity.ERROR
        return finding_of(pair, "negation", severity, f"source negates ({quoted([lost])}), translation does not")
    if added and not here.loose:
        message = f"translation negates ({quoted([added])}), source does not"
        return finding_of(pair, "negation", Severity.WARNING, message)
    return None


@cache
def _pattern(kind: str, lang: str) -> regex.Pattern[str]:
    entry = _data()[base_language(lang)].get(kind)
    return regex.compile("|".join(f"(?:{one})" for one in entry) if entry else "(?!)")


@cache
def _data() -> dict[str, Any]:
    return read_mapping(_FILE)
