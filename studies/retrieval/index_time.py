"""Time indexing and asking by corpus size: the default hybrid, the one with latent vectors, words and characters.

    python studies/retrieval/index_time.py --out studies/retrieval/index_time.json

Chunks are made of six sentences of drawn words (Zipf's law over the sample's English words), so that no sentence comes
twice. Times are processor seconds; the systems take turns within a round.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.benchmark.collections import load_collections
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.embed.use_multilingual import UseMultilingualEmbedder
from ragaliq.retrieve.hybrid import HybridRetriever
from ragaliq.text.sentence_encoder import encode
from ragaliq.text.terms import words
from ragaliq.types import Chunk, Query
from record import write

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "velmora"
SIZES, QUERIES, SENTENCES, WORDS = (1_000, 10_000, 100_000), 10, 6, 14
SYSTEMS: dict[str, Callable[[], HybridRetriever]] = {
    "default": lambda: HybridRetriever(UseMultilingualEmbedder()),
    "latent vectors": lambda: HybridRetriever(CharNgramEmbedder()),
    "words and characters": lambda: HybridRetriever(CharNgramEmbedder(), channels=["words", "chars"]),
}


def main() -> int:
    """Time all sizes, print, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    encode(["load the model"])
    vocabulary = sorted({word for chunk in load_collections(SAMPLE)["en"].chunks() for word in words(chunk.text)})
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for size in SIZES:
        rounds: dict[str, list[tuple[float, float]]] = {name: [] for name in SYSTEMS}
        for number in range(options.rounds):
            chunks, queries = drawn(vocabulary, size, number)
            for name, make in SYSTEMS.items():
                rounds[name].append(timed(make(), chunks, queries))
        figures[str(size)] = {
            name: {
                "index_s": round(median(index for index, _ in times), 2),
                "query_s": round(median(query for _, query in times), 3),
            }
            for name, times in rounds.items()
        }
        print(size, figures[str(size)], flush=True)
    if options.out:
        write(options.out, {"rounds": options.rounds, "queries": QUERIES, "processor seconds": figures})
        print(f"figures: {options.out}")
    return 0


def drawn(vocabulary: Sequence[str], size: int, seed: int) -> tuple[list[Chunk], list[Query]]:
    """Return chunks and queries of drawn words."""
    draws = np.random.default_rng(seed)
    rates = 1 / np.arange(1, len(vocabulary) + 1)
    order = draws.permutation(len(vocabulary))

    def sentence(length: int) -> str:
        return " ".join(vocabulary[order[n]] for n in draws.choice(len(order), length, p=rates / rates.sum()))

    texts = [" ".join(f"{sentence(WORDS).capitalize()}." for _ in range(SENTENCES)) for _ in range(size)]
    chunks = [Chunk(f"d{number:06}", "en", text, "s", 0, len(text)) for number, text in enumerate(texts)]
    return chunks, [Query(f"q{number}", "en", sentence(10)) for number in range(QUERIES)]


def timed(retriever: HybridRetriever, chunks: Sequence[Chunk], queries: Sequence[Query]) -> tuple[float, float]:
    """Return the seconds of indexing, and of a query that comes alone."""
    start = time.process_time()
    retriever.index(chunks)
    indexed = time.process_time()
    for query in queries:
        retriever.retrieve(query, 10)
    return indexed - start, (time.process_time() - indexed) / len(queries)


if __name__ == "__main__":
    sys.exit(main())
