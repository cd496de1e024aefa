"""A reader without a model: it answers with one to three sentences of the context, or says that there is no answer."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.errors import ConfigError
from ragaliq.read.evidence import AnswerEvidence
from ragaliq.text.questions import asked
from ragaliq.text.refusals import not_found
from ragaliq.types import AnswerOutcome, Hit, Query, Reading

MIN_EVIDENCE = 2.6
# A second sentence of the same chunk is added if it holds this share of the question that the first one lacks.
SECOND = 0.2
# To a question that asks for several things, sentences are added whose value is at most this much below the best.
SEVERAL = 0.3


class ExtractiveReader:
    """Answers with the sentences of the context that are nearest to the question in meaning and in words.

    A sentence's value is its cosine with the question, the share of the question that it holds by words and character
    n-grams, the relevance of its chunk, and whether it holds a value of the kind that the question asks for, such as a
    time. In languages that the sentence encoder does not know, the cosine is left out. The evidence for an answer is
    one figure (`AnswerEvidence.weight`); below `min_evidence` the reader abstains.
    """

    def __init__(self, min_evidence: float = MIN_EVIDENCE, max_sentences: int = 3) -> None:
        if max_sentences < 1:
            raise ConfigError(f"reader 'extractive': option 'max_sentences' must be at least 1, not {max_sentences}")
        self._min_evidence = min_evidence
        self._max_sentences = max_sentences

    def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return one to three sentences in the language of the chunks, or the abstaining sentence of the query's."""
        evidence = AnswerEvidence(query, context)
        if evidence.best < 0 or evidence.weight() < self._min_evidence:
            return Reading(not_found(query.lang), AnswerOutcome.ABSTAINED)
        chosen = self._chosen(evidence, asked(query.text, query.lang).several)
        return Reading(" ".join(evidence.statements[i].text for i in sorted(chosen)), AnswerOutcome.ANSWERED)

    def _chosen(self, evidence: AnswerEvidence, several: bool) -> list[int]:
        """Return the best statement, and those that say what it lacks."""
        best, statements = evidence.best, evidence.statements
        # Of a list and its items, one is enough.
        others = [
            i
            for i, one in enumerate(statements)
            if one.text not in statements[best].text and statements[best].text not in one.text
        ]
        chosen = [best]
        near = [i for i in others if statements[i].chunk == statements[best].chunk]
        second = max(near, key=lambda i: (round(evidence.gain(i), 6), -i), default=best)
        if evidence.gain(second) >= SECOND:
            chosen.append(second)
        if several:
            least = evidence.values[best] - SEVERAL
            ranked = sorted(others, key=lambda i: (-evidence.values[i], i))
            chosen += [i for i in ranked if i not in chosen and evidence.values[i] >= least]
        return chosen[: self._max_sentences]
