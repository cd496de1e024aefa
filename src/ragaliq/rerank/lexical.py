"""A light reranker: how much of the question stands in the chunk."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ragaliq.rerank import ranked
from ragaliq.text.terms import terms
from ragaliq.types import Hit, Query


class LexicalReranker:
    """Adds to a hit's score, as a share of the best one, the share of the question's terms that its chunk holds.

    Terms weigh by their rarity among the hits, `ln(1 + N / df)`. Where BM25 rewards one rare term that is repeated,
    coverage rewards a chunk that speaks of everything the question asks for.
    """

    def __init__(self, weight: float = 0.5) -> None:
        self._weight = weight

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits by retrieval score plus weighted coverage; ties by doc id, descending."""
        if not hits:
            return []
        question = _term_set(query.text, query.lang)
        terms_held = [question & _term_set(hit.chunk.titled, query.lang) for hit in hits]
        frequency = Counter(term for shared in terms_held for term in shared)
        idf = {term: math.log1p(len(hits) / frequency[term]) for term in frequency}
        total = math.fsum(idf.values()) or 1.0
        # Scores below 0 (logits, distances) are shifted, so that the best hit still counts 1 and a worse one less.
        least = min(0.0, *(hit.score for hit in hits))
        best = max(hit.score for hit in hits) - least or 1.0
        scored = []
        for hit, shared in zip(hits, terms_held, strict=True):
            coverage = math.fsum(idf[term] for term in shared) / total
            scored.append((round((hit.score - least) / best + self._weight * coverage, 6), hit.chunk.doc_id, hit))
        scored.sort(key=lambda entry: entry[:2], reverse=True)
        return ranked((hit, score) for score, _, hit in scored)


@lru_cache(maxsize=20_000)
def _term_set(text: str, lang: str) -> frozenset[str]:
    """Return the terms of a text; the same chunks come back for query after query."""
    return frozenset(terms(text, lang))
