"""Time exact search over learned sparse vectors: the score matrix of the sparse-retrieval skill, and ragaliq's index.

The corpus is drawn: documents of some 100 terms out of 30522, skewed as the terms of SPLADE vectors are. All ways get
the queries as dictionaries and give lists of pairs, for batches of 64. They take turns, so that what else the machine
does falls on each, and what they find is compared: the scores bit for bit, the documents with ties broken by number.

    python studies/retrieval/sparse.py --out studies/retrieval/sparse.json
"""

from __future__ import annotations

import argparse
import ctypes
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.retrieve.index.inverted import InvertedIndex
from ragaliq.retrieve.sparse.vectors import compute_idf, weighted_query
from record import write

VOCABULARY = 30522
Vector = dict[int, float]
Found = list[list[tuple[int, float]]]
Search = Callable[[Sequence[Vector]], Found]


def main() -> None:
    """Measure, print the figures and write them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--docs", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=128)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    corpus, asked = drawn(args.docs, 98, rng), vectors(drawn(args.queries, 25, rng))
    idf = compute_idf(corpus)
    ways, build = searches(corpus, idf, args.k)
    tell(f"{args.docs} documents, {corpus.nnz} weights; indexed in {build:.1f} s")
    figures = {
        "documents": args.docs, "queries": args.queries, "batch": args.batch, "k": args.k,
        "weights_per_document": round(corpus.nnz / args.docs, 1),
        "weights_per_query": round(sum(map(len, asked)) / len(asked), 1),
        "postings_per_query": round(postings(corpus, asked) / len(asked)),
        "index_seconds": round(build, 2), "versions": versions(),
        **measured(ways, asked, args.batch, args.rounds),
        "identical": same(ways, asked[: args.batch], corpus, idf, args.k),
        "extra_megabytes": {name: extra_memory(search, asked[: args.batch]) for name, search in ways.items()},
    }  # fmt: skip
    print(figures)
    if args.out:
        write(args.out, figures)


def drawn(rows: int, mean: int, rng: np.random.Generator, part: int = 50_000) -> csr_matrix:
    """Return rows of about `mean` different terms each; the r-th term is drawn with a weight of 1 / (r + 50)."""
    odds = 1 / (np.arange(VOCABULARY) + 50.0)
    repeats = np.maximum(1, np.round(odds / odds.sum() * 2**22)).astype(np.int64)
    table = np.repeat(np.arange(VOCABULARY, dtype=np.int32), repeats)
    terms, counts = [], []
    width = round(mean * 1.25)
    for start in range(0, rows, part):
        size = min(part, rows - start)
        own = np.sort(table[rng.integers(0, len(table), (size, width), dtype=np.int32)], axis=1)
        kept = rng.random((size, width), dtype=np.float32) < 0.85
        kept[:, 1:] &= own[:, 1:] != own[:, :-1]
        terms.append(own[kept])
        counts.append(kept.sum(axis=1))
    starts = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    # Two decimals, as quantised weights have: so that there are ties.
    weights = rng.integers(1, 300, int(starts[-1]), dtype=np.int32).astype(np.float32) / np.float32(100)
    return csr_matrix((weights, np.concatenate(terms), starts), shape=(rows, VOCABULARY))


def vectors(matrix: csr_matrix) -> list[Vector]:
    """Return the rows as dictionaries."""
    return [
        dict(zip(matrix.indices[start:end].tolist(), matrix.data[start:end].tolist(), strict=True))
        for start, end in zip(matrix.indptr, matrix.indptr[1:], strict=False)
    ]


def searches(corpus: csr_matrix, idf: NDArray[np.float32], k: int) -> tuple[dict[str, Search], float]:
    """Return the ways to search, and the seconds that it took to build the index."""
    turned = corpus.T.tocsr()
    start = time.perf_counter()
    index = InvertedIndex.from_csr(corpus, compiled=False)
    build = time.perf_counter() - start
    compiled = InvertedIndex(index.starts, index.docs, index.weights, index.n_docs, compiled=True)
    compiled.search_many([(np.zeros(1, np.int64), np.ones(1, np.float32))], 1)
    return {
        "skill": lambda queries: by_matrix(queries, lambda: corpus.T, idf, k),
        "skill_turned_once": lambda queries: by_matrix(queries, lambda: turned, idf, k),
        "numpy": lambda queries: by_index(queries, index, idf, k),
        "numba": lambda queries: by_index(queries, compiled, idf, k),
    }, build


def by_index(queries: Sequence[Vector], index: InvertedIndex, idf: NDArray[np.float32], k: int) -> Found:
    """Search the inverted index, queries in a batch."""
    best = index.search_many([weighted_query(query, idf) for query in queries], k)
    return [list(zip(one.docs.tolist(), one.scores.tolist(), strict=True)) for one in best]


def by_matrix(queries: Sequence[Vector], turned: Callable[[], Any], idf: NDArray[np.float32], k: int) -> Found:
    """Search by the product of two sparse matrices, made dense, and a partition of each row."""
    scores = weighted(queries, idf).dot(turned()).toarray()
    found = []
    for row in scores:
        best = np.argpartition(row, -k)[-k:] if k < len(row) else np.arange(len(row))
        best = best[np.argsort(-row[best])]
        found.append([(int(doc), float(row[doc])) for doc in best if row[doc] > 0])
    return found


def weighted(queries: Sequence[Vector], idf: NDArray[np.float32]) -> csr_matrix:
    """Return the queries times IDF as a matrix."""
    rows = [weighted_query(query, idf) for query in queries]
    ends = np.cumsum([0, *(len(terms) for terms, _ in rows)])
    terms, weights = (np.concatenate(part) for part in zip(*rows, strict=True))
    return csr_matrix((weights, terms, ends), shape=(len(rows), VOCABULARY))


def postings(corpus: csr_matrix, queries: Sequence[Vector]) -> int:
    """Return how many weights of the corpus belong to a term of a query, over all queries."""
    held = np.bincount(corpus.indices, minlength=VOCABULARY)
    return int(sum(held[list(query)].sum() for query in queries))


def measured(ways: dict[str, Search], queries: Sequence[Vector], batch: int, rounds: int) -> dict[str, object]:
    """Return milliseconds a query of each way and round, and how many times as fast as the matrix our ways are."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds):
        turn = number % len(ways)
        # Each round begins with another one.
        for name in [*list(ways)[turn:], *list(ways)[:turn]]:
            start = time.perf_counter()
            for first in range(0, len(queries), batch):
                ways[name](queries[first : first + batch])
            times[name].append(1e3 * (time.perf_counter() - start) / len(queries))
        tell(f"round {number + 1}: { ({name: round(own[-1], 2) for name, own in times.items()}) } ms a query")
    return {
        "milliseconds_per_query": {name: [round(value, 3) for value in own] for name, own in times.items()},
        "speed_ratio": {
            f"{ours} to {rival}": round(statistics.median(map(float.__truediv__, times[rival], times[ours])), 1)
            for rival in ("skill", "skill_turned_once")
            for ours in ("numpy", "numba")
        },
    }


def same(
    ways: dict[str, Search], queries: Sequence[Vector], corpus: csr_matrix, idf: NDArray[np.float32], k: int
) -> bool:
    """Tell whether all ways find the same: documents and scores, ties at the cut apart, and ours those too."""
    scores = weighted(queries, idf).dot(corpus.T).toarray()
    orders = (np.lexsort((np.arange(len(row)), row))[::-1][:k] for row in scores)
    exact = [
        [(int(doc), float(row[doc])) for doc in order if row[doc] > 0]
        for row, order in zip(scores, orders, strict=True)
    ]
    found = {name: search(queries) for name, search in ways.items()}
    ours = all(found[name] == exact for name in ("numpy", "numba"))
    # The partition takes any of the documents that tie at the cut.
    return ours and all(
        sorted(pair for pair in own if pair[1] > best[-1][1]) == sorted(pair for pair in best if pair[1] > best[-1][1])
        and [score for _, score in own] == [score for _, score in best]
        for name in ("skill", "skill_turned_once")
        for own, best in zip(found[name], exact, strict=True)
        if best
    )


def extra_memory(search: Search, queries: Sequence[Vector]) -> float:
    """Return by how many megabytes a batch raises the peak of a process that holds everything else."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=partial(send_extra, search, queries, sender))
    child.start()
    extra: float = receiver.recv()
    child.join()
    return extra


def send_extra(search: Search, queries: Sequence[Vector], sender: Any) -> None:
    """Search once in this process, and send its peak above where it began."""
    # What was freed before and not given back would be used again, and not be seen.
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    before = status("VmRSS")
    # 5 sets the peak to what is in use now.
    Path("/proc/self/clear_refs").write_text("5")
    found = search(queries)
    sender.send(round((status("VmHWM") - before) / 1000, 1))
    del found


def status(key: str) -> float:
    """Return a number of kB that Linux tells of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1.024 * int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))


def versions() -> dict[str, str]:
    """Return the versions that matter."""
    import numba
    import scipy

    return {"numpy": np.__version__, "scipy": scipy.__version__, "numba": numba.__version__}


def tell(line: str) -> None:
    """Say how far it is."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
