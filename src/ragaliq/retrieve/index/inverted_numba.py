"""The search of an inverted index as one compiled loop: blocks of documents that fit into a core's cache.

The functions are plain Python over arrays; `compiled_scan` has numba translate them, once for each process.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# The sums of a block, 128 KiB, stay in the L2 cache while postings stream past them.
BLOCK = 1 << 15
# So many sums are compared with the k-th score at once.
STRETCH = 64


class Postings(NamedTuple):
    """An inverted index; the attributes are those of `InvertedIndex`."""

    starts: NDArray[np.int64]
    docs: NDArray[np.int32]
    weights: NDArray[np.float32]
    n_docs: int


class QueryTerms(NamedTuple):
    """Queries one behind the other: query `q` is `terms[starts[q]:starts[q + 1]]` with its weights."""

    starts: NDArray[np.int64]
    terms: NDArray[np.int64]
    weights: NDArray[np.float32]


class Heaps(NamedTuple):
    """For each query the best documents so far as a heap, the worst of them in front; only `sizes[q]` of a row hold."""

    scores: NDArray[np.float32]
    docs: NDArray[np.int32]
    sizes: NDArray[np.int64]


Scan = Callable[[Postings, QueryTerms, Heaps], None]


@lru_cache(maxsize=1)
def compiled_scan() -> Scan:
    """Return the compiled search, which holds no lock; the first call takes a second or two.

    Nothing is kept on disk: a cache beside the package may not be writable, and one of another CPU must not be run.

    Raises:
        ImportError: if numba is not installed, or does not get on with numpy.
    """
    import numba

    return make_scan(numba.njit(nogil=True))


def make_scan(jit: Callable[[Any], Any], block: int = BLOCK) -> Scan:
    """Return the search with all its parts passed through `jit`; `block` is a multiple of `STRETCH`."""
    first_place, push = jit(_first_place), jit(_push)

    def add(postings: Postings, term: int, weight: np.float32, end: int, low: int, sums: NDArray[np.float32]) -> int:
        start = first_place(postings.docs, postings.starts[term], end, low)
        # Unsigned numbers: for signed ones the compiled code would look whether they count from the end.
        for place in range(np.uint64(start), np.uint64(end)):
            sums[np.uint32(postings.docs[place] - low)] += weight * postings.weights[place]
        return int(start)

    def collect(sums: NDArray[np.float32], low: int, heaps: Heaps, query: int) -> None:
        scores, docs, k = heaps.scores[query], heaps.docs[query], heaps.scores.shape[1]
        size = heaps.sizes[query]
        least = scores[0] if size == k else np.float32(0)
        for start in range(len(sums) - STRETCH, -1, -STRETCH):
            stretch = sums[start : start + STRETCH]
            # Counted rather than asked one by one, so that many are compared in one instruction.
            above = np.int32(0)
            for place in range(STRETCH):
                above += np.int32(stretch[place] > least)
            if above > 0:
                for place in range(STRETCH - 1, -1, -1):
                    if stretch[place] > least:
                        push(scores, docs, size, stretch[place], low + start + place)
                        size = min(size + 1, k)
                        least = scores[0] if size == k else np.float32(0)
            stretch[:] = 0
        heaps.sizes[query] = size

    add, collect = jit(add), jit(collect)

    def scan(postings: Postings, queries: QueryTerms, heaps: Heaps) -> None:
        sums = np.zeros(block, dtype=np.float32)
        ends = postings.starts[queries.terms + 1]
        # From the last block down: of equal scores the one found first stays, and it has the greater number.
        for low in range((postings.n_docs - 1) // block * block, -1, -block):
            for query in range(len(queries.starts) - 1):
                for place in range(queries.starts[query], queries.starts[query + 1]):
                    ends[place] = add(postings, queries.terms[place], queries.weights[place], ends[place], low, sums)
                collect(sums, low, heaps, query)

    scan_of: Scan = jit(scan)
    return scan_of


def _first_place(docs: NDArray[np.int32], first: int, end: int, low: int) -> int:
    """Return the first place in `first..end` from which on documents are `low` or greater, looking near `end` first."""
    step = 1
    while end - step >= first and docs[end - step] >= low:
        step *= 2
    left, right = max(first, end - step + 1), end - step // 2
    while left < right:
        middle = (left + right) // 2
        if docs[middle] >= low:
            right = middle
        else:
            left = middle + 1
    return left


def _push(scores: NDArray[np.float32], docs: NDArray[np.int32], size: int, score: np.float32, doc: int) -> None:
    """Put a document, whose number is below all others, into a heap of `size`; into a full one for the worst there."""
    place = size
    if size < len(scores):
        # At equal scores too: the new one is the worse.
        while place > 0 and scores[(place - 1) // 2] >= score:
            above = (place - 1) // 2
            scores[place], docs[place] = scores[above], docs[above]
            place = above
    else:
        place, below = 0, 1
        while below < size:
            other = below + 1
            if other < size and (scores[other], docs[other]) < (scores[below], docs[below]):
                below = other
            if scores[below] >= score:
                break
            scores[place], docs[place] = scores[below], docs[below]
            place, below = below, 2 * below + 1
    scores[place], docs[place] = score, doc
