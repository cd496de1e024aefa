"""Whether words of one language spell a name of another."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache, lru_cache
from pathlib import Path

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.terms import UNSPACED

_FILE = Path(__file__).with_name("transliteration.yaml")
# Cyrillic in Latin letters: near enough to tell that a word is a name spelled anew.
_LATIN = {
    **dict(zip("абвгдезийклмнопрстуфхцыэюя", "abvgdeziiklmnoprstufhcyeua", strict=True)),
    **{"ж": "zh", "ч": "ch", "ш": "sh", "щ": "sh", "ъ": "", "ь": ""},
}
# Consonants of Latin letters, as `transliteration.yaml` has them.
_CONSONANTS = {
    **dict.fromkeys("bfpvw", "P"), **dict.fromkeys("dt", "T"), **dict.fromkeys("cghkqx", "K"),
    **dict.fromkeys("jsz", "S"), **dict.fromkeys("lr", "L"), "m": "M", "n": "N",
}  # fmt: skip
_ALIKE, _SHORTEST = 0.75, 4
# Letters that an ending may add.
_ENDING = 3
# As many consonants must agree one by one.
_FEW_CONSONANTS = 3


def spells(unit: str, name: str) -> bool:
    """Return whether a word, or words in a row, spell a folded name but for endings.

    In Latin and Cyrillic letters three quarters of the letters agree; words of less than four letters spell nothing. In
    Chinese the consonants agree, of a run of characters that write foreign names.
    """
    here, there = name.split(), unit.split()
    return len(here) == len(there) and all(map(_one_word, here, there))


def transliterated(text: str) -> Iterator[str]:
    """Yield the runs of two or more Chinese characters that write foreign names."""
    yield from _runs().findall(text)


# A bound on memory: each name meets every word of its sentences.
@lru_cache(maxsize=500_000)
def _one_word(name: str, unit: str) -> bool:
    if UNSPACED.search(name):
        return False
    here = _latin(name)
    if UNSPACED.match(unit):
        return _runs().fullmatch(unit) is not None and _same_consonants(here, unit)
    there = _latin(unit)
    if min(len(here), len(there)) < _SHORTEST or here[0] != there[0] or abs(len(here) - len(there)) > _ENDING:
        return False
    return here.startswith(there) or SequenceMatcher(None, here, there, autojunk=False).ratio() >= _ALIKE


def _same_consonants(name: str, run: str) -> bool:
    here = _single("".join(_CONSONANTS.get(char, "") for char in name))
    there = _single("".join(_characters()[char] for char in run))
    if len(here) <= _FEW_CONSONANTS:
        return len(here) > 1 and here == there
    return SequenceMatcher(None, here, there, autojunk=False).ratio() >= _ALIKE


def _single(consonants: str) -> str:
    return str(regex.sub(r"(.)\1+", r"\1", consonants))


@lru_cache(maxsize=100_000)
def _latin(word: str) -> str:
    plain = unicodedata.normalize("NFD", word)
    return "".join(_LATIN.get(char, char) for char in plain if not unicodedata.combining(char))


@cache
def _characters() -> dict[str, str]:
    table = {str(key): str(value) for key, value in read_mapping(_FILE).items() if key != "version"}
    return {char: consonants for consonants, characters in table.items() for char in characters}


@cache
def _runs() -> regex.Pattern[str]:
    return regex.compile(f"[{''.join(_characters())}]{{2,}}")
