"""Nuggets matched without a model: words, numbers, negation, and the vectors of the embedded sentence encoder."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import regex

from ragaliq.judge.nuggets.matches import NuggetMatch, NuggetMatches
from ragaliq.text.numbers import numbers, with_digits
from ragaliq.text.polarity import affirmed, answer_word, negations
from ragaliq.text.quantities.extract import comparable, quantities
from ragaliq.text.quantities.mismatch import unmatched_mentions
from ragaliq.text.refusals import abstains, refusal_version
from ragaliq.text.sentence_encoder import NAME, cosine, encode, knows
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import UNSPACED, fold, terms
from ragaliq.types import Answer, AnswerOutcome, AssignmentLabel, Item, Nugget, VerdictOutcome

# Fitted on 1152 labelled pairs of a nugget and an answer, written for it in six languages: an ordinal logit over the
# share of the nugget's new words in the best window, and their cosine.
_WORDS, _MEANING = 7.7, 5.6
_PARTLY, _WHOLLY = 5.75, 6.93
# The cosine of question and window read as one text exceeds that of their vectors' sum by no more than this; in 847
# windows of answers to the sample's questions by .04 at most.
_READ_TOGETHER = 0.08
# The same without vectors, over the shares of its new words and of all its words.
_NEW_WORDS, _ALL_WORDS = 7.7, 2.9
_PARTLY_BY_WORDS, _WHOLLY_BY_WORDS = 2.93, 4.09
# A nugget that adds less than this to negation and the question's words is a yes or a no.
_LEAST_NEW = 0.7
# A yes or no in a sentence is about the nugget if the sentence has this share of its words, or this cosine with it.
_SAME_WORDS, _SAME_MEANING = 0.4, 0.5
# With nearly all words, equal numbers and equal negation no vector is needed.
_ALL_BUT_SAID = 0.9
_BOUNDS = (
    _WORDS, _MEANING, _PARTLY, _WHOLLY, _READ_TOGETHER, _NEW_WORDS, _ALL_WORDS, _PARTLY_BY_WORDS, _WHOLLY_BY_WORDS,
    _LEAST_NEW, _SAME_WORDS, _SAME_MEANING, _ALL_BUT_SAID,
)  # fmt: skip
# Counts up when a rule changes, so that its labels are another matcher's.
_RULES = 3
# Between these a text says one thing.
_BETWEEN = regex.compile(
    r"[,;:.!?–—()]\s|[，；：。、]|\b(?:because|but|whereas|while|unless|weil|sondern|aber|während|parce qu|mais|tandis"
    r"|sauf|porque|pero|sino|mientras|потому что|так как|но|а|если)\b|因为|但|而|除非"
)
_ORDER = (AssignmentLabel.NOT_SUPPORT, AssignmentLabel.PARTIAL_SUPPORT, AssignmentLabel.SUPPORT)


class OfflineMatcher:
    """Labels each nugget by the sentence, or pair of neighbouring sentences, of the answer that says it best.

    A window is scored by the share of the nugget's words that it holds, those of the question aside, and by its cosine
    with the nugget, alone or behind the question. It cannot support a nugget where its clause nearest to it denies what
    the nugget states, or the other way round, or where it has other numbers and none of the nugget's; with one of the
    nugget's numbers missing it supports it in part. A nugget that adds no word to the question is a yes or a no. An
    abstention supports nothing. In languages that the encoder does not know words decide alone.

    On the pairs it was fitted on (8 situations, 192 pairs a language), cross-validated by situation: 90 % of the labels
    agree; recall of support .92, of partial support .35, of no support .95. These pairs are short and plain; in answers
    that pack several facts into a sentence it misses more. What it cannot see: a contradiction without negation or
    number ("stays on" for "is switched off"), and who does what to whom.
    """

    name = "offline"
    # There is no prompt; what decides a label takes its place.
    prompt_hash = hashlib.sha256(repr((_RULES, NAME, refusal_version(), *_BOUNDS)).encode()).hexdigest()[:12]

    def match(self, item: Item, answer: Answer, nuggets: Sequence[Nugget]) -> NuggetMatches:
        """Return a label for each nugget."""
        query = item.query
        silent = answer.outcome is AnswerOutcome.ABSTAINED or abstains(answer.text, query.lang)
        question = _Text(query.text, query.lang)
        windows = [] if silent else [_Text(text, query.lang) for text in _windows(answer.text, query.lang)]
        return NuggetMatches(
            query.query_id,
            query.lang,
            tuple(NuggetMatch(one.nugget_id, one.importance, _label(one, question, windows)) for one in nuggets),
            VerdictOutcome.SCORED,
            self.name,
            self.prompt_hash,
        )


def _label(nugget: Nugget, question: _Text, windows: Sequence[_Text]) -> AssignmentLabel:
    fact = _Text(nugget.text, nugget.lang)
    best = 0
    for window in windows:
        best = max(best, _support(fact, question, window))
        if best == len(_ORDER) - 1:
            break
    return _ORDER[best]


def _support(fact: _Text, question: _Text, window: _Text) -> int:
    """Return 2 if a window says what a nugget says, 1 if it says a part, else 0."""
    new = fact.terms - question.terms
    # Where the question has the negation, too, an answer need not repeat it.
    silent = fact.denies and question.denies
    if _weight_of(new) < _LEAST_NEW:
        said = (
            window.opens
            or _share(fact.terms, window.terms) >= _SAME_WORDS
            or round(cosine(fact.text, window.text), 3) >= _SAME_MEANING
        )
        return 2 if said and (silent or fact.denies == (window.denies or window.opens < 0)) else 0
    missing, clash = _numbers(fact, question, window)
    if clash or (not silent and fact.denies != window.nearest(fact).denies):
        return 0
    held = _share(new, window.terms)
    most = 1 if missing else 2
    if held >= _ALL_BUT_SAID:
        return most
    if not knows(fact.lang):
        score = _NEW_WORDS * held + _ALL_WORDS * _share(fact.terms, window.terms)
        return min(most, (score >= _PARTLY_BY_WORDS) + (score >= _WHOLLY_BY_WORDS))
    return min(most, _said(fact, question, window, held))


def _said(fact: _Text, question: _Text, window: _Text, held: float) -> int:
    """Return 2 if a window says a nugget by its meaning and its share of the new words, 1 if a part of it, else 0.

    Texts are encoded only where their vectors can change the result.
    """
    if not _by_meaning(held, 1.0):
        return 0
    near = cosine(fact.text, window.text)
    wanted, asked, answered = encode([fact.text, question.text, window.text])
    together = asked + answered
    most = float(wanted @ together) / (float(np.linalg.norm(together)) or 1.0) + _READ_TOGETHER
    if _by_meaning(held, near) < _by_meaning(held, most):
        near = max(near, cosine(fact.text, f"{question.text} {window.text}"))
    return _by_meaning(held, near)


def _by_meaning(held: float, near: float) -> int:
    # Vectors differ by 1e-7 between kinds of machines.
    score = round(_WORDS * held + _MEANING * near, 4)
    return (score >= _PARTLY) + (score >= _WHOLLY)


def _numbers(fact: _Text, question: _Text, window: _Text) -> tuple[bool, bool]:
    """Return whether a window lacks a number of the nugget's, and whether it has others in the place of all of them."""
    if not comparable(fact.lang):
        stated = set(numbers(fact.text, fact.lang)) - set(numbers(question.text, fact.lang))
        held = set(numbers(window.text, window.lang))
        return bool(stated - held), bool(stated) and not stated & held and bool(held)
    ours, theirs, asked = (quantities(text.text, fact.lang) for text in (fact, window, question))
    missing, _ = unmatched_mentions(ours, (*theirs, *asked))
    stated_alone, others = unmatched_mentions(ours, theirs)
    return bool(missing), bool(missing and others) and len(stated_alone) >= sum(not m.strictness for m in ours)


@dataclass(frozen=True)
class _Text:
    """A text in a language, and what its words show."""

    text: str
    lang: str

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its terms that carry content, numbers in one spelling, without those that negate."""
        spelled, _ = with_digits(fold(self.text), self.lang)
        return frozenset(terms(" ".join(affirmed(spelled, self.lang)), self.lang))

    @cached_property
    def opens(self) -> int:
        """1 if it opens with yes, -1 with no, else 0."""
        return answer_word(fold(self.text), self.lang)

    @cached_property
    def denies(self) -> bool:
        """Whether it negates something."""
        return negations(fold(self.text), self.lang) > 0

    def nearest(self, fact: _Text) -> _Text:
        """Return its clause with most of a nugget's words, the first of equals."""
        return max(self._clauses, key=lambda clause: _share(fact.terms, clause.terms), default=self)

    @cached_property
    def _clauses(self) -> list[_Text]:
        clauses = (part for part in _BETWEEN.split(fold(self.text)) if part and part.strip())
        return [_Text(clause, self.lang) for clause in clauses]


def _windows(text: str, lang: str) -> Iterator[str]:
    parts = sentences(text)
    yield from parts
    glue = "" if UNSPACED.search(text) else " "
    yield from (glue.join(pair) for pair in pairwise(parts))


def _share(wanted: frozenset[str], held: frozenset[str]) -> float:
    total = _weight_of(wanted)
    return _weight_of(wanted & held) / total if total else 0.0


def _weight_of(wanted: frozenset[str]) -> float:
    return math.fsum(map(_weight, wanted))


def _weight(term: str) -> float:
    if any(char.isdigit() for char in term):
        return 2.0
    specific = len(term) > 1 if UNSPACED.search(term) else len(term) > 3
    return 1.0 if specific else 0.3
