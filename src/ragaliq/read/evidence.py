"""What a context says on a question: its statements, what each is worth as an answer, and how sure that is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragaliq.read.statements import statements
from ragaliq.text.questions import asked, fits
from ragaliq.text.sentence_encoder import encode, knows
from ragaliq.text.terms import UNSPACED, base_language, char_ngrams, terms
from ragaliq.types import Hit, Query

Terms = frozenset[str]

# The value of a statement is its cosine with the question plus these weights times: its share of the question's words
# and character n-grams, its chunk's relevance, whether it has a value of the kind asked for, the best cosine beside it.
# All constants here: `studies/reader/reader.py`, on other data than the published edition of the sample.
LEXICAL, RELEVANCE, FIT, BESIDE = 0.8, 0.5, 0.2, 0.3
# What a term counts that is in the chunk and not in the statement.
AROUND = 0.25
# Weights of the evidence for an answer: rare words in one chunk, cosine and margin of the best statement, and,
# subtracted, the gap to the best statement of the right kind.
WORDS, COSINE, MARGIN, GAP = 1.1, 2.5, 2.0, 4.0
GREATEST_GAP = 0.5
# Terms that a greater share of the statements holds, and more than two of them, are no evidence.
RARE = 0.2
# Used in place of the rare words where question and context are in two languages, so that the cosine decides; and the
# mean cosine of best statements, for languages that the encoder does not know. Neither was fitted.
FOREIGN_WORDS, USUAL_COSINE = 1.2, 0.33
# The encoder's last digits differ between kinds of machine.
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, list or table row of the context, with the number of its chunk."""

    text: str
    chunk: int


class AnswerEvidence:
    """The statements of a context with their values for one question; ties go to the earlier statement.

    Attributes:
        statements: in the order of the context.
        values: of each, rounded to four digits.
        best: number of the statement of greatest value; -1 if there is none.
    """

    def __init__(self, query: Query, context: Sequence[Hit]) -> None:
        """Weigh each statement of a context."""
        self.statements = [Statement(text, n) for n, hit in enumerate(context) for text in _statements(hit.chunk.text)]
        langs = [base_language(hit.chunk.lang) for hit in context]
        self._foreign = any(lang != base_language(query.lang) for lang in langs)
        self._encoded = all(map(knows, {query.lang, *langs}))
        self._words = _View(query, context, self.statements, _words)
        grams = _View(query, context, self.statements, _grams)
        self._cosines = _cosines(query.text, self.statements) if self._encoded else [0.0] * len(self.statements)
        wanted = asked(query.text, query.lang)
        self._typed = bool(wanted.kinds or wanted.units)
        self._fits = [
            self._typed and fits(one.text, context[one.chunk].chunk.lang, query.text, query.lang)
            for one in self.statements
        ]
        beside, relevance = self._beside(), _relevance(context)
        self._topical = [
            self._cosines[i]
            + LEXICAL * (self._words.share(i) + grams.share(i)) / 2
            + RELEVANCE * relevance[one.chunk]
            + BESIDE * beside[i]
            for i, one in enumerate(self.statements)
        ]
        self.values = [
            round(topical + FIT * fit, DIGITS) for topical, fit in zip(self._topical, self._fits, strict=True)
        ]
        self.best = max(range(len(self.values)), key=lambda i: (self.values[i], -i), default=-1)

    def gain(self, index: int) -> float:
        """Return the share of the question's words that a statement holds and the best one does not."""
        return self._words.gain(index, self.best)

    def weight(self) -> float:
        """Return how much evidence there is that the best statement is an answer; near 2.6 it is undecided.

        The margin is the best value less that of the best statement of another chunk, 1 at most. The gap is 0 where the
        question asks for no kind of value, or the statement nearest to it holds one.
        """
        if self.best < 0:
            return 0.0
        words = FOREIGN_WORDS if self._foreign else self._words.evidence()
        cosine = self._cosines[self.best] if self._encoded else USUAL_COSINE
        chunk = self.statements[self.best].chunk
        others = [value for value, one in zip(self.values, self.statements, strict=True) if one.chunk != chunk]
        margin = min(self.values[self.best] - max(others, default=0.0), 1.0)
        return round(WORDS * words + COSINE * cosine + MARGIN * margin - GAP * self._gap(), DIGITS)

    def _gap(self) -> float:
        if not self._typed:
            return 0.0
        of_the_kind = [topical for topical, fit in zip(self._topical, self._fits, strict=True) if fit]
        return min(max(self._topical) - max(of_the_kind, default=-math.inf), GREATEST_GAP)

    def _beside(self) -> list[float]:
        """Return for each statement the greatest cosine of another one of its chunk."""
        by_chunk: dict[int, list[float]] = {}
        for one, cosine in zip(self.statements, self._cosines, strict=True):
            by_chunk.setdefault(one.chunk, [0.0]).append(cosine)
        two = {chunk: sorted(cosines)[-2:] for chunk, cosines in by_chunk.items()}
        return [
            two[one.chunk][0] if cosine == two[one.chunk][1] else two[one.chunk][1]
            for one, cosine in zip(self.statements, self._cosines, strict=True)
        ]


def _relevance(context: Sequence[Hit]) -> list[float]:
    """Return each chunk's score as a share of the first one's; scores below 0 count as 0, since they have no scale."""
    first = context[0].score if context else 0.0
    return [max(hit.score, 0.0) / first if first > 0 else 0.0 for hit in context]


def _cosines(question: str, candidates: Sequence[Statement]) -> list[float]:
    if not candidates:
        return []
    vectors = encode([question, *(one.text for one in candidates)])
    return [round(float(product), DIGITS) for product in vectors[1:] @ vectors[0]]


# Many questions share their chunks.
@lru_cache(maxsize=4096)
def _statements(text: str) -> tuple[str, ...]:
    return tuple(statements(text))


@lru_cache(maxsize=4096)
def _words(text: str, lang: str) -> Terms:
    return frozenset(terms(text, lang))


@lru_cache(maxsize=4096)
def _grams(text: str, lang: str) -> Terms:
    return frozenset(char_ngrams(text, 3, 5))


class _View:
    """Question, statements and chunks as sets of terms of one kind, weighted by rarity among the statements."""

    def __init__(
        self,
        query: Query,
        context: Sequence[Hit],
        candidates: Sequence[Statement],
        view: Callable[[str, str], Terms],
    ) -> None:
        question = view(query.text, query.lang)
        self._held = [question & view(candidate.text, query.lang) for candidate in candidates]
        self._chunks = [question & view(hit.chunk.titled, query.lang) for hit in context]
        self._chunk_of = [candidate.chunk for candidate in candidates]
        frequency = Counter(term for held in self._held for term in held)
        self._weight = {
            term: _words_per_term(term) * math.log1p(len(candidates) / (frequency[term] + 0.5)) for term in question
        }
        self._total = self._sum(question) or 1.0
        limit = max(RARE * len(candidates), 2.0)
        self._rarity = {
            term: _words_per_term(term) * max(0.0, math.log(limit / max(frequency[term], 1))) / math.log(limit)
            for term in question
        }

    def share(self, index: int) -> float:
        """Return the weighted share of the question that a statement holds; the rest of its chunk counts for less."""
        held = self._held[index]
        around = self._chunks[self._chunk_of[index]] - held
        return (self._sum(held) + AROUND * self._sum(around)) / self._total

    def gain(self, index: int, best: int) -> float:
        """Return the share of the question that a statement holds and the best one does not."""
        return self._sum(self._held[index] - self._held[best]) / self._total

    def evidence(self) -> float:
        """Return the number of rare words of the question in the chunk that holds most.

        A word that only one statement holds counts 1, one that a fifth of them hold 0, others between by the logarithm.
        """
        return max((math.fsum(self._rarity[term] for term in held) for held in self._chunks), default=0.0)

    def _sum(self, held: Terms) -> float:
        # Exact, because the order of a set differs between processes and float sums depend on the order.
        return math.fsum(self._weight[term] for term in held)


def _words_per_term(term: str) -> float:
    """Return how many words a term counts as: a two-character word of an unspaced script gives three terms."""
    return 0.4 if UNSPACED.search(term) else 1.0
