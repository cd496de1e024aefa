"""How well retrievers find what answers an item, in the item's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragaliq.build.parity.across_languages import Array, Groups
from ragaliq.build.validity.configurations import ConfigurationScores
from ragaliq.types import Chunk, Query


def retrieval_scores(
    lang: str, queries: Sequence[Query], gold: Sequence[Groups], chunks: Sequence[Chunk]
) -> dict[str, Array]:
    """Return `margin` and `rank` of each query: means over all configurations of `build.validity`, greater is easier.

    Of each group of gold the document that is ranked best counts, and a query's value is the mean over its groups.
    `rank` is −ln of its rank; one that is not among the first 100 has the last rank of the corpus. `margin` is its
    score less the best score of a document outside the gold, in units of the query's greatest score: a document that is
    still first, but hardly, has lost something, too.
    """
    runs = ConfigurationScores(lang, chunks).runs(queries)
    values = np.array(
        [
            [_value(run[query.query_id], groups, len(chunks)) for query, groups in zip(queries, gold, strict=True)]
            for run in runs.values()
        ]
    )
    margins, ranks = values.mean(axis=0).T
    return {"margin": margins, "rank": ranks}


def _value(scores: Mapping[str, float], groups: Groups, size: int) -> tuple[float, float]:
    order = sorted(scores, key=lambda doc_id: (scores[doc_id], doc_id), reverse=True)
    ranks = {doc_id: place for place, doc_id in enumerate(order, 1)}
    gold = {doc_id for group in groups for doc_id in group}
    top = max(scores.values(), default=0.0) or 1.0
    rival = max((score for doc_id, score in scores.items() if doc_id not in gold), default=0.0)
    margins = [(max(scores.get(doc_id, 0.0) for doc_id in group) - rival) / top for group in groups]
    depths = [np.log(min(ranks.get(doc_id, size) for doc_id in group)) for group in groups]
    return float(np.mean(margins)), -float(np.mean(depths))
