"""The code of a language that somebody wrote as a code, a tag or a name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import regex

from ragaliq.text.language import COMMON, SUPPORTED

_TAG = regex.compile(r"(?P<base>[a-z]{2,3})(?:[-_][a-z0-9]{2,4})*")
_BRACKETS = regex.compile(r"\s*[(（][^)）]*[)）]\s*$")
# Everyday names that no list of names has.
_BESIDE: Mapping[str, str] = MappingProxyType(
    {"mandarin": "zh", "汉语": "zh", "普通话": "zh", "华语": "zh", "castellano": "es", "castilian": "es"}
)
# What data sets write where a language is not known, or is none.
_UNKNOWN = frozenset(["und", "unk", "mul", "zxx", "unknown", "n/a", "none", "null", "-"])


def language_code(name: str) -> str | None:
    """Return the ISO 639 code of a language, two letters where there are two; "" for none; None for no known name.

    A name is a code (`de`, `ger`, `deu`), a tag, or a name in English, in one of our six languages, or in the language
    itself (`German`, `allemand`, `Deutsch`), in any case; region and script are left out (`en-US`, `zh_Hans`, `Chinese
    (Simplified)`). Blank text and words for "unknown" are none.
    """
    text = _BRACKETS.sub("", name.strip().casefold())
    if not text or text in _UNKNOWN:
        return ""
    tag = _TAG.fullmatch(text)
    if tag is None:
        return _codes().get(text)
    return tag["base"] if tag["base"] in COMMON else _known(tag["base"])


def english_name(code: str) -> str:
    """Return what a language is called in English; the code itself for one that is not known."""
    from babel import Locale

    return str(Locale("en").languages.get(code.replace("-", "_"), code))


def writes_from_right(code: str) -> bool:
    """Return whether a language's usual script runs from right to left."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(code, sep="-").text_direction == "rtl"
    except (UnknownLocaleError, ValueError):
        return False


@cache
def _known(code: str) -> str | None:
    """Return the code by which a language goes today; None for no known language."""
    from babel import Locale
    from babel.core import get_global

    base = str(get_global("language_aliases").get(code, code)).partition("_")[0]
    # Nearly all are in the English list; the others take a second.
    return base if base in Locale("en").languages or base in _codes().values() else None


@cache
def _codes() -> dict[str, str]:
    """Return the codes of languages by their names."""
    from babel import Locale, UnknownLocaleError

    codes = dict(_BESIDE)
    for code in sorted(SUPPORTED):
        try:
            name = Locale.parse(code).languages[code]
        except (KeyError, UnknownLocaleError, ValueError):  # A language without a locale.
            continue
        codes.setdefault(name.casefold(), code)
    for lang in ("en", *COMMON):
        for code, name in sorted(Locale(lang).languages.items(), key=lambda entry: (len(entry[0]), entry[0])):
            codes.setdefault(name.casefold(), code.partition("_")[0])
    return codes
