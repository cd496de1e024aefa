"""Fusion: one ranking from what several channels found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import TopDocs
from ragaliq.retrieve.ranking import DIGITS, top_docs

# Reciprocal rank fusion's constant (Cormack, Clarke and Büttcher, SIGIR 2009).
RRF_K = 60


class Fusion(StrEnum):
    """How the findings of channels become one score."""

    NORMALISED_SUM = "normalised-sum"
    RRF = "rrf"


def fuse(
    channels: Sequence[TopDocs],
    top_k: int,
    fusion: Fusion = Fusion.NORMALISED_SUM,
    weights: Sequence[float] | None = None,
) -> TopDocs:
    """Return the `top_k` best of all documents found: score descending, then the greater document number.

    Args:
        channels: the best documents of one query in each channel; a channel without any adds nothing.
        top_k: how many documents are kept.
        fusion: `normalised-sum` or `rrf`, see below.
        weights: of the channels; None weighs all 1.
    """
    docs = np.concatenate([best.docs for best in channels])
    weighted = zip(channels, weights or [1.0] * len(channels), strict=True)
    shares = np.concatenate([_SHARES[fusion](best) * weight for best, weight in weighted])
    different, places = np.unique(docs, return_inverse=True)
    scores = np.round(np.bincount(places, weights=shares, minlength=len(different)), DIGITS)
    return top_docs(different, scores, top_k)


def shares_of_best(best: TopDocs) -> NDArray[np.float64]:
    """Return each score divided by the channel's greatest, in 0..1: what `normalised-sum` adds.

    A single hit is worth 1, not 0 as under min-max normalisation. Scores of 0 or less are no evidence and count 0.
    """
    scores = np.round(np.maximum(best.scores, 0.0, dtype=np.float64), DIGITS)
    return scores / (scores.max(initial=0.0) or 1.0)


def reciprocal_ranks(best: TopDocs) -> NDArray[np.float64]:
    """Return `1 / (60 + rank)` of each document, ranks counted from 1: what `rrf` adds. Margins count nothing."""
    return 1.0 / (RRF_K + np.arange(1, len(best.docs) + 1))


_SHARES: dict[Fusion, Callable[[TopDocs], NDArray[np.float64]]] = {
    Fusion.NORMALISED_SUM: shares_of_best,
    Fusion.RRF: reciprocal_ranks,
}
