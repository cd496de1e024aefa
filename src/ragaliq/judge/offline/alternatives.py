"""An answer that offers several values where one is wanted: "5, 7 or 9", "either Monday or Tuesday"."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import regex

from ragaliq.judge.offline.text_features import TextFeatures
from ragaliq.text.polarity import choices, content_terms, open_marks
from ragaliq.text.quantities.extract import comparable, quantities
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import WORD, base_language, fold

_COMMA = regex.compile(r"[,;、；，](?!\d)")
# A value stands in the last words before a comma or "or", or in the first words behind it.
_WINDOW, _WIDE_WINDOW = 3, 6
# Kinds of values that exclude each other wherever "or" stands between them.
_EXCLUSIVE = ("number", "time", "date", "month", "weekday")


@dataclass(frozen=True, slots=True)
class _Texts:
    """The terms that the question holds, and those of the reference beyond them."""

    asked: frozenset[str]
    wanted: frozenset[str]


def leaves_open(question: TextFeatures, reference: TextFeatures, answer: TextFeatures, lang: str) -> bool:
    """Tell whether an answer offers the reference's value as one among others.

    Two are enough for numbers, times, dates and weekdays, and where "either" or "perhaps" says that the choice is open;
    of other words it takes three. A question or reference with an "or" leaves the choice open itself.
    """
    written = choices(lang)
    if not written.search(answer.folded) or written.search(reference.folded) or written.search(question.folded):
        return False
    asked = content_terms(question.folded, lang)
    texts = _Texts(asked, content_terms(reference.folded, lang) - asked)
    for sentence in map(fold, sentences(answer.body)):
        needed = 1 if open_marks(lang).search(sentence) else 2
        for chain in _chains(sentence, lang):
            if _other_values(chain, reference, lang) or _other_words(chain, texts, lang) >= needed:
                return True
    return False


def _other_words(chain: list[str], texts: _Texts, lang: str) -> int:
    """Return how many alternatives hold other new words than the reference; 0 unless just one holds its words."""
    new = [content_terms(part, lang) - texts.asked for part in chain]
    # The words behind the last alternative may be the reference's, as the verb in German.
    hits = [2 * len(terms & texts.wanted) >= len(terms) for terms in new if terms]
    return hits.count(False) if hits.count(True) == 1 else 0


def _other_values(chain: list[str], reference: TextFeatures, lang: str) -> bool:
    """Tell whether alternatives state the reference's one value of a kind, and other values of the kind."""
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
        [piece for piece in _COMMA.split(clause) if WORD.search(piece)] for clause in choices(lang).split(sentence)
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
