"""Whether a segment has words that a translation changes."""

from __future__ import annotations

from collections.abc import Collection

import regex

from ragaliq.text.terms import base_language

_FIXED = regex.compile(r"`+[^`\n]*`+|\S*@\S+\.\S+|(?:https?://|www\.)\S+")
_LETTER = regex.compile(r"\p{L}")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}'’\-]+")
# Shorter ones are parts of names, too: `Rue de la Paix`.
_SMALL = regex.compile(r"[\p{Ll}\p{M}]{4,}|[\p{Lo}\p{M}]+")
_LATIN, _SYMBOL = regex.compile(r"\p{Latin}"), regex.compile(r"\p{Greek}")
# The `µ` of units and letters of formulas are of none.
_OF_A_SCRIPT = regex.compile(r"[\p{L}--[\p{Common}\p{Inherited}]]", regex.VERSION1)
_SCRIPTS = {
    **dict.fromkeys(("de", "en", "es", "fr"), _LATIN),
    "ru": regex.compile(r"\p{Cyrillic}"),
    **dict.fromkeys(("ja", "zh"), regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")),
}


def is_translatable(segment: str, keep: Collection[str]) -> bool:
    """Return whether a segment has letters beside links, e-mails, code and the terms that stay."""
    return bool(_LETTER.search(_free(segment, keep)))


def is_source_wording(segment: str, lang: str, keep: Collection[str]) -> bool:
    """Return whether a segment that a translation into `lang` has unchanged has words that are not translated.

    Words count if they are written small or in a script without case, and have at least four letters there: names and
    titles are often the same in two languages. So may a word alone (`information`), unless its script is not that of
    `lang`. Words in a script that `lang` has no use for always count, `Заказы` in English: every language writes names
    in Latin letters, and units and formulas with single Greek ones.
    """
    words = [word for word in _WORD.findall(_free(segment, keep)) if _LETTER.search(word)]
    common = [word for word in words if _SMALL.fullmatch(word)]
    script = _SCRIPTS.get(base_language(lang))
    foreign = script is not None and not any(map(script.search, common))
    unused = script is not None and any(_is_unused(word, script) for word in words)
    return unused or (bool(common) and (len(words) > 1 or foreign))


def _is_unused(word: str, script: regex.Pattern[str]) -> bool:
    letters = "".join(_OF_A_SCRIPT.findall(word))
    known = script.search(letters) or _LATIN.search(letters) or _SYMBOL.fullmatch(letters)
    return bool(letters) and not known


def _free(segment: str, keep: Collection[str]) -> str:
    text = _FIXED.sub(" ", segment)
    for term in sorted(keep, key=len, reverse=True):
        text = text.replace(term, " ")
    return text
