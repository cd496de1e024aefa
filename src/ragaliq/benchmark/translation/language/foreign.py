"""Translations, or sentences of them, in another language than they should be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import regex

from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.text.addresses import CODE_SPAN, EAST_ASIAN, without_fences
from ragaliq.text.answer_language import scripts_of
from ragaliq.text.language import COMMON, MIN_LETTERS, is_foreign, is_in_any_other, prose
from ragaliq.text.polarity import function_words
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import base_language, fold, reading_length
from ragaliq.types import Severity, TranslationFinding, TranslationPair

_SCRIPTS = {
    "latin": regex.compile(r"\p{Latin}"),
    "cyrillic": regex.compile(r"\p{Cyrillic}"),
    "han": regex.compile(f"[{EAST_ASIAN}]"),
}
_HAN = _SCRIPTS["han"]
_SCRIPT_OF = {"en": "latin", "de": "latin", "fr": "latin", "es": "latin", "ru": "cyrillic", "zh": "han"}
# A row of words in letters of another script, and the words in it that are written small.
_ROW = regex.compile(
    r"[\p{Latin}\p{M}]+(?:[\s,;:.'’|\-()\d]+[\p{Latin}\p{M}]+)*+|[\p{Cyrillic}\p{M}]+(?:[\s,;:.'’|\-()\d]+[\p{Cyrillic}\p{M}]+)*+|\p{Han}+"
)
_WORD = regex.compile(r"\p{Han}|[\p{L}\p{M}]+")
# Least words of a row that is prose, and how many of them are written small; more than a short quotation.
_LONG_ROW, _SMALL = 5, 3
# Least function words of another language in a sentence that has none of its own.
_FUNCTION = 2
# Least letters of a script that neither language uses, and their least share. Japanese is half kana.
_FEWEST, _MOST = 6, 0.5
_KANA, _KANA_SHARE = regex.compile(r"[\p{Hiragana}\p{Katakana}]"), 0.2


def language_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `language` errors: a text, or one of its sentences, is in another language than the pair's.

    Words are in letters of another script, or a sentence has function words of another language and none of its own,
    or letters of a script that neither language is written in are half of a sentence (kana a fifth), or the detector is
    sure, see `is_foreign` and `is_in_any_other`. Names and short texts say nothing. What the source has word for word,
    is `untranslated`.
    """
    for pair in pairs:
        source = fold(pair.source)
        target = CODE_SPAN.sub(" ", without_fences(pair.target)[0])
        scripts = tuple(sorted({"Latin", *scripts_of(pair.lang), *scripts_of(pair.source_lang)}))
        parts = sentences(target)
        copied = {text for text in parts if fold(text) in source}
        wrong = [text for text in parts if text not in copied and _is_wrong(text, pair.lang, source, scripts)]
        # Of what is copied, short lines tell together; a longer one is prose, and `untranslated`, or it is a key.
        whole = "\n".join(text for text in parts if text not in copied or _letters(text) < MIN_LETTERS)
        if wrong or is_foreign(whole, pair.lang) or is_in_any_other(whole, pair.lang):
            wrong = wrong or [whole]
            yield finding_of(pair, "language", Severity.ERROR, f"not in '{pair.lang}': {quoted(wrong)}")


def _letters(text: str) -> int:
    return reading_length(prose(text).replace(" ", ""))


def _is_wrong(sentence: str, lang: str, source: str, scripts: tuple[str, ...]) -> bool:
    """Return whether a sentence is in another language; words that the folded source has do not count."""
    letters = prose(sentence)
    script = _SCRIPT_OF.get(base_language(lang))
    if script and _in_other_script(letters, script, source):
        return True
    if _in_neither_script(letters, scripts, source):
        return True
    return is_foreign(sentence, lang) or is_in_any_other(sentence, lang) or _has_other_function_words(letters, lang)


def _in_other_script(letters: str, script: str, source: str) -> bool:
    """Return whether words are in letters of another script: a long row, or all that there is."""
    rows = [row for row in _ROW.findall(letters) if not _SCRIPTS[script].match(row) and fold(row) not in source]
    own = _SCRIPTS[script].search(letters) is not None
    for row in rows:
        words = _WORD.findall(row)
        small = sum((word.islower() and len(word) > 1) or _HAN.match(word) is not None for word in words)
        if (len(words) >= _LONG_ROW and small >= _SMALL) or (not own and len(words) > 1 and small):
            return True
    return False


def _in_neither_script(letters: str, scripts: tuple[str, ...], source: str) -> bool:
    """Return whether much of a sentence is in scripts that neither language is written in, and not in the source."""
    runs = [run for run in _others(scripts).findall(letters) if not run[0].isupper() and fold(run) not in source]
    foreign, whole = reading_length("".join(runs)), reading_length(letters.replace(" ", ""))
    kana = len(_KANA.findall("".join(runs)))
    return foreign >= max(_FEWEST, _MOST * whole) or 3 * kana >= max(2 * _FEWEST, _KANA_SHARE * whole)


@cache
def _others(scripts: tuple[str, ...]) -> regex.Pattern[str]:
    """Return a pattern of runs of letters in other scripts."""
    own = "".join(rf"\p{{{script}}}" for script in (*scripts, "Common", "Inherited"))
    return regex.compile(rf"[\p{{L}}--[{own}]][[\p{{L}}\p{{M}}]--[{own}]]*+", regex.VERSION1)


def _has_other_function_words(letters: str, lang: str) -> bool:
    """Return whether a sentence has words of no content of another language and none of its own."""
    own = function_words(lang)
    words = letters.split()
    small = {word for word in words if word.islower()}
    if not own or small & own or any(fold(word) in own for word in words[:1]):
        return False
    others = (function_words(other) - own for other in COMMON if other != base_language(lang))
    return any(len(small & other) >= _FUNCTION and small - other for other in others)
