"""Whether query weights are multiplied by the IDF of the corpus, and what it looks like where that was left out.

The sparse-retrieval skill always multiplies, as BM25-like term weights need it. Models of the SPLADE family are trained
and published with the plain inner product: they have learned which terms are common, and an IDF on top counts that
twice. Inference-free models bring an IDF of their own in their query weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import numpy as np

from ragaliq.retrieve import TopDocs
from ragaliq.retrieve.index.inverted import InvertedIndex, SparseQuery
from ragaliq.storage.yaml_files import read_yaml

# A term is common if it stands in more than this share of the documents,
_COMMON = 0.25
# and rankings are dominated by such terms if they make up more than this share of the best documents' scores. Word
# counts of Cranfield and of XQuAD in en, de and ru: .64 to .91 without IDF, .06 to .18 with it.
_DOMINATED = 0.5
# So many queries are looked at.
_QUERIES = 100
# In fewer documents a quarter of them says nothing.
_FEWEST = 20


class IdfWeighting(StrEnum):
    """What query weights are multiplied by: the IDF of the corpus, or nothing."""

    CORPUS = "corpus"
    NONE = "none"


def idf_weighting(model: str, option: str = "", static_weights: bool = False) -> IdfWeighting:
    """Return how the queries of a model are weighted.

    What the option says goes first. Then: `none` for a model whose queries have static weights of their own and for
    those of the shipped table (`sparse.yaml`), whose cards score by the plain inner product; `corpus`, as the
    sparse-retrieval skill has it, for all others.

    Args:
        model: full id on the model hub.
        option: `corpus`, `none`, or empty.
        static_weights: the model's query side looks its weights up in a table.
    """
    if option:
        return IdfWeighting(option)
    return IdfWeighting.NONE if static_weights or model in _plain() else IdfWeighting.CORPUS


def missing_idf(index: InvertedIndex, queries: Sequence[SparseQuery], best: Sequence[TopDocs]) -> str:
    """Return a line `warning[missing-idf]: …` if common terms decide the rankings, empty if not.

    They do where terms that stand in more than a quarter of the documents make up, on average over queries, more
    than half of the best document's score: the picture of raw weights without IDF. The first hundred queries that find
    anything are looked at, and corpora of 20 documents or more.

    Args:
        index: the corpus.
        queries: as they were searched.
        best: the documents of each.
    """
    if index.n_docs < _FEWEST:
        return ""
    pairs = [pair for pair in zip(queries, best, strict=True) if len(pair[1].docs)][:_QUERIES]
    shares = [_common_share(index, query, best.docs[0]) for query, best in pairs]
    if not shares or np.mean(shares) <= _DOMINATED:
        return ""
    return (
        f"warning[missing-idf]: terms that stand in more than a quarter of the documents make up "
        f"{100 * np.mean(shares):.0f} % of the best documents' scores; set option 'idf' to corpus, unless the model "
        "was trained for the plain inner product"
    )


def _common_share(index: InvertedIndex, query: SparseQuery, doc: np.int32) -> float:
    """Return the share of common terms in the score of a document, 0..1; weights below 0 count by their size."""
    common = total = 0.0
    for term, weight in zip(*query, strict=True):
        start, end = index.starts[term], index.starts[term + 1]
        place = start + np.searchsorted(index.docs[start:end], doc)
        if place < end and index.docs[place] == doc:
            part = float(abs(weight * index.weights[place]))
            total += part
            common += part * bool(end - start > _COMMON * index.n_docs)
    return common / total if total else 0.0


@lru_cache(maxsize=1)
def _plain() -> frozenset[str]:
    return frozenset(read_yaml(Path(__file__).with_name("sparse.yaml")))
