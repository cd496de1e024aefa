"""Whether the documents that an answer cites support it (Thakur et al. 2025, TREC 2024 RAG, arXiv 2504.15205)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CitationScores:
    """Weighted precision and recall of one answer's citations, in 0..1; None where there is nothing to divide by.

    A citation weighs 1 if the cited document supports the sentence in full, .5 in part, 0 otherwise.

    Attributes:
        precision: the mean weight of the answer's citations.
        recall: the mean over its sentences of the best weight among a sentence's citations, 0 for one without any.
        n: number of citations whose weight is known; the others, and their sentences, enter no mean.
        n_expected: number of citations.
    """

    precision: float | None
    recall: float | None
    n: int = 0
    n_expected: int = 0


def citation_scores(weights: Sequence[Sequence[float | None]]) -> CitationScores:
    """Return the scores from the weights of each sentence's citations, None where it is not known."""
    cited = [weight for sentence in weights for weight in sentence]
    known = [weight for weight in cited if weight is not None]
    whole = [[weight for weight in sentence if weight is not None] for sentence in weights if None not in sentence]
    best = [max(sentence, default=0.0) for sentence in whole]
    return CitationScores(_mean(known), _mean(best), len(known), len(cited))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
