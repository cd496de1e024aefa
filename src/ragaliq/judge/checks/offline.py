"""The separate questions without a model: phrases, a language detector, and words in common."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import regex

from ragaliq.judge.checks.support import Check, SentenceCheck, Support
from ragaliq.text.answer_language import answer_language
from ragaliq.text.refusals import abstains
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import UNSPACED, fold, terms
from ragaliq.types import Answer, Hit, Item, VerdictOutcome

# Least share of a sentence's weight that a passage must hold.
SUPPORTED, PARTLY = 0.75, 0.4
_NUMBER = regex.compile(r"\p{N}+(?:[.,:]\p{N}+)*")


class OfflineChecker:
    """Answers the separate questions by comparing words; every non-empty answer has findings.

    Support is a share of words, not of meaning: the weight of the sentence's terms that the best passage holds, where a
    number weighs 2, a word of up to three letters or a single character of a script without spaces 0.3, any other term
    1. From .75 on a sentence counts as supported, from .4 on as partly; with a number that the passage lacks it is
    partly at best. So a paraphrase looks worse than it is, a sentence that denies what its passage says looks
    supported, and in another language than that of the passages every sentence looks unsupported. A sentence of an
    abstention, or one without words, has no support to look for.

    On the sample benchmark's references (46 a language): against their own passages 74 % (Chinese) to 93 % (Spanish) of
    the sentences are supported and none is not; against those of another question 89 to 96 % are not; with one number
    changed 96 to 100 % are no longer supported.
    """

    name = "offline"
    # There is no prompt; the bounds take its place.
    prompt_hash = hashlib.sha256(repr(("support", SUPPORTED, PARTLY)).encode()).hexdigest()[:12]

    def check(self, item: Item, answer: Answer) -> Check:
        """Return what words can tell about an answer."""
        query = item.query
        nothing_found = abstains(answer.text, query.lang)
        passages = [_Passage(hit, query.lang) for hit in answer.context]
        found = tuple(
            SentenceCheck(text, None) if nothing_found else _support(text, query.lang, passages)
            for text in sentences(answer.text)
        )
        return Check(
            query.query_id,
            query.lang,
            nothing_found,
            answer_language(answer.text, query.lang, item.reference).answer,
            found,
            VerdictOutcome.SCORED,
            self.name,
            self.prompt_hash,
        )


class _Passage:
    """The terms and numbers of a passage."""

    def __init__(self, hit: Hit, lang: str) -> None:
        self.doc_id = hit.chunk.doc_id
        self.terms = frozenset(terms(hit.chunk.titled, lang))
        self.numbers = _numbers(hit.chunk.titled)


def _support(text: str, lang: str, passages: Sequence[_Passage]) -> SentenceCheck:
    wanted = set(terms(text, lang))
    total = math.fsum(map(_weight, wanted))
    if not total:
        return SentenceCheck(text, None)
    numbers = _numbers(text)
    best, share, whole = None, 0.0, False
    for passage in passages:
        held = math.fsum(map(_weight, wanted & passage.terms)) / total
        # Of equal shares the one with all the numbers counts, else the first.
        if (held, numbers <= passage.numbers) > (share, whole):
            best, share, whole = passage.doc_id, held, numbers <= passage.numbers
    if share < PARTLY:
        return SentenceCheck(text, Support.NOT)
    return SentenceCheck(text, Support.SUPPORTED if whole and share >= SUPPORTED else Support.PARTLY, best)


def _weight(term: str) -> float:
    if any(char.isdigit() for char in term):
        return 2.0
    telling = len(term) > 1 if UNSPACED.search(term) else len(term) > 3
    return 1.0 if telling else 0.3


def _numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(fold(text)))
