"""Time exact search over dense vectors: ragaliq, a plain matrix product, and faiss's `IndexFlatIP`; Chroma's recall.

    python studies/retrieval/dense.py --out studies/retrieval/dense.json

The vectors are drawn around 500 centres and have unit length. faiss runs in a process and an environment of its own,
`studies/.venvs/faiss`, which is made if it is missing; `--no-faiss` leaves it out. The ways take turns, so that what
else the machine does falls on each, and the scores that they find are compared. Chroma's index is asked as
`search: approximate` asks it; building it takes minutes, `--no-chroma` leaves it out.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.retrieve import Side
from ragaliq.retrieve.index.approximate import WIDTH, ApproximateChannel
from ragaliq.retrieve.index.exact import ExactIndex
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.retrieve.passages import Passages
from ragaliq.types import Chunk, Query
from record import write
from tools import Tool, python_of

_HERE = Path(__file__).resolve().parent
FAISS = Tool("faiss", "faiss", "", ("faiss-cpu==1.15.1", f"numpy=={version('numpy')}"))
Vectors = NDArray[np.float32]
# Returns the seconds that a search took.
Search = Callable[[], float]


def main() -> int:
    """Measure, print the figures and write them."""
    options = _options()
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(500, options.dimension))
    matrix, queries = (drawn(centres, n, rng) for n in (options.docs, options.queries))
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        ways = searches(matrix, queries, options.k, options.singles)
        if options.no_faiss:
            figures.update(measured(ways, options.rounds, options.queries, options.singles))
        else:
            with faiss_peer(matrix, queries, options.k, Path(folder), options.venvs) as (ask, said):
                peer = {"faiss": lambda: ask("batched"), "faiss, one by one": lambda: ask(f"single {options.singles}")}
                figures.update(measured({**ways, **peer}, options.rounds, options.queries, options.singles))
                figures["faiss"] = said
            compare(np.load(Path(folder) / "scores.npy"), matrix, queries, options.k)
    if not options.no_chroma:
        figures["chroma"] = chroma_recall(matrix, queries)
    print(json.dumps(figures, indent=2))
    if options.out:
        task = {name: getattr(options, name) for name in ("docs", "dimension", "queries", "singles", "k", "rounds")}
        write(options.out, {"task": task, "versions": versions(), **figures})
    return 0


def drawn(centres: NDArray[np.float64], n: int, rng: np.random.Generator) -> Vectors:
    """Return vectors of unit length around centres."""
    rows = centres[rng.integers(0, len(centres), n)] + rng.normal(size=(n, centres.shape[1]))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def searches(matrix: Vectors, queries: Vectors, k: int, singles: int) -> dict[str, Search]:
    """Return our ways of searching, and the plain ones."""
    index = ExactIndex(matrix)

    def timed(search: Callable[[Vectors], object], size: int, n: int) -> Search:
        def run() -> float:
            start = time.perf_counter()
            for place in range(0, n, size):
                search(queries[place : place + size])
            return time.perf_counter() - start

        return run

    def plain(some: Vectors) -> Vectors:
        products = some @ matrix.T
        best = np.argpartition(products, -k, axis=1)[:, -k:]
        return np.sort(np.take_along_axis(products, best, axis=1), axis=1)[:, ::-1]

    return {
        "ragaliq": timed(lambda some: index.search_many(some, k), len(queries), len(queries)),
        "ragaliq, one by one": timed(lambda some: index.search_many(some, k), 1, singles),
        "numpy, batches of 64": timed(plain, 64, len(queries)),
        "numpy, one by one": timed(plain, 1, singles),
    }


@contextmanager
def faiss_peer(
    matrix: Vectors, queries: Vectors, k: int, folder: Path, venvs: Path
) -> Iterator[tuple[Callable[[str], float], Mapping[str, object]]]:
    """Start faiss over the same vectors; yield what asks it for the seconds of a search, and its version."""
    np.save(folder / "matrix.npy", matrix)
    np.save(folder / "queries.npy", queries)
    command = [str(python_of(FAISS, venvs.resolve())), str(_HERE / "faiss_peer.py"), str(folder), str(k)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        said, asked = process.stdout, process.stdin
        if said is None or asked is None:
            raise RuntimeError("the pipes to faiss are missing")

        def ask(line: str) -> float:
            asked.write(line + "\n")
            asked.flush()
            return float(json.loads(said.readline())["s"])

        yield ask, json.loads(said.readline())
        asked.close()


def measured(ways: Mapping[str, Search], rounds: int, n: int, singles: int) -> dict[str, object]:
    """Return the median of the milliseconds per query of each way, one round for warming left out."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        order = list(ways)[number % len(ways) :] + list(ways)[: number % len(ways)]
        for name in order:
            seconds = ways[name]()
            if number:
                taken[name].append(1000 * seconds / (singles if "one by one" in name else n))
    medians = {name: round(statistics.median(times), 3) for name, times in taken.items()}
    figures: dict[str, object] = {"ms_per_query": medians, "ms_per_query_rounds": _rounded(taken)}
    if "faiss" in medians:
        figures["times_as_fast_as_faiss"] = {
            name: round(medians[f"faiss{way}"] / medians[f"ragaliq{way}"], 2)
            for name, way in (("batched", ""), ("one by one", ", one by one"))
        }
    return figures


def compare(scores: Vectors, matrix: Vectors, queries: Vectors, k: int) -> None:
    """Fail if faiss found other scores."""
    found = np.stack([own.scores for own in ExactIndex(matrix).search_many(queries, k)])
    np.testing.assert_allclose(found, scores, atol=2e-6)


def chroma_recall(matrix: Vectors, queries: Vectors) -> dict[str, object]:
    """Return the seconds of building Chroma's index, and what share of the exact best it finds."""
    names = [f"d{number}" for number in range(len(matrix))]
    passages = Passages("en", [Chunk(name, "en", name, name, 0, len(name)) for name in names])
    asked = [Query(f"q{number}", "en", f"q{number}") for number in range(min(len(queries), 100))]
    start = time.perf_counter()
    channel = ApproximateChannel(passages, Table(matrix, queries), VectorStore())
    built = time.perf_counter()
    channel.prepare(asked)
    recalls: dict[str, object] = {}
    for k in (10, 100):
        shares = channel.recalls(k)
        recalls[f"recall@{k}"] = round(sum(shares) / len(shares), 4)
    begun = time.perf_counter()
    channel.search(asked, 100)
    taken = (time.perf_counter() - begun) / len(asked)
    return {"asked_for": WIDTH, "build_s": round(built - start, 1), "ms_per_query": round(1000 * taken, 2), **recalls}


class Table:
    """An embedder whose texts are numbers of rows."""

    def __init__(self, matrix: Vectors, queries: Vectors) -> None:
        self._rows = {Side.PASSAGE: matrix, Side.QUERY: queries}

    def __str__(self) -> str:
        """Name the vectors; they are kept in memory alone."""
        return "drawn"

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        """Return the rows that texts such as `d7` number."""
        return self._rows[side][[int(text[1:]) for text in texts]]


def versions() -> dict[str, str]:
    """Return the versions that decide the figures; without numba a query that comes alone is slower."""
    return {name: version(name) if find_spec(name) else "none" for name in ("numpy", "numba", "chromadb")}


def _rounded(taken: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    return {name: [round(value, 3) for value in values] for name, values in taken.items()}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--docs", type=int, default=100_000)
    add("--dimension", type=int, default=384)
    add("--queries", type=int, default=1000)
    add("--singles", type=int, default=100, help="queries that are searched for one at a time (100)")
    add("--k", type=int, default=100)
    add("--rounds", type=int, default=5)
    add("--no-faiss", action="store_true")
    add("--no-chroma", action="store_true")
    add("--venvs", type=Path, default=_HERE.parent / ".venvs", help="folder of the peers' environments")
    add("--out", type=Path, help="write the figures to this JSON file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
