"""Analyzers: from text to index terms, for any language.

Tokens are runs of Unicode letters, combining marks and digits (the word class of Python's `re` leaves the marks
out and so breaks words of Hindi, Thai and others). Words are casefolded and stemmed by Snowball where it knows the
language. Runs of scripts that write no spaces become character 1-grams and 2-grams
(as words); see `char_ngrams` for the n-grams of each script.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import cache

import regex

WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
UNSPACED_LETTERS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々"
UNSPACED = regex.compile(f"[{UNSPACED_LETTERS}]+")
# Thai comes before the other unspaced scripts.
_FIRST_UNSPACED = "\u0e00"
# Unspaced scripts whose characters are letters, not words or syllables.
_LETTERS = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
# Letters and digits of ASCII folded, a blank in the place of all else.
_ASCII = "".join(chr(code).lower() if chr(code).isalnum() else " " for code in range(128))
_SNOWBALL = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hi": "hindi", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


def base_language(code: str) -> str:
    """Return a language code without its region or script: `de` for `de-AT`."""
    return code.partition("-")[0].lower()


def fold(text: str) -> str:
    """Return `text` in NFKC and casefolded; `ё` and `е` count as one letter, as Russian writes them."""
    return unicodedata.normalize("NFKC", text).casefold().replace("ё", "е")


def words(text: str) -> list[str]:
    """Return the folded words of `text`; a run of an unspaced script is one word."""
    if text.isascii():
        # The same words as below, several times faster.
        return text.translate(_ASCII).split()
    return list(WORD.findall(fold(text)))


def terms(text: str, lang: str) -> list[str]:
    """Return the index terms of `text` in reading order, repeats included.

    A word of a spaced script gives its stem; a run of an unspaced script gives its character 1-grams, then 2-grams.
    """
    return [term for word in words(text) for term in word_terms(word, lang)]


def word_terms(word: str, lang: str) -> list[str]:
    """Return the index terms of one folded word; see `terms`. An empty `lang` stems nothing."""
    stem = _stemmer(lang)
    parts: list[str] = []
    for piece, unspaced in pieces(word):
        parts += char_runs(piece, 1, 2) if unspaced else [stem(piece)]
    return parts


def char_ngrams(text: str, shortest: int, longest: int) -> list[str]:
    """Return the character n-grams inside the words of `text`, a blank marking the ends of a word.

    A run of Chinese or Japanese characters gives its 1-grams and 2-grams, whatever lengths are asked for: each of them
    says as much as several letters. Thai, Lao, Khmer and Burmese write letters without spaces, so a run of these gives
    n-grams of the lengths that are asked for, without blanks.
    """
    return [gram for word in words(text) for gram in word_ngrams(word, shortest, longest)]


def word_ngrams(word: str, shortest: int, longest: int) -> list[str]:
    """Return the character n-grams of one folded word; see `char_ngrams`."""
    grams: list[str] = []
    for piece, unspaced in pieces(word):
        if not unspaced:
            grams += char_runs(f" {piece} ", shortest, longest)
        elif _LETTERS.match(piece):
            grams += char_runs(piece, min(shortest, len(piece)), longest)
        else:
            grams += char_runs(piece, 1, 2)
    return grams


def pieces(word: str) -> Iterator[tuple[str, bool]]:
    """Yield a word, cut where spaced and unspaced scripts meet; True marks an unspaced piece."""
    if word and max(word) < _FIRST_UNSPACED:
        yield word, False
        return
    at = 0
    for run in UNSPACED.finditer(word):
        if run.start() > at:
            yield word[at : run.start()], False
        yield run.group(), True
        at = run.end()
    if at < len(word):
        yield word[at:], False


def char_runs(text: str, shortest: int, longest: int) -> list[str]:
    """Return all runs of `shortest` to `longest` characters of a text, blanks included, shorter ones first."""
    return [text[i : i + n] for n in range(shortest, longest + 1) for i in range(len(text) - n + 1)]


def is_wide(text: str) -> bool:
    """Return whether `text` is written mainly in Han, kana or hangul.

    A character of these scripts carries about as much text as three letters of an alphabet.
    """
    if max(text, default="") < _FIRST_WIDE:
        return False
    wide = len(_WIDE.findall(text))
    return 3 * wide > sum(map(len, WORD.findall(_WIDE.sub(" ", text))))


def reading_length(text: str) -> int:
    """Return the length of `text` in letters of an alphabet: a Han, kana or hangul character counts 3, any other 1."""
    return len(text) + (0 if max(text, default="") < _FIRST_WIDE else 2 * len(_WIDE.findall(text)))


# No character of these scripts comes before the first of hangul.
_FIRST_WIDE = "\u1100"
_WIDE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


@cache
def _stemmer(lang: str) -> Callable[[str], str]:
    name = _SNOWBALL.get(base_language(lang))
    if name is None:
        return str
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(name).stemWord
    return stem
