"""Time BM25, from texts to rankings: ragaliq beside bm25s, with the same terms and the same values of k1 and b.

    python studies/retrieval/bm25.py --out studies/retrieval/bm25.json

The corpus is drawn: 100 words a text out of 200,000, as often as Zipf's law says; queries have 6 words, drawn alike.
bm25s gets the terms in two ways: from ragaliq's analyzer, and from its own tokenizer with the same stemmer, which gives
the same terms for these texts. It searches through numba where that is installed. The ways take turns, so that what
else the machine does falls on each, and the scores that they find are compared.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import bm25s
import numpy as np
import Stemmer
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.formats.reading.collection import document
from ragaliq.retrieve.bm25 import K1, B
from ragaliq.retrieve.hybrid import Bm25Retriever
from ragaliq.text.terms import terms
from ragaliq.types import Query
from record import write

WORDS = 200_000
OURS, TERMS, OWN = "ragaliq", "bm25s, our analyzer", "bm25s, its tokenizer"
Scores = NDArray[np.float64]


def main() -> int:
    """Measure, print the figures and write them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--docs", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=100, help="words of a text (100)")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    words = vocabulary(rng)
    texts, asked = (drawn(words, options.docs, options.words, rng), drawn(words, options.queries, 6, rng))
    warm()
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in (OURS, TERMS, OWN)}
    for number in range(options.rounds):
        order = list(WAYS)[number % len(WAYS) :] + list(WAYS)[: number % len(WAYS)]
        found: dict[str, Scores] = {}
        for name in order:
            taken, found[name] = WAYS[name](texts, asked, options.k)
            rows[name].append(taken)
            print(f"round {number + 1} {name}: {taken}", file=sys.stderr)
        for name in (TERMS, OWN):
            np.testing.assert_allclose(found[name], found[OURS], atol=1e-4)
    figures = summary(rows)
    print(figures)
    if options.out:
        task = {name: getattr(options, name) for name in ("docs", "words", "queries", "k", "rounds")}
        write(options.out, {"task": task, "versions": versions(), **figures, "rows": rows})
    return 0


def vocabulary(rng: np.random.Generator) -> list[str]:
    """Return different words of 3 to 9 letters."""
    found: dict[str, None] = {}
    while len(found) < WORDS:
        letters = rng.integers(97, 123, size=int(rng.integers(3, 10)), dtype=np.uint8)
        found[letters.tobytes().decode("ascii")] = None
    return list(found)


def drawn(words: Sequence[str], n: int, length: int, rng: np.random.Generator) -> list[str]:
    """Return texts of words that stand as often as Zipf's law says."""
    shares = np.cumsum(1 / np.arange(1, len(words) + 1))
    chosen = np.searchsorted(shares, rng.random(n * length) * shares[-1]).tolist()
    return [" ".join(words[i] for i in chosen[start : start + length]) for start in range(0, n * length, length)]


def warm() -> None:
    """Have everything imported and compiled."""
    texts = ["red boat", "green train"]
    for search in WAYS.values():
        search(texts, ["boat"], 1)


def ours(texts: Sequence[str], asked: Sequence[str], k: int) -> tuple[dict[str, float], Scores]:
    """Index and search with ragaliq."""
    chunks = [document(f"d{number}", "en", text) for number, text in enumerate(texts)]
    queries = [Query(f"q{number}", "en", text) for number, text in enumerate(asked)]
    start = time.perf_counter()
    retriever = Bm25Retriever()
    retriever.index(chunks)
    indexed = time.perf_counter()
    found = retriever.retrieve_batch(queries, k)
    ended = time.perf_counter()
    scores = np.zeros((len(found), k))
    for row, hits in zip(scores, found, strict=True):
        row[: len(hits)] = [hit.score for hit in hits]
    return taken(start, indexed, ended), scores


def with_our_terms(texts: Sequence[str], asked: Sequence[str], k: int) -> tuple[dict[str, float], Scores]:
    """Index and search with bm25s, terms by ragaliq's analyzer."""
    start = time.perf_counter()
    index = bm25s.BM25(method="lucene", k1=K1, b=B, backend="auto")
    index.index([terms(text, "en") for text in texts], show_progress=False)
    indexed = time.perf_counter()
    _, scores = index.retrieve([terms(text, "en") for text in asked], k=k, show_progress=False)
    return taken(start, indexed, time.perf_counter()), np.asarray(scores, dtype=np.float64)


def with_own_tokenizer(texts: Sequence[str], asked: Sequence[str], k: int) -> tuple[dict[str, float], Scores]:
    """Index and search with bm25s, terms by its own tokenizer."""
    start = time.perf_counter()
    tokenize = bm25s.tokenization.Tokenizer(splitter=r"\w+", stopwords=None, stemmer=Stemmer.Stemmer("english"))
    index = bm25s.BM25(method="lucene", k1=K1, b=B, backend="auto")
    index.index(tokenize.tokenize(texts, return_as="tuple", show_progress=False), show_progress=False)
    indexed = time.perf_counter()
    queries = tokenize.tokenize(asked, return_as="tuple", update_vocab=False, show_progress=False)
    _, scores = index.retrieve(queries, k=k, show_progress=False)
    return taken(start, indexed, time.perf_counter()), np.asarray(scores, dtype=np.float64)


WAYS: Mapping[str, Callable[[Sequence[str], Sequence[str], int], tuple[dict[str, float], Scores]]] = {
    OURS: ours,
    TERMS: with_our_terms,
    OWN: with_own_tokenizer,
}


def taken(start: float, indexed: float, ended: float) -> dict[str, float]:
    """Return the seconds of indexing, of searching and of both."""
    return {"index_s": round(indexed - start, 3), "search_s": round(ended - indexed, 3), "s": round(ended - start, 3)}


def summary(rows: Mapping[str, Sequence[Mapping[str, float]]]) -> dict[str, object]:
    """Return the medians of each way, and how many times as fast as the faster way of bm25s ragaliq is."""
    medians = {
        name: {part: round(statistics.median(row[part] for row in own), 3) for part in ("index_s", "search_s", "s")}
        for name, own in rows.items()
    }
    ratios = {
        part: round(min(medians[TERMS][part], medians[OWN][part]) / medians[OURS][part], 2) for part in medians[OURS]
    }
    return {"ways": medians, "times_as_fast": ratios}


def versions() -> dict[str, str]:
    """Return the versions that decide the figures."""
    found = {}
    for name in ("bm25s", "numba", "numpy", "scipy", "PyStemmer"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


if __name__ == "__main__":
    sys.exit(main())
