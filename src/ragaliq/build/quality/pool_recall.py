"""How deep the pool must be, what each query text adds to it, and what it misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.build.quality.built import Built
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import pool
from ragaliq.metrics.statistics.intervals import share_interval

DEPTHS = (1, 2, 5, 10, 20, 50, 100)
ALL, INFERENCE, ORACLE = "all", "inference", "oracle"


@dataclass(frozen=True, slots=True)
class PoolRecall:
    """How many of the known relevant documents are in the lists of some query texts, down to a depth.

    Attributes:
        lang: the language.
        texts: the kind of query text, or `all`; `inference` (those a system under test could have) or `oracle` (those
            that contain the answer).
        depth: how many of each fused list are taken.
        queries: answerable queries of the benchmark.
        documents: mean number of documents of a query to be judged at this depth.
        relevant: pairs of a query and a document that supports one of its nuggets, as far as known.
        recall: share of them that is in the lists; below 1 where others come from the documents that a query was
            written from, or from the random ones. None without any.
    """

    lang: str
    texts: str
    depth: int
    queries: int
    documents: float | None
    relevant: int
    recall: float | None


@dataclass(frozen=True, slots=True)
class Negatives:
    """Random documents from outside the pool, judged as well: what the pool misses.

    Attributes:
        lang: the language.
        n: pairs of a query and such a document.
        supporting: those that support a nugget.
        share: of `n`; `interval` is its 95 % Wilson interval. None without any.
    """

    lang: str
    n: int
    supporting: int
    share: float | None
    interval: tuple[float, float] | None


def pool_recalls(built: Built) -> list[PoolRecall]:
    """Return the recall of each language's pool: by depth for the groups of query texts, then for each text alone."""
    deepest = built.settings.pool.judged
    depths = [*(depth for depth in DEPTHS if depth < deepest), deepest]
    inference = [kind for kind in pool.QUERY_KINDS if kind not in pool.ORACLE_KINDS]
    recalls = []
    for lang in built.corpora:
        rows = built.answerable(lang)
        for name, kinds in ((ALL, pool.QUERY_KINDS), (INFERENCE, inference), (ORACLE, pool.ORACLE_KINDS)):
            recalls += [_recall(built, lang, rows, name, kinds, depth) for depth in depths]
        recalls += [_recall(built, lang, rows, kind, [kind], deepest) for kind in pool.QUERY_KINDS]
    return recalls


def _recall(
    built: Built, lang: str, rows: Sequence[StageRow], name: str, kinds: Sequence[str], depth: int
) -> PoolRecall:
    taken = relevant = held = 0
    for row in rows:
        supporting = {doc_id for doc_id, n_nuggets in row.value["judged"].items() if n_nuggets}
        pooled = {
            one["doc_id"]
            for one in built.pooled[lang, row.item_id].value["documents"]
            if any(one["fused"].get(kind, depth + 1) <= depth for kind in kinds)
        }
        taken += len(pooled)
        relevant += len(supporting)
        held += len(supporting & pooled)
    documents = taken / len(rows) if rows else None
    return PoolRecall(lang, name, depth, len(rows), documents, relevant, held / relevant if relevant else None)


def negatives(built: Built) -> list[Negatives]:
    """Return what became of the random documents of each language's answerable queries."""
    results = []
    for lang in built.corpora:
        drawn = [
            row.value["judged"][one["doc_id"]] > 0
            for row in built.answerable(lang)
            for one in built.pooled[lang, row.item_id].value["documents"]
            if one.get("negative") and one["doc_id"] in row.value["judged"]
        ]
        n, supporting = len(drawn), sum(drawn)
        interval = share_interval(supporting, n) if n else None
        share = supporting / n if n else None
        results.append(Negatives(lang, n, supporting, share, interval and (interval.low, interval.high)))
    return results
