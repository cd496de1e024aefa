"""Is an answer in the language of its question? As a whole, line by line, and word by word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import regex

from ragaliq.text.language import COMMON, MIN_LETTERS, SUPPORTED, in_language, prose
from ragaliq.text.terms import base_language, fold, reading_length

# The scripts that a language is written in; all others that the detector knows are written in Latin letters.
_SCRIPTS = {
    **dict.fromkeys(("ba", "be", "bg", "kk", "ky", "mk", "mn", "ru", "tg", "tt", "uk"), ("Cyrillic",)),
    **dict.fromkeys(("gom", "hi", "mr", "ne", "sa"), ("Devanagari",)),
    **dict.fromkeys(("ar", "ary", "arz", "fa", "ps", "sdh", "ug", "ur", "uzs"), ("Arabic",)),
    **dict.fromkeys(("as", "bn"), ("Bengali",)),
    **dict.fromkeys(("el", "grc"), ("Greek",)),
    **dict.fromkeys(("hbo", "he"), ("Hebrew",)),
    **dict.fromkeys(("wuu", "yue", "zh"), ("Han",)),
    "am": ("Ethiopic",), "dz": ("Tibetan",), "gu": ("Gujarati",),
    "hy": ("Armenian",), "ja": ("Han", "Hiragana", "Katakana"), "ka": ("Georgian",), "km": ("Khmer",),
    "kn": ("Kannada",), "ko": ("Hangul", "Han"), "lo": ("Lao",), "ml": ("Malayalam",), "my": ("Myanmar",),
    "or": ("Oriya",), "pa": ("Gurmukhi",), "si": ("Sinhala",), "sr": ("Cyrillic", "Latin"), "ta": ("Tamil",),
    "te": ("Telugu",), "th": ("Thai",),
}  # fmt: skip
_LATIN = ("Latin",)
# Letters that a language never writes and a neighbour in the same script does, and the share of all that no quoted name
# explains: half of Japanese is kana, one letter in fifteen of Ukrainian is not Russian.
_NEIGHBOURS = {
    "ar": (regex.compile(r"[پچژگ]"), 0.02),
    "ru": (regex.compile(r"[іїєґўјљњћђџ]", regex.IGNORECASE), 0.02),
    "zh": (regex.compile(r"[\p{Hiragana}\p{Katakana}]"), 0.2),
}
# So many letters, and more than half of all, show by their script alone which language it is.
_TELLING = 2
# A shorter run of a foreign script is a unit, an initial or a sign.
_SHORTEST_WORD = 3
_WORD = regex.compile(r"[\p{L}\p{M}]+")


@dataclass(frozen=True, slots=True)
class AnswerLanguage:
    """Whether an answer is in the query's language; None where that cannot be told, or was not looked at.

    Attributes:
        answer: as a whole.
        lines: no line is in another language; None if no line can be told.
        words: no word is in a script that the language is not written in, names and words of the material aside.
    """

    answer: bool | None = None
    lines: bool | None = None
    words: bool | None = None


NOTHING_TOLD = AnswerLanguage()


def answer_language(text: str, lang: str, reference: str = "", material: Sequence[str] = ()) -> AnswerLanguage:
    """Return whether an answer is in the language of its question.

    First the script decides: an answer without a letter of the language's script is wrong if it is long enough to tell,
    or if it holds letters of a neighbour (kana in Chinese, Ukrainian in Russian, Persian in Arabic); one mainly in a
    script that no other candidate language uses is right, however short. Then a detector decides among the candidates
    `lang` and de en es fr ru zh; it abstains on texts of less than twenty letters. Addresses, digits and punctuation
    never count. The reference is the control: where it is itself taken for another language, nothing can be told of the
    answer. (Of 750 references and 750 questions in six languages, 4 references were taken for another language, all of
    them names; of 7,500 texts of another language 4.)

    Args:
        text: the answer.
        lang: language of the question.
        reference: the reference answer, in `lang`; empty for none.
        material: texts that the answer may quote words of: question and context.
    """
    if reference and _whole(reference, lang) is False:
        return NOTHING_TOLD
    lines = [_whole(line, lang) for line in text.splitlines()]
    told = [mark for mark in lines if mark is not None]
    whole = _whole(text, lang)
    words = None if whole is None else _words(text, lang, (reference, *material))
    return AnswerLanguage(whole, all(told) if told else None, words)


def _whole(text: str, lang: str) -> bool | None:
    base = base_language(lang)
    if base not in SUPPORTED:
        return None
    letters = prose(text)
    scripts = scripts_of(lang)
    length = reading_length(letters.replace(" ", ""))
    in_script = reading_length("".join(_in_scripts(scripts).findall(letters)))
    if in_script == 0 and length >= MIN_LETTERS:
        return False
    if base in _NEIGHBOURS:
        sign, share = _NEIGHBOURS[base]
        if len(sign.findall(letters)) > share * len(letters):
            return False
    rivals = {script for code in COMMON if code != base for script in scripts_of(code)}
    if in_script >= _TELLING and 2 * in_script > length and not rivals & set(scripts):
        return True
    return in_language(text, lang)


def _words(text: str, lang: str, material: Iterable[str]) -> bool:
    """Return whether no word is written in a foreign script, except names and what the material holds.

    A name is a word with a capital letter; a word of a script without capitals is always one of another language.
    """
    native = _in_scripts((*scripts_of(lang), "Common", "Inherited"))
    known = {word for part in material for word in _WORD.findall(fold(part))}
    return all(
        reading_length(word) < _SHORTEST_WORD or native.search(word) or word != word.lower() or fold(word) in known
        for word in _WORD.findall(prose(text))
    )


def scripts_of(lang: str) -> tuple[str, ...]:
    """Return the Unicode scripts that a language is written in; Latin for one that is not listed."""
    return _SCRIPTS.get(base_language(lang), _LATIN)


@cache
def _in_scripts(scripts: tuple[str, ...]) -> regex.Pattern[str]:
    return regex.compile("|".join(rf"\p{{Script={script}}}" for script in scripts))
