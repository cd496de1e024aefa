"""Whether the chunks that a reader was shown are those that its question needs, judged without qrels.

Both figures compare with the reference answer, as in RAGAS (Es et al. 2023, arXiv 2309.15217, and its library).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContextScores:
    """Context precision and recall of one answer, in 0..1; None where there is no reference to compare with.

    Attributes:
        precision: average precision of the chunks in the order shown: the mean, over the useful ones, of the share of
            useful ones among the first k, where k is the place of the chunk. A chunk is useful if it helps to arrive
            at the reference. 0 where none is useful or none was shown. Useful chunks that were not shown do not count.
        recall: share of the reference's sentences that the chunks shown support, all of them together.
    """

    precision: float | None
    recall: float | None


def context_scores(useful: Sequence[bool], attributable: Sequence[bool]) -> ContextScores:
    """Return the scores from one mark for each chunk shown, in order, and one for each sentence of the reference."""
    if not attributable:
        return ContextScores(None, None)
    places = [place for place, mark in enumerate(useful, start=1) if mark]
    shares = [count / place for count, place in enumerate(places, start=1)]
    precision = sum(shares) / len(shares) if shares else 0.0
    return ContextScores(precision, sum(attributable) / len(attributable))
