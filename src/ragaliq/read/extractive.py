"""A reader without a model: it answers with one or two sentences of the context, or says that there is no answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragaliq.errors import ConfigError
from ragaliq.read.statements import statements
from ragaliq.text.refusals import not_found
from ragaliq.text.terms import UNSPACED, char_ngrams, terms
from ragaliq.types import AnswerOutcome, Hit, Query, Reading

Terms = frozenset[str]

# The weight of two words that only one sentence holds. On the sample benchmark this gives up one answerable query in
# fifty and catches one unanswerable query in nine: those are near misses, whose words do stand in the documents.
MIN_EVIDENCE = 2.0
# What counts beside the terms that a sentence holds itself: those elsewhere in its chunk, and the chunk's rank.
AROUND, RELEVANCE = 0.25, 0.3
# A second sentence of the same chunk is added if it holds this share of the question that the first one lacks.
SECOND = 0.2


class ExtractiveReader:
    """Picks the sentence that holds most of what the question asks about.

    A sentence is scored by the share of the question that it holds, by words and by character n-grams, each weighted by
    its rarity among the sentences of the context, `ln(1 + N / (df + 1/2))`. A word that only one sentence holds weighs
    1; if no chunk shares words of at least the weight `min_evidence` with the question, the reader abstains.
    """

    def __init__(self, min_evidence: float = MIN_EVIDENCE, max_sentences: int = 2) -> None:
        if max_sentences < 1:
            raise ConfigError(f"reader 'extractive': option 'max_sentences' must be at least 1, not {max_sentences}")
        self._min_evidence = min_evidence
        self._max_sentences = max_sentences

    def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return one or two sentences in the language of the chunks, or the abstaining sentence of that language."""
        candidates = [
            _Candidate(text, number) for number, hit in enumerate(context) for text in statements(hit.chunk.text)
        ]
        words = _View(query, context, candidates, lambda text: frozenset(terms(text, query.lang)))
        grams = _View(query, context, candidates, lambda text: frozenset(char_ngrams(text, 3, 5)))
        if not candidates or words.evidence() < self._min_evidence:
            return Reading(not_found(query.lang), AnswerOutcome.ABSTAINED)

        def value(index: int) -> float:
            chunk = context[candidates[index].chunk]
            # Scores may be of any scale; below 0 they tell nothing that could be compared with the best one's.
            relevance = max(chunk.score, 0.0) / context[0].score if context[0].score > 0 else 0.0
            return round((words.share(index) + grams.share(index)) / 2 + RELEVANCE * relevance, 6)

        best = max(range(len(candidates)), key=lambda index: (value(index), -index))
        chosen = [best]
        if self._max_sentences > 1:
            near = [i for i, c in enumerate(candidates) if c.chunk == candidates[best].chunk and i != best]
            second = max(near, key=lambda index: (words.gain(index, best), -index), default=None)
            if second is not None and words.gain(second, best) >= SECOND:
                chosen.append(second)
        return Reading(" ".join(candidates[i].text for i in sorted(chosen)), AnswerOutcome.ANSWERED)


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    chunk: int


class _View:
    """Question, candidates and chunks as sets of terms of one kind."""

    def __init__(
        self, query: Query, context: Sequence[Hit], candidates: Sequence[_Candidate], view: Callable[[str], Terms]
    ) -> None:
        asked = view(query.text)
        self._held = [asked & view(candidate.text) for candidate in candidates]
        self._chunks = [asked & view(hit.chunk.titled) for hit in context]
        self._chunk_of = [candidate.chunk for candidate in candidates]
        frequency = Counter(term for held in self._held for term in held)
        self._weight = {
            term: _words_per_term(term) * math.log1p(len(candidates) / (frequency[term] + 0.5)) for term in asked
        }
        self._total = self._sum(asked) or 1.0
        self._once = math.log1p(max(1, len(candidates)) / 1.5)

    def share(self, index: int) -> float:
        """Return the weighted share of the question that a candidate holds, what stands around it at a discount."""
        held = self._held[index]
        around = self._chunks[self._chunk_of[index]] - held
        return (self._sum(held) + AROUND * self._sum(around)) / self._total

    def gain(self, index: int, best: int) -> float:
        """Return the share of the question that a candidate holds and the best one does not."""
        return self._sum(self._held[index] - self._held[best]) / self._total

    def evidence(self) -> float:
        """Return the greatest weight of the question that one chunk holds; a word that stands once weighs 1."""
        return max((self._sum(held) for held in self._chunks), default=0.0) / self._once

    def _sum(self, held: Terms) -> float:
        # Exact, because the order of a set differs between processes and float sums depend on the order.
        return math.fsum(self._weight[term] for term in held)


def _words_per_term(term: str) -> float:
    """Return how many words a term stands for: a two-character word of an unspaced script gives three terms."""
    return 0.4 if UNSPACED.search(term) else 1.0
