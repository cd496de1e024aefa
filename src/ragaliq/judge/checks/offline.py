"""The separate questions without a language model: phrases, a language detector, words and sentence vectors."""

from __future__ import annotations

import hashlib

from ragaliq.judge.checks.conflict import contradicts, unknown
from ragaliq.judge.checks.evidence import Context, Evidence
from ragaliq.judge.checks.support import Check, SentenceCheck, Support
from ragaliq.text.answer_language import answer_language
from ragaliq.text.refusals import abstains, refusal_version
from ragaliq.text.sentence_encoder import NAME
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import UNSPACED, WORD
from ragaliq.types import Answer, Item, VerdictOutcome

# Least strength of the evidence: with the encoder, across languages, and by words alone.
_SUPPORTED, _PARTLY = 208, 130
_SUPPORTED_ACROSS, _PARTLY_ACROSS = 160, 115
_SUPPORTED_WORDS, _PARTLY_WORDS = 214, 130
# Less is enough to be supported where words are not spaced: one that differs takes the pairs of characters at its ends.
_UNSPACED_LESS = 20
_CUTS = (
    _SUPPORTED, _PARTLY, _SUPPORTED_ACROSS, _PARTLY_ACROSS, _SUPPORTED_WORDS, _PARTLY_WORDS, _UNSPACED_LESS,
)  # fmt: skip
# Counts up when a rule changes, so that its findings are another checker's.
_RULES = 3


class OfflineChecker:
    """Answers the separate questions by comparing words and sentence vectors; every non-empty answer has findings.

    A sentence that a passage has verbatim is *supported*. Any other is if the passages hold enough of it as a whole and
    of the weakest of its clauses (`Evidence`), and *partly* if they hold less, or if it has a number or a name that no
    passage holds. It is *contradicted* if the closest sentence of the passages says otherwise (`contradicts`), and
    *not* supported where they hold nearly nothing. A sentence of an abstention, or one without words, has no support to
    look for.

    What it sees is words, topic and a few signs of contradiction, not meaning: docs/judge.md has the figures.
    """

    name = "offline"
    # There is no prompt; the bounds take its place.
    prompt_hash = hashlib.sha256(repr((_RULES, NAME, *_CUTS, refusal_version())).encode()).hexdigest()[:12]

    def check(self, item: Item, answer: Answer) -> Check:
        """Return what words and vectors show about an answer."""
        query = item.query
        nothing_found = abstains(answer.text, query.lang)
        passages = Context(() if nothing_found else answer.context, query.lang)
        checks = tuple(
            SentenceCheck(text, None) if nothing_found else _support(text, passages) for text in sentences(answer.text)
        )
        return Check(
            query.query_id,
            query.lang,
            nothing_found,
            answer_language(answer.text, query.lang, item.reference).answer,
            checks,
            VerdictOutcome.SCORED,
            self.name,
            self.prompt_hash,
        )


def _support(text: str, passages: Context) -> SentenceCheck:
    if not WORD.search(text):
        return SentenceCheck(text, None)
    source = passages.source(text)
    if source is not None:
        return SentenceCheck(text, Support.SUPPORTED, source)
    evidence = passages.evidence(text)
    if evidence is None:
        return SentenceCheck(text, Support.NOT)
    support = _label(text, passages, evidence)
    return SentenceCheck(text, support, None if support is Support.NOT else passages.doc_ids[evidence.closest])


def _label(text: str, passages: Context, evidence: Evidence) -> Support:
    if contradicts(text, passages, evidence):
        return Support.CONTRADICTED
    supported, partly = _SUPPORTED, _PARTLY
    if not passages.meaning:
        supported, partly = _SUPPORTED_WORDS, _PARTLY_WORDS
    elif passages.foreign:
        supported, partly = _SUPPORTED_ACROSS, _PARTLY_ACROSS
    if UNSPACED.search(text):
        supported -= _UNSPACED_LESS
    if evidence.strength < partly:
        return Support.NOT
    return Support.SUPPORTED if evidence.strength >= supported and not unknown(text, passages) else Support.PARTLY
