"""Language identification that abstains on short text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import regex

from ragaliq.errors import InputError
from ragaliq.text.terms import base_language, reading_length

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# Candidates beside the benchmark's own languages, so that an answer in a wrong language has somewhere to go.
COMMON = ("de", "en", "es", "fr", "ru", "zh")
# What the detector knows, so that a question about a code does not load it, which takes a second.
SUPPORTED = frozenset([
    "ace", "af", "am", "an", "ar", "ary", "arz", "as", "az", "ba", "bcl", "be", "bg", "bn", "br", "bs", "ca", "crh",
    "cs", "cy", "da", "de", "dz", "el", "en", "eo", "es", "et", "eu", "ext", "fa", "fi", "fo", "fr", "fuv", "fy",
    "ga", "gcf", "gcr", "gd", "gl", "gom", "grc", "gu", "gug", "guw", "ha", "hbo", "he", "hi", "hr", "ht", "hu", "hy",
    "id", "ig", "is", "it", "ja", "jv", "ka", "kab", "kik", "kk", "km", "kn", "ko", "ku", "ky", "la", "lb", "lg",
    "lij", "ln", "lo", "lt", "ltg", "lv", "mg", "mk", "ml", "mn", "mr", "ms", "mt", "my", "ne", "nl", "nn", "no",
    "nso", "oc", "om", "or", "pa", "pcm", "pl", "ps", "pt", "qu", "ro", "ru", "rw", "sa", "sdh", "se", "si", "sk",
    "sl", "sn", "so", "sq", "sr", "st", "sv", "sw", "ta", "te", "tg", "th", "tk", "tl", "tr", "tt", "ug", "uk", "ur",
    "uz", "uzs", "vec", "vi", "vo", "wa", "wuu", "xh", "yo", "yue", "zh", "zu", "zxx",
])  # fmt: skip
# Below about twenty letters (seven Han characters) detectors guess; names have no language.
MIN_LETTERS = 20
_LATIN = regex.compile(r"\p{Latin}")
# Letters of a text that can make a language that nobody named a candidate.
_SURE_LETTERS = 40
# Above the first a language is sure. Both must hold for a text that is called foreign: on the references of XQuAD
# (de, en, ru, zh) they leave 5 of 68 false alarms, and find 3,064 of 4,068 texts of at least `MIN_LETTERS` in another
# language.
_SURE = 0.9
_PROSE_SHARE = 0.25
# The same where each language is a candidate.
_SURE_OF_ALL = 0.95
# What the detector calls a text in no language, and varieties of Chinese that it takes one Chinese text in thirty for.
_NONE = "zxx"
_CHINESE = frozenset(["wuu", "yue"])
# A run with an @ is recognised at its first character; from every character, the rest would be searched for an @.
_NO_LANGUAGE = regex.compile(r"(?<!\S)\S[^\s@]*@\S+|https?://\S+|www\.\S+|[^\p{L}\p{M}\s]+")


def identify(text: str, candidates: Iterable[str]) -> str | None:
    """Return the language that `text` is most likely written in, or None if it is too short to tell or in none.

    It is one of the candidates or of `COMMON`; Cantonese and Wu are told as Chinese.
    Addresses, digits and punctuation do not count. A Han, kana or hangul character counts as three letters.
    """
    letters = prose(text)
    if _length(letters.split()) < MIN_LETTERS:
        return None
    return _told(letters, {*candidates, *COMMON})[0]


def prose(text: str) -> str:
    """Return the words of a text that can tell its language: without addresses, digits and punctuation."""
    return " ".join(_NO_LANGUAGE.sub(" ", text).split())


def likeliest(text: str, candidates: Iterable[str]) -> str:
    """Return the candidate that `text` is most likely written in, however short it is.

    Raises:
        InputError: if the detector knows none of the candidates.
    """
    known = {base_language(code): code for code in sorted(candidates) if base_language(code) in SUPPORTED}
    if not known:
        raise InputError("the language of the question cannot be told here; pass Query(query_id, lang, text)")
    if len(known) == 1:
        return next(iter(known.values()))
    label, _ = _identifier(tuple(sorted(known))).classify(text)
    return known[str(label)]


def languages_of(texts: Sequence[str]) -> list[str]:
    """Return the likeliest language of each of the texts of one source.

    Candidates beside `COMMON` are the languages that at least a twentieth of the texts, two or more, are surely in. A
    text that is too short to tell has the language of most others if it is in Latin letters, as most of them may be.
    """
    sure = Counter(lang for lang in map(_surely, texts) if lang)
    candidates = {*COMMON, *(lang for lang, count in sure.items() if count >= max(2, len(texts) / 20))}
    told = [identify(text, candidates) for text in texts]
    latin = Counter(lang for lang, text in zip(told, texts, strict=True) if lang and _LATIN.search(text))
    langs = []
    for lang, text in zip(told, texts, strict=True):
        most = latin.most_common(1) if lang is None and _LATIN.search(text) else []
        langs.append(lang or (most[0][0] if most else likeliest(text, candidates)))
    return langs


def _surely(text: str) -> str | None:
    """Return the language of a text if the detector, choosing from all that it knows, has hardly a doubt."""
    letters = prose(text)
    if _length(letters.split()) < _SURE_LETTERS:
        return None
    lang, probability = _told(letters, SUPPORTED)
    return lang if probability > _SURE else None


def in_language(text: str, lang: str) -> bool | None:
    """Return whether `text` is in `lang`; None if the text is too short or the detector does not know the language."""
    base = base_language(lang)
    if base not in SUPPORTED:
        return None
    detected = identify(text, [base])
    return None if detected is None else detected == _as_told(base)


def is_foreign(text: str, lang: str) -> bool:
    """Return whether `text` is surely not in `lang`, as a data set's texts are checked.

    Titles and names are quoted in their own language: a text says nothing if less than a quarter of its letters are in
    words without a capital. Nor does a short one if the detector gives its language less than .9.
    """
    base = base_language(lang)
    return base in SUPPORTED and _is_surely_not(text, base, {base, *COMMON}, MIN_LETTERS, _SURE)


def is_in_any_other(text: str, lang: str) -> bool:
    """Return whether `text` is surely not in `lang` but in one of all languages that the detector knows.

    From forty letters on, and a probability of .95; capitals as in `is_foreign`. Only texts in de en es fr ru zh are
    looked at: of their sentences in the sample and XQuAD none is taken for another language. A neighbour may be less
    sure, as Galician beside Spanish.
    """
    base = base_language(lang)
    return base in COMMON and _is_surely_not(text, base, SUPPORTED, _SURE_LETTERS, _SURE_OF_ALL)


def _is_surely_not(text: str, base: str, candidates: Iterable[str], fewest: int, sureness: float) -> bool:
    """Return whether the detector is sure that a text is in a candidate other than its language, names aside."""
    letters = prose(text)
    length = _length(letters.split())
    if length < fewest:
        return False
    detected, sure = _told(letters, candidates)
    if detected in (None, _as_told(base)) or sure < sureness:
        return False
    return _length(word for word in letters.split() if not word[0].isupper()) >= _PROSE_SHARE * length


def _told(letters: str, candidates: Iterable[str]) -> tuple[str | None, float]:
    """Return the likeliest of the candidates, None if it is no language, and how likely it is."""
    label, probability = _identifier(tuple(sorted(candidates))).classify(letters)
    return (None if label == _NONE else _as_told(str(label))), float(probability)


def _as_told(base: str) -> str:
    return "zh" if base in _CHINESE else base


def _length(words: Iterable[str]) -> int:
    return reading_length("".join(words))


@lru_cache(maxsize=16)
def _identifier(candidates: tuple[str, ...]) -> LanguageIdentifier:
    # The parts that the languages choose from are shared: loading them takes most of a second.
    identifier = copy(load_detector())
    identifier.set_languages([lang for lang in candidates if lang in identifier.labels])
    return identifier


@cache
def load_detector() -> LanguageIdentifier:
    """Return the detector; the first call takes a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
