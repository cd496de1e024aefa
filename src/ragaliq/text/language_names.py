"""The code of a language that somebody wrote as a code, a tag or a name."""

from __future__ import annotations

from functools import cache

import regex

from ragaliq.text.language import COMMON, supported

_TAG = regex.compile(r"(?P<base>[a-z]{2,3})(?:[-_][a-z0-9]{1,8})*", regex.IGNORECASE)


def language_code(name: str) -> str | None:
    """Return the ISO 639 code of a language, two letters where there are two; None if the name is not known.

    A name is a code (`de`, `ger`, `deu`), a tag, whose region and script are left out (`en-US`, `zh_Hans`), or a name
    in English, in one of our six languages, or in the language itself (`German`, `allemand`, `Deutsch`), in any case.
    """
    from babel.core import get_global

    text = name.strip().casefold()
    tag = _TAG.fullmatch(text)
    if tag is None:
        return _codes().get(text)
    base = tag["base"]
    return str(get_global("language_aliases").get(base, base)).partition("_")[0]


@cache
def _codes() -> dict[str, str]:
    """Return the codes of languages by their names."""
    from babel import Locale, UnknownLocaleError

    codes: dict[str, str] = {}
    for code in sorted(supported()):
        try:
            name = Locale.parse(code).languages[code]
        except (KeyError, UnknownLocaleError, ValueError):  # A language without a locale.
            continue
        codes.setdefault(name.casefold(), code)
    for lang in ("en", *COMMON):
        for code, name in sorted(Locale(lang).languages.items(), key=lambda entry: (len(entry[0]), entry[0])):
            codes.setdefault(name.casefold(), code)
    return codes
