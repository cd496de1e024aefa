"""The order of every ranking: score descending, then the greater document number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import TopDocs

# Scores are rounded: float sums differ in the last digits between machines, and equal to six digits is a tie.
DIGITS = 6


def top_docs(docs: NDArray[Any], scores: NDArray[Any], k: int) -> TopDocs:
    """Return the `k` documents of greatest score, in order; those of a score of 0 or less are no evidence."""
    order = np.lexsort((docs, scores))[::-1]
    order = order[scores[order] > 0][: max(k, 0)]
    return TopDocs(docs[order].astype(np.int32), scores[order].astype(np.float32))
