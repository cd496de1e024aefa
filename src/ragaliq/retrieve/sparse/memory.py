"""How much memory a sparse index takes, counted before it is taken."""

from __future__ import annotations

import os

# What SPLADE models give a passage of some 60 words, roughly; and the vocabulary of BERT.
TERMS_PER_DOC, VOCABULARY = 128, 30522


def memory_warning(n_docs: int, available: int | None = None) -> str:
    """Return a line `warning[memory]: …` if building the index would take more than this machine's memory, else "".

    While postings are brought from rows into columns both are held, 8 bytes each; 8 more for each term and document.

    Args:
        n_docs: number of documents.
        available: bytes; None takes all the memory that the machine has; where that is unknown, there is no warning.
    """
    need = 2 * n_docs * TERMS_PER_DOC * 8 + 8 * (VOCABULARY + 1) + 8 * (n_docs + 1)
    if available is None:
        try:
            available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (AttributeError, ValueError, OSError):
            return ""
    if need <= available:
        return ""
    return (
        f"warning[memory]: the sparse index of {n_docs} documents with some {TERMS_PER_DOC} terms each takes about "
        f"{need / 1e9:.3g} GB to build, and the machine has {available / 1e9:.3g} GB; index fewer documents or take a "
        "larger machine"
    )
