"""What a translation must keep: terms that stay as they are, and the glossary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragaliq.text.terms import fold


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a benchmark.

    Attributes:
        keep: terms that stay as they are in every language.
        glossary: per target language, the translation of a term of the source.
    """

    keep: frozenset[str] = frozenset()
    glossary: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def terms_found(text: str, lang: str, terms: Terms) -> tuple[list[str], list[str]]:
    """Return the terms of a text that stay, and the lines of the glossary of `lang` for it, sorted.

    Case, and forms of a letter that `fold` makes one, make no difference.
    """
    folded = fold(text)
    glossary = sorted(terms.glossary.get(lang, {}).items())
    return (
        sorted(term for term in terms.keep if fold(term) in folded),
        [f"{term} = {said}" for term, said in glossary if fold(term) in folded],
    )
