"""How much memory sparse search takes, counted before it is taken."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ragaliq.retrieve.index.inverted import search_bytes

# The document number and the weight of a posting.
POSTING = 4 + 4
# A score matrix of queries by documents: the product is made in sparse form and copied into a dense one, and its rows
# are ranked through a copy and an array of places. So many bytes of it lie side by side for each cell.
CELL = 16
# What SPLADE models give a passage of some 60 words, roughly, and a query with its expansion.
NNZ_PER_DOC, QUERY_TERMS = 128, 32
BERT_VOCABULARY = 30522


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """Bytes that exact search over sparse vectors takes.

    Attributes:
        index: the postings, held all the time.
        build: at most, while they are brought from rows into columns.
        search: beside the index for a batch, through numba.
        search_numpy: the same, without numba.
        results: of a batch.
        dense: what a score matrix of the batch by all documents would take; it is never made.
    """

    index: int
    build: int
    search: int
    search_numpy: int
    results: int
    dense: int


def memory_needed(
    n_docs: int, nnz_per_doc: float = NNZ_PER_DOC, k: int = 100, batch: int = 64, query_terms: int = QUERY_TERMS
) -> MemoryNeed:
    """Return the bytes for `n_docs` documents of `nnz_per_doc` terms each, searched `batch` queries at a time.

    Index: 8 for each posting and for each term of a vocabulary of 30522. Build: the rows and the columns at once.
    Search: `inverted.search_bytes`. Results: 8 for each document found. Dense: 16 for each cell.
    """
    postings = round(n_docs * nnz_per_doc) * POSTING
    starts = 8 * (BERT_VOCABULARY + 1)
    return MemoryNeed(
        index=postings + starts,
        build=2 * postings + starts + 8 * (n_docs + 1),
        search=search_bytes(n_docs, k, query_terms, compiled=True),
        search_numpy=search_bytes(n_docs, k, query_terms, compiled=False),
        results=batch * min(k, n_docs) * POSTING,
        dense=batch * n_docs * CELL,
    )


def memory_warning(n_docs: int, nnz_per_doc: float = NNZ_PER_DOC, available: int | None = None) -> str:
    """Return a line `warning[memory]: …` if building the index would take more than this machine's memory, else "".

    Args:
        n_docs: number of documents.
        nnz_per_doc: terms of a document.
        available: bytes; None takes all the memory that the machine has, and where that is not told nothing is said.
    """
    have = available if available is not None else _installed()
    need = memory_needed(n_docs, nnz_per_doc).build
    if have is None or need <= have:
        return ""
    return (
        f"warning[memory]: the sparse index of {n_docs} documents with some {nnz_per_doc:g} terms each takes about "
        f"{size(need)} to build, and the machine has {size(have)}; index fewer documents or take a larger machine"
    )


def size(n_bytes: int) -> str:
    """Return a number of bytes as people write it: `28 MB`, `7.07 GB`."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= factor:
            return f"{n_bytes / factor:.3g} {unit}"
    return f"{n_bytes} B"


def _installed() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
