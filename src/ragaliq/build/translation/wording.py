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
_SCRIPTS = {
    **dict.fromkeys(("de", "en", "es", "fr"), regex.compile(r"\p{Latin}")),
    "ru": regex.compile(r"\p{Cyrillic}"),
    **dict.fromkeys(("ja", "zh"), regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")),
}


def is_translatable(segment: str, keep: Collection[str]) -> bool:
    """Return whether a segment has letters beside links, e-mails, code and the terms that stay."""
    return bool(_LETTER.search(_free(segment, keep)))


def is_source_wording(segment: str, lang: str, keep: Collection[str]) -> bool:
    """Return whether a segment that stands in a translation into `lang` as it is has words that are not translated.

    Words count if they are written small or in a script without case, and have at least four letters there: names and
    titles are often the same in two languages. So may a word alone (`information`), unless its script is not that of
    `lang`.
    """
    words = [word for word in _WORD.findall(_free(segment, keep)) if _LETTER.search(word)]
    common = [word for word in words if _SMALL.fullmatch(word)]
    script = _SCRIPTS.get(base_language(lang))
    foreign = script is not None and not any(map(script.search, common))
    return bool(common) and (len(words) > 1 or foreign)


def _free(segment: str, keep: Collection[str]) -> str:
    text = _FIXED.sub(" ", segment)
    for term in sorted(keep, key=len, reverse=True):
        text = text.replace(term, " ")
    return text
