"""Time five measures over 10,000 queries of 100 documents: pytrec_eval and ragaliq, from arrays and from dictionaries.

The run is drawn: documents in any order, with scores that single precision holds, because pytrec_eval compares no more.
From arrays, both begin with numbers: codes of queries and documents, scores, relevances. ragaliq takes them as they are
(the codes of documents being in the order of their ids, for ties); pytrec_eval takes strings, so dictionaries are made
first from two tables of ids, which is the only way in. From dictionaries, both get the same ones, and pytrec_eval's
evaluator is built from the qrels each time, as ours reads them each time. Both give one value per query and measure.
They take turns, so that what else the machine does falls on each, and their values are compared.

    python studies/retrieval/measures.py --out studies/retrieval/measures.json
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytrec_eval

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.metrics.retrieval.coded import QrelArrays, RunArrays
from ragaliq.metrics.retrieval.ranking import Evaluation, evaluate_arrays, evaluate_run
from record import write

# Our name → theirs in the call, theirs in the result.
MEASURES = {
    "nDCG@10": ("ndcg_cut.10", "ndcg_cut_10"),
    "AP": ("map", "map"),
    "RR": ("recip_rank", "recip_rank"),
    "P@10": ("P.10", "P_10"),
    "R@100": ("recall.100", "recall_100"),
}
Values = Mapping[str, Mapping[str, float]]
Way = Callable[[], Evaluation | Values]


@dataclass(frozen=True, slots=True)
class Data:
    """The same run and qrels in numbers and in strings."""

    run: RunArrays
    qrels: QrelArrays
    query_ids: list[str]
    doc_ids: list[str]

    def dictionaries(self) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
        """Return run and qrels as pytrec_eval takes them."""
        run: dict[str, dict[str, float]] = {}
        docs = [self.doc_ids[doc] for doc in self.run.doc.tolist()]
        scores = self.run.score.tolist()
        starts = [*np.flatnonzero(np.diff(self.run.query, prepend=-1)).tolist(), len(docs)]
        for query, start, end in zip(self.run.query[starts[:-1]].tolist(), starts, starts[1:], strict=False):
            run[self.query_ids[query]] = dict(zip(docs[start:end], scores[start:end], strict=True))
        qrels: dict[str, dict[str, int]] = {}
        rows = zip(self.qrels.query.tolist(), self.qrels.doc.tolist(), self.qrels.rel.tolist(), strict=True)
        for query, doc, rel in rows:
            qrels.setdefault(self.query_ids[query], {})[self.doc_ids[doc]] = rel
        return run, qrels


def main() -> None:
    """Measure, print the figures and write them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--docs", type=int, default=100, help="documents of a query")
    parser.add_argument("--judged", type=int, default=20, help="judged documents of a query, half of them retrieved")
    parser.add_argument("--corpus", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    args = parser.parse_args()
    figures = {
        "queries": args.queries, "documents": args.docs, "judged": args.judged, "corpus": args.corpus,
        "measures": list(MEASURES), "rounds": args.rounds,
        "versions": {name: version(name) for name in ("numpy", "pytrec-eval-terrier")},
        # 24 bits of a score, 30 scores, one score for all.
        "scores": {name: measured(drawn(args, levels), args.rounds) for name, levels in
                   {"nearly all different": 2**24, "one of 30": 30, "all equal": 1}.items()},
    }  # fmt: skip
    print(figures)
    if args.out:
        write(args.out, figures)


def drawn(args: argparse.Namespace, levels: int) -> Data:
    """Return a random run, whose scores take so many values, and random qrels."""
    rng = np.random.default_rng(0)
    half = args.judged // 2
    query = np.repeat(np.arange(args.queries), args.docs)
    doc = np.concatenate([rng.choice(args.corpus, args.docs, replace=False) for _ in range(args.queries)])
    known = doc.reshape(args.queries, args.docs)[:, :half]
    unseen = rng.integers(0, args.corpus, (args.queries, args.judged - half))
    pairs = np.arange(args.queries)[:, None] * args.corpus + np.concatenate((known, unseen), axis=1)
    judged = np.unique(pairs)
    return Data(
        RunArrays(query, doc, rng.integers(0, levels, len(doc)) / levels),
        QrelArrays(judged // args.corpus, judged % args.corpus, rng.integers(0, 4, len(judged))),
        [f"q{number:05}" for number in range(args.queries)],
        [f"doc{number:07}" for number in range(args.corpus)],
    )


def measured(data: Data, rounds: int) -> dict[str, object]:
    """Return the seconds of each way, the median ratios, and the greatest difference of a value."""
    run, qrels = data.dictionaries()
    names = {theirs for theirs, _ in MEASURES.values()}

    def converted() -> Values:
        made, judged = data.dictionaries()
        found: Values = pytrec_eval.RelevanceEvaluator(judged, names).evaluate(made)
        return found

    ways: dict[str, Way] = {
        "pytrec_eval, arrays": converted,
        "ragaliq, arrays": lambda: evaluate_arrays(data.run, data.qrels, list(MEASURES)),
        "pytrec_eval, dictionaries": lambda: pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run),
        "ragaliq, dictionaries": lambda: evaluate_run(run, qrels, list(MEASURES)),
    }
    found = {name: way() for name, way in ways.items()}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds):
        # Each round starts with another one.
        for name in [*list(ways)[number % len(ways) :], *list(ways)[: number % len(ways)]]:
            seconds[name].append(timed(ways[name]))
        print(f"round {number + 1}:", {name: round(times[-1], 3) for name, times in seconds.items()}, file=sys.stderr)
    return {
        "seconds": {name: [round(time, 3) for time in times] for name, times in seconds.items()},
        "speed_ratio": {side: ratio(seconds, side) for side in ("arrays", "dictionaries")},
        "max_difference": difference(found),
    }


def timed(way: Way) -> float:
    """Return the seconds that it takes."""
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


def ratio(seconds: Mapping[str, list[float]], side: str) -> float:
    """Return how many times as fast ragaliq is, the median over rounds."""
    pairs = zip(seconds[f"pytrec_eval, {side}"], seconds[f"ragaliq, {side}"], strict=True)
    return round(statistics.median(theirs / ours for theirs, ours in pairs), 2)


def difference(found: Mapping[str, Evaluation | Values]) -> float:
    """Return the greatest difference of any value of any query to pytrec_eval's."""
    greatest = 0.0
    theirs = found["pytrec_eval, dictionaries"]
    for ours in found.values():
        if isinstance(ours, Evaluation) and not isinstance(theirs, Evaluation):
            rows = [theirs[query_id] for query_id in sorted(theirs)]
            for name, (_, key) in MEASURES.items():
                expected = np.array([row[key] for row in rows])
                greatest = max(greatest, float(np.abs(ours.values[name] - expected).max()))
    return greatest


if __name__ == "__main__":
    main()
