"""Measure what a pool holds and what a family of retrievers adds to it, on Cranfield's full judgements.

    python studies/builder/cranfield_pool.py --out studies/builder/cranfield_pool.json

The systems are the configurations of `ragaliq build certify`. A pool of depth d holds the first d documents of each of
them; what it does not hold counts as not judged. Leaving out a family (words, character n-grams, vectors) leaves out
every configuration that has one of its channels, hybrids included, so that nothing of it comes in by another way.
The builder's own pool (bm25, char, hybrid) is measured with each embedder that needs no model hub.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.benchmark.collections import load_collections
from ragaliq.build.settings import PoolSettings
from ragaliq.build.validity.configurations import CONFIGURATIONS, ConfigurationScores
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.formats.reading.collection import Collection
from ragaliq.metrics.agreement.rank_correlation import kendall_tau, tau_ap
from ragaliq.metrics.retrieval.ranking import evaluate_run
from ragaliq.types import Qrels, Query
from record import write

SHARED = Path(os.environ.get("RAGALIQ_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
DEPTHS = (10, 20, 50, 100)
MEASURES = ("nDCG@10", "AP")
EMBEDDERS = ("use-multilingual", "char-ngrams")
FAMILIES = {"words": "bm25", "chars": "n-grams(", "vectors": "char-ngrams"}
Run = Mapping[str, Mapping[str, float]]


def main() -> int:
    """Measure, print, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=SHARED / "cranfield", help="the Cranfield files")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()
    collection = load_collections(options.data)["en"]
    qrels = {query: {doc: int(rel > 0) for doc, rel in docs.items()} for query, docs in collection.qrels.items()}
    queries = [query for query in collection.queries if any(qrels.get(query.query_id, {}).values())]
    runs = ConfigurationScores("en", list(collection.chunks())).runs(queries)
    qrels = {query.query_id: qrels[query.query_id] for query in queries}
    depths = {str(depth): at_depth(runs, qrels, depth) for depth in DEPTHS}
    for depth, figures in depths.items():
        print(depth, figures, sep=": ")
    default = {kind: default_pool(kind, collection, queries, qrels) for kind in EMBEDDERS}
    print(default)
    if options.out:
        write(options.out, {"queries": len(queries), "systems": len(runs), "depths": depths, "default_pool": default})
        print(f"figures: {options.out}")
    return 0


def default_pool(
    embedder: str, collection: Collection, queries: Sequence[Query], qrels: Qrels
) -> dict[str, dict[str, float]]:
    """Return recall and mean size of the pool of the builder's default retrievers at each depth."""
    chunks, runs = list(collection.chunks()), dict[str, dict[str, dict[str, float]]]()
    for name in PoolSettings().retrievers:
        retriever = make("retriever", Component(name), embedder=make("embedder", Component(embedder)), index_dir=None)
        retriever.index(chunks)
        hits = [retriever.retrieve(query, max(DEPTHS)) for query in queries]
        runs[name] = {
            query.query_id: {hit.chunk.doc_id: hit.score for hit in found}
            for query, found in zip(queries, hits, strict=True)
        }
    found: dict[str, dict[str, float]] = {}
    for depth in DEPTHS:
        pool = pooled(runs, list(runs), depth)
        recall = count(within(qrels, pool)) / count(qrels)
        size = sum(map(len, pool.values())) / len(pool)
        found[str(depth)] = {"pool_recall": round(recall, 4), "pool_size": round(size, 1)}
    return found


def at_depth(runs: Mapping[str, Run], qrels: Qrels, depth: int) -> dict[str, object]:
    """Return the figures of pools of one depth."""
    found: dict[str, object] = {}
    pool = pooled(runs, list(runs), depth)
    judged = within(qrels, pool)
    found["pool_recall"] = round(count(judged) / count(qrels), 4)
    found["pool_size"] = round(sum(map(len, pool.values())) / len(pool), 1)
    found["all_judgements"] = compared(runs, qrels, judged)
    for family, prefix in FAMILIES.items():
        others = [one.name for one in CONFIGURATIONS if not any(c.startswith(prefix) for c in one.channels)]
        rest = within(judged, pooled(runs, others, depth))
        lost = round(1 - count(rest) / count(judged), 4)
        found[f"without {family}"] = {
            "systems_left": len(others),
            "relevant_lost": lost,
            **compared(runs, judged, rest),
        }
    return found


def pooled(runs: Mapping[str, Run], names: Sequence[str], depth: int) -> dict[str, set[str]]:
    """Return the first documents of some runs for each query; runs stand best first."""
    pool: dict[str, set[str]] = {}
    for name in names:
        for query_id, documents in runs[name].items():
            pool.setdefault(query_id, set()).update(list(documents)[:depth])
    return pool


def within(qrels: Qrels, pool: Mapping[str, set[str]]) -> dict[str, dict[str, int]]:
    """Return the judgements of the documents that a pool holds."""
    return {query: {doc: rel for doc, rel in docs.items() if doc in pool[query]} for query, docs in qrels.items()}


def count(qrels: Qrels) -> int:
    """Return how many documents are relevant, over all queries."""
    return sum(rel > 0 for docs in qrels.values() for rel in docs.values())


def compared(runs: Mapping[str, Run], full: Qrels, part: Qrels) -> dict[str, object]:
    """Return how alike two sets of judgements rank the systems."""
    found: dict[str, object] = {}
    for measure in MEASURES:
        before, after = (
            [round(evaluate_run(run, qrels, [measure]).mean(measure) or 0.0, 9) for run in runs.values()]
            for qrels in (full, part)
        )
        places = [[sum(other > value for other in values) for value in values] for values in (before, after)]
        moved = [abs(one - two) for one, two in zip(*places, strict=True)]
        worst = max(range(len(moved)), key=lambda place: (moved[place], -place))
        found[measure] = {
            "tau": round(kendall_tau(before, after) or 0.0, 3),
            "tau_ap": round(tau_ap(after, before) or 0.0, 3),
            "most_ranks_moved": moved[worst],
            "by": list(runs)[worst],
        }
    return found


if __name__ == "__main__":
    sys.exit(main())
