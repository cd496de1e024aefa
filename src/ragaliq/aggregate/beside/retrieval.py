"""How deep in a run's rankings the gold stands, by language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.aggregate.beside.waterfall import read_waterfall
from ragaliq.aggregate.run_rows import RunRows
from ragaliq.runs.manifests import has_reranker
from ragaliq.types import GoldGroup

_DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100)
# One query's gold.
_Groups = tuple[GoldGroup, ...]


def retrieval_by_language(rows: RunRows) -> dict[str, dict[str, Any]]:
    """Return for each language the share of queries all of whose gold is ranked down to each depth, and is shown.

    Over the `n` answerable queries whose gold is known, graded or not. `retrieved` is the same in the retriever's order
    before the reranker; None without a reranker, and where a run does not hold that order.
    """
    by_lang: dict[str, list[_Groups]] = {}
    for (lang, _), row in read_waterfall(rows).items():
        if row.groups:
            by_lang.setdefault(lang, []).append(row.groups)
    if not by_lang:
        return {}
    system = rows.config["system"]
    depths = [depth for depth in _DEPTHS if depth <= system["top_k"]]
    return {
        lang: {
            "n": len(queries),
            "depths": depths,
            "ranked": [_share(queries, "ranked", depth) for depth in depths],
            "retrieved": [_share(queries, "retrieved", depth) for depth in depths]
            if has_reranker(system) and _known(queries)
            else None,
            "shown": sum(all(group.lost is None for group in groups) for groups in queries) / len(queries),
            "context_k": system["context_k"],
        }
        for lang, queries in sorted(by_lang.items())
    }


def _share(queries: Sequence[_Groups], order: str, depth: int) -> float:
    """Return the share of queries of which every group stands at `depth` or above."""
    ranks = [[getattr(group, order) for group in groups] for groups in queries]
    return sum(all(rank is not None and rank <= depth for rank in of_query) for of_query in ranks) / len(queries)


def _known(queries: Sequence[_Groups]) -> bool:
    """Return whether the retriever's order is known: a reranker ranks nothing that was not retrieved."""
    return not any(group.retrieved is None and group.ranked is not None for groups in queries for group in groups)
