"""How much memory a sparse index takes, counted before it is taken."""

from __future__ import annotations

import os

# The document number and the weight of a posting.
POSTING = 4 + 4
# What SPLADE models give a passage of some 60 words, roughly.
NNZ_PER_DOC = 128
BERT_VOCABULARY = 30522


def build_bytes(n_docs: int, nnz_per_doc: float = NNZ_PER_DOC) -> int:
    """Return the most bytes that an index takes while its postings are brought from rows into columns.

    8 for each posting twice, rows and columns at once; 8 for each term of a vocabulary of 30522, and for each document.
    """
    return 2 * round(n_docs * nnz_per_doc) * POSTING + 8 * (BERT_VOCABULARY + 1) + 8 * (n_docs + 1)


def memory_warning(n_docs: int, nnz_per_doc: float = NNZ_PER_DOC, available: int | None = None) -> str:
    """Return a line `warning[memory]: …` if building the index would take more than this machine's memory, else "".

    Args:
        n_docs: number of documents.
        nnz_per_doc: terms of a document.
        available: bytes; None takes all the memory that the machine has; where that is unknown, there is no warning.
    """
    memory = available if available is not None else _installed()
    need = build_bytes(n_docs, nnz_per_doc)
    if memory is None or need <= memory:
        return ""
    return (
        f"warning[memory]: the sparse index of {n_docs} documents with some {nnz_per_doc:g} terms each takes about "
        f"{need / 1e9:.3g} GB to build, and the machine has {memory / 1e9:.3g} GB; index fewer documents or take a "
        "larger machine"
    )


def _installed() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
