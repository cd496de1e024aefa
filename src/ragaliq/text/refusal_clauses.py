"""The clauses of an answer that may refuse or state something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import regex

from ragaliq.text.refusal_words import has_words, refusal_texts
from ragaliq.text.sentences import sentences

# Clauses behind these many are not looked at; an answer that long answers.
_MOST = 12
# A longer clause is read up to here, in characters.
_LONGEST = 400
_COMMA = regex.compile(r"[,，、]\s*|\s(?:and|und|et|y|и)\s")
# Longer runs of blanks are cut to 32: from each blank, the words behind the run would be searched again.
_MANY_BLANKS = regex.compile(r"(\s{32})\s+")
_LETTER = regex.compile(r"[\p{L}\p{N}]")
_DIGIT = regex.compile(r"\p{N}")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence between its "but"s, in Chinese its commas; `parts` are its pieces that hold a digit."""

    text: str
    sentence: str
    parts: tuple[str, ...]


def clauses(text: str, lang: str) -> list[Clause]:
    """Return the first clauses of a text in order, none without a letter or digit."""
    pieces = [(piece[:_LONGEST], one[:_LONGEST]) for one in sentences(text) for piece in _pieces(one, lang)]
    return [Clause(piece, whole, _parts(piece)) for piece, whole in pieces if _LETTER.search(piece)][:_MOST]


def _pieces(sentence: str, lang: str) -> Iterator[str]:
    for clause in _but(lang).split(_MANY_BLANKS.sub(r"\1", sentence)):
        head, comma, rest = clause.partition(",")
        if comma and has_words("concession", clause, lang):
            yield head.strip()
            yield rest.strip()
        else:
            yield clause.strip()


def _parts(clause: str) -> tuple[str, ...]:
    return tuple(part for part in _COMMA.split(clause) if _DIGIT.search(part) and part != clause)


@cache
def _but(lang: str) -> regex.Pattern[str]:
    return regex.compile("|".join(f"(?:{one})" for one in refusal_texts("but", lang)), regex.I)
