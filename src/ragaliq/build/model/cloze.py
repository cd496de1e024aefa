"""Questions that rules write: a sentence with a gap."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ragaliq.text.terms import is_wide, words

GAP = "____"
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_TIME = re.compile(r"\d{1,2}[:.h]\s?\d{2}|\b\d{1,2}\s?(?:Uhr|h|ч|点|时|am|pm)\b", re.IGNORECASE)
_LIST = re.compile(r"[^\W\d]+(?:、[^\W\d]+|,\s[^\W\d]+)+")
_CLOZE = {
    "de": "Was fehlt in diesem Satz: „{}“?",
    "en": "What is missing in this sentence: “{}”?",
    "es": "¿Qué falta en esta frase: «{}»?",
    "fr": "Que manque-t-il dans cette phrase : « {} » ?",
    "ru": "Что пропущено в предложении: «{}»?",
    "zh": "这句话里缺了什么：“{}”？",
}


def cloze(sentence: str, gap: str, lang: str) -> str:
    """Return the question for the part `gap` of a sentence; in a language without a wording of its own, in English."""
    return _CLOZE.get(lang, _CLOZE["en"]).format(sentence.replace(gap, GAP, 1))


def read_clozes(text: str, lang: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and behind the gap of each question in a text; nothing if it has any other part."""
    if _questions(lang, whole=True).fullmatch(text.strip()):
        for match in _questions(lang).finditer(text):
            before, _, behind = match[1].partition(GAP)
            yield before, behind


def gap_in(kind: str, sentence: str) -> str:
    """Return the part of a sentence to blank out; empty if none fits the kind of question."""
    if sentence.startswith(("#", "|", ">")) or "|" in sentence or (len(words(sentence)) < 5 and len(sentence) < 16):
        return ""
    if kind == "temporal":
        match = _TIME.search(sentence)
    elif kind == "numeric":
        match = NUMBER.search(sentence)
    elif kind in ("list", "comparative"):
        match = _LIST.search(sentence)
    else:
        number = NUMBER.search(sentence)
        return number[0] if number else longest_word(sentence)
    return match[0] if match else ""


def longest_word(sentence: str) -> str:
    """Return the longest word without digits, of a run of Han four characters; empty if none has two characters."""
    longest = max(re.findall(r"[^\W\d_]+", sentence), key=len, default="")
    if is_wide(sentence):
        longest = longest[:4]
    return longest if len(longest) > 1 else ""


@cache
def _questions(lang: str, whole: bool = False) -> re.Pattern[str]:
    head, tail = map(re.escape, _CLOZE.get(lang, _CLOZE["en"]).split("{}"))
    one = rf"{head}((?:(?!{tail}).)*?{GAP}(?:(?!{tail}\s*(?:{head}|\Z)).)*){tail}"
    return re.compile(rf"{one}(?:\s*{one})*" if whole else one)
