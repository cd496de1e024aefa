"""Fusion: one ranking from what several channels found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import TopDocs
from ragaliq.retrieve.index.coded import DIGITS

# Reciprocal rank fusion's constant (Cormack, Clarke and Büttcher, SIGIR 2009).
RRF_K = 60


class Fusion(StrEnum):
    """How the findings of channels become one score."""

    NORMALISED_SUM = "normalised-sum"
    RRF = "rrf"


def fuse(found: Sequence[TopDocs], top_k: int, fusion: Fusion = Fusion.NORMALISED_SUM) -> TopDocs:
    """Return the `top_k` best of all documents found: score descending, then the greater document number.

    Args:
        found: what each channel found for one query, best first; nothing found adds nothing.
        top_k: how many documents are kept.
        fusion: `normalised-sum` or `rrf`, see below.
    """
    docs = np.concatenate([own.docs for own in found])
    shares = np.concatenate([_SHARES[fusion](own) for own in found])
    different, places = np.unique(docs, return_inverse=True)
    scores = np.round(np.bincount(places, weights=shares, minlength=len(different)), DIGITS)
    order = np.lexsort((different, scores))[::-1]
    best = order[: max(top_k, 0)]
    best = best[scores[best] > 0]
    return TopDocs(different[best].astype(np.int32), scores[best].astype(np.float32))


def shares_of_best(found: TopDocs) -> NDArray[np.float64]:
    """Return each score divided by the channel's greatest, in 0..1: what `normalised-sum` adds.

    A single hit is worth 1, not 0 as under min-max normalisation. Scores of 0 or less are no evidence and count 0.
    """
    scores = np.round(np.maximum(found.scores, 0.0, dtype=np.float64), DIGITS)
    return scores / (scores.max(initial=0.0) or 1.0)


def reciprocal_ranks(found: TopDocs) -> NDArray[np.float64]:
    """Return `1 / (60 + rank)` of each document, ranks counted from 1: what `rrf` adds. Margins count nothing."""
    return 1.0 / (RRF_K + np.arange(1, len(found.docs) + 1))


_SHARES: dict[Fusion, Callable[[TopDocs], NDArray[np.float64]]] = {
    Fusion.NORMALISED_SUM: shares_of_best,
    Fusion.RRF: reciprocal_ranks,
}
