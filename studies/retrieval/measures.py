"""Time five measures over 10,000 queries of 100 documents: pytrec_eval and ragaliq, both from dictionaries.

The run is drawn: documents in any order, with scores that single precision holds, because pytrec_eval compares no more.
Both get the same dictionaries, and pytrec_eval's evaluator is built from the qrels each time, as ours reads them each
time. Both give one value per query and measure. They take turns, so that what else the machine does falls on each, and
their values are compared.

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

from ragaliq.metrics.retrieval.ranking import Evaluation, evaluate_run
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
    """A run and qrels."""

    run: dict[str, dict[str, float]]
    qrels: dict[str, dict[str, int]]


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
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for number in range(args.queries):
        docs = [f"doc{doc:07}" for doc in rng.choice(args.corpus, args.docs, replace=False).tolist()]
        unseen = [f"doc{doc:07}" for doc in rng.integers(0, args.corpus, args.judged - half).tolist()]
        scores = (rng.integers(0, levels, args.docs) / levels).tolist()
        rels = rng.integers(0, 4, args.judged).tolist()
        run[f"q{number:05}"] = dict(zip(docs, scores, strict=True))
        qrels[f"q{number:05}"] = dict(zip([*docs[:half], *unseen], rels, strict=True))
    return Data(run, qrels)


def measured(data: Data, rounds: int) -> dict[str, object]:
    """Return the seconds of each way, the median ratio, and the greatest difference of a value."""
    names = {theirs for theirs, _ in MEASURES.values()}
    ways: dict[str, Way] = {
        "pytrec_eval": lambda: pytrec_eval.RelevanceEvaluator(data.qrels, names).evaluate(data.run),
        "ragaliq": lambda: evaluate_run(data.run, data.qrels, list(MEASURES)),
    }
    values = {name: way() for name, way in ways.items()}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds):
        # Each round starts with the other one.
        for name in sorted(ways, reverse=bool(number % 2)):
            seconds[name].append(timed(ways[name]))
        print(f"round {number + 1}:", {name: round(times[-1], 3) for name, times in seconds.items()}, file=sys.stderr)
    pairs = zip(seconds["pytrec_eval"], seconds["ragaliq"], strict=True)
    return {
        "seconds": {name: [round(time, 3) for time in times] for name, times in seconds.items()},
        "speed_ratio": round(statistics.median(theirs / ours for theirs, ours in pairs), 2),
        "max_difference": difference(values),
    }


def timed(way: Way) -> float:
    """Return the seconds that it takes."""
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


def difference(values: Mapping[str, Evaluation | Values]) -> float:
    """Return the greatest difference of any value of any query."""
    ours, theirs = values["ragaliq"], values["pytrec_eval"]
    assert isinstance(ours, Evaluation) and not isinstance(theirs, Evaluation)
    rows = [theirs[query_id] for query_id in ours.query_ids]
    differences = (
        np.abs(ours.values[name] - np.array([row[key] for row in rows])).max() for name, (_, key) in MEASURES.items()
    )
    return float(max(differences))


if __name__ == "__main__":
    main()
