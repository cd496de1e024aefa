"""An answer that offers several values where one is wanted: "5, 7 or 9", "either Monday or Tuesday"."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import regex

from ragaliq.judge.offline.text_features import TextFeatures
from ragaliq.text.polarity import choices, content_terms, one_of_these, open_marks
from ragaliq.text.quantities.extract import comparable, quantities
from ragaliq.text.sentences import folded_statements
from ragaliq.text.terms import WORD, base_language

_COMMA = regex.compile(r"[,，](?!\d)")
# The comma of Chinese lists; the other one parts clauses.
_LIST_COMMA = regex.compile("、")
# What comes before a "one of these" that takes up a list: its last mark, and perhaps a preposition.
_LISTED = regex.compile(r"[\p{Pd},:)]\s*(?:\w{1,3}\s+)?$")
# A value is in the last words before a comma or "or", or in the first words after it.
_WINDOW, _WIDE_WINDOW = 3, 6
# How far behind a "perhaps" its value may be, in characters.
_REACH = 40
# Kinds of values that exclude each other wherever "or" is between them.
_EXCLUSIVE = ("number", "time", "date", "month", "weekday")


@dataclass(frozen=True, slots=True)
class _Texts:
    """The terms that the question holds, and those of the reference beyond them."""

    asked: frozenset[str]
    wanted: frozenset[str]


def leaves_open(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> bool:
    """Return whether an answer offers the reference's value as one among others.

    Two alternatives are enough for numbers, times, dates and weekdays, and where "either" or "perhaps" says that the
    choice is open; other words need three. "One of these" behind a list is an "or", and so is "perhaps" before each of
    some values. Where question or reference has an "or" itself, the result is False.
    """
    written = choices(lang)
    if written.search(reference.folded) or written.search(question.folded):
        return False
    asked = content_terms(question.folded, lang)
    texts = _Texts(asked, content_terms(reference.folded, lang) - asked)
    for sentence in folded_statements(answer.body):
        listed = _listed(sentence, lang)
        if _other_values(listed, reference, lang) or _other_words(listed, texts, lang) > 1:
            return True
        marks = [piece[:_REACH] for piece in open_marks(lang).split(sentence)[1:]]
        if len(marks) > 1 and _other_values(marks, reference, lang):
            return True
        needed = 1 if marks else 2
        for chain in _chains(sentence, lang):
            if _other_values(chain, reference, lang) or _other_words(chain, texts, lang) >= needed:
                return True
    return False


def _listed(sentence: str, lang: str) -> list[str]:
    """Return the items of a list that "one of these" takes up."""
    choice = one_of_these(lang).search(sentence)
    before = sentence[: choice.start()] if choice else ""
    # In Chinese the list and its "these" are one phrase.
    return _comma(lang).split(before) if base_language(lang) == "zh" or _LISTED.search(before) else []


def _comma(lang: str) -> regex.Pattern[str]:
    return _LIST_COMMA if base_language(lang) == "zh" else _COMMA


def _other_words(chain: list[str], texts: _Texts, lang: str) -> int:
    """Return how many alternatives hold other new words than the reference; 0 unless just one holds its words."""
    new = [content_terms(part, lang) - texts.asked for part in chain]
    # The words behind the last alternative may be the reference's, as the verb in German.
    hits = [2 * len(terms & texts.wanted) >= len(terms) for terms in new if terms]
    return hits.count(False) if hits.count(True) == 1 else 0


def _other_values(chain: list[str], reference: TextFeatures, lang: str) -> bool:
    """Return whether alternatives state the reference's one value of a kind, and other values of the kind."""
    if not comparable(lang):
        return False
    wanted, stated = _values(reference.body, lang), [_values(part, lang) for part in chain]
    for kind in _EXCLUSIVE:
        ours = {value for one, value in wanted if one == kind}
        theirs = {value for values in stated for one, value in values if one == kind}
        if len(ours) == 1 and ours < theirs:
            return True
    return False


def _values(text: str, lang: str) -> set[tuple[str, str]]:
    return {(each.kind, each.value) for one in quantities(text, lang) if one.strictness < 2 for each in one.readings[0]}


def _chains(sentence: str, lang: str) -> list[list[str]]:
    """Return the alternatives around each "or": the words behind it, and before it the parts that commas join.

    A part that is too long to be an alternative begins the chain with its last words, or ends it with its first.
    """
    chains: list[list[str]] = []
    clauses = [
        [piece for piece in _comma(lang).split(clause) if WORD.search(piece)]
        for clause in choices(lang).split(sentence)
    ]
    clauses = [pieces for pieces in clauses if pieces]
    for before, behind in pairwise(clauses):
        if not (chains and len(before) == 1 and _is_short(before[0], lang)):
            long = [place for place, piece in enumerate(before) if not _is_short(piece, lang)]
            chains.append([_edge(piece, lang, last=True) for piece in before[long[-1] if long else 0 :]])
        chains[-1].append(_edge(behind[0], lang, last=False))
    return chains


def _is_short(piece: str, lang: str) -> bool:
    return _edge(piece, lang, last=True) == _edge(piece, lang, last=False)


def _edge(piece: str, lang: str, *, last: bool) -> str:
    """Return the first or the last words of a part, in Chinese the characters."""
    if base_language(lang) == "zh":
        return piece.strip()[-_WIDE_WINDOW:] if last else piece.strip()[:_WIDE_WINDOW]
    words = piece.split()
    return " ".join(words[-_WINDOW:] if last else words[:_WINDOW])
