"""Postings of a corpus larger than memory: the counts of its blocks, turned over into mapped files term by term.

Two passes over the blocks: the first counts how many passages hold each term, which says where each term's postings
begin; the second writes each block's postings there. A block's passages have greater numbers than those before, so the
postings of a term ascend. What is written are the weights of `bm25_index`, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve.bm25 import bm25_discount
from ragaliq.retrieve.counts import Analyzer, count_terms, count_words, idf
from ragaliq.retrieve.index.inverted import InvertedIndex
from ragaliq.retrieve.stored.blocks import Arrays, IndexBlocks
from ragaliq.retrieve.stored.strings import StoredStrings, write_array, write_strings


@dataclass(frozen=True, slots=True)
class Bm25Settings:
    """What decides the postings of a channel.

    Attributes:
        analyze: from a word to its terms.
        name: of the analyzer, with all its settings.
        k1: BM25's.
        b: BM25's.
    """

    analyze: Analyzer
    name: str
    k1: float
    b: float


class StoredTerms:
    """The numbers of terms, in the order in which the corpus first holds them, by their names."""

    def __init__(self, folder: Path) -> None:
        self._terms = StoredStrings(folder, "terms")
        self._numbers = np.load(folder / "numbers.npy", mmap_mode="r", allow_pickle=False)

    def get(self, term: str) -> int | None:
        """Return a term's number; None for one that no passage holds."""
        place = self._terms.place(term)
        return None if place is None else int(self._numbers[place])


def write_postings(
    folder: Path, texts: Sequence[str], settings: Bm25Settings, drafts: Path, took: Callable[[int], object]
) -> None:
    """Write the postings of a corpus into a folder.

    Args:
        folder: of the channel.
        texts: of the passages, in their order, read block by block.
        settings: of the channel.
        drafts: folder of the blocks, which stays until the whole index is there.
        took: is called with the number of passages of each block that is counted.
    """
    blocks = IndexBlocks(drafts, f"postings 1 {settings.name}")
    numbers: dict[str, int] = {}
    lengths: list[NDArray[np.float64]] = []
    frequency = np.zeros(0, dtype=np.int64)

    def counted(block: Sequence[str]) -> Arrays:
        return _count(block, settings.analyze, numbers)

    for block in blocks.each(texts, counted, took):
        for term in _split(block["terms"]):
            numbers.setdefault(term, len(numbers))
        frequency = np.pad(frequency, (0, len(numbers) - len(frequency)))
        frequency += np.bincount(block["numbers"], minlength=len(numbers))
        lengths.append(block["lengths"])
    folder.mkdir(parents=True, exist_ok=True)
    ascending = sorted(numbers)
    write_strings(folder, "terms", ascending)
    write_array(folder / "numbers.npy", np.array([numbers[term] for term in ascending], dtype=np.int32))
    numbers.clear()
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(frequency)])
    write_array(folder / "postings.npy", starts)
    all_lengths = np.concatenate(lengths)
    weights = idf(len(all_lengths), frequency).astype(np.float32)
    discount = bm25_discount(all_lengths, settings.k1, settings.b)
    _turn_over(folder, blocks.each(texts, counted, lambda _: None), starts, weights, discount)


def open_postings(folder: Path, n_docs: int) -> tuple[InvertedIndex, StoredTerms]:
    """Return the index of a channel and the numbers of its terms."""
    starts = np.load(folder / "postings.npy", mmap_mode="r", allow_pickle=False)
    n = int(starts[-1])
    docs = np.memmap(folder / "docs.bin", dtype=np.int32, mode="r")[:n]
    weights = np.memmap(folder / "weights.bin", dtype=np.float32, mode="r")[:n]
    return InvertedIndex(starts, docs, weights, n_docs, checked=True), StoredTerms(folder)


def _count(block: Sequence[str], analyze: Analyzer, numbers: dict[str, int]) -> Arrays:
    """Return the counts of a block's terms by passage, in the numbers of all terms; `terms` are those that are new."""
    counts = count_terms(count_words(block), analyze)
    new = [term for term in counts.numbers if term not in numbers]
    places = {term: len(numbers) + n for n, term in enumerate(new)}
    global_numbers = np.array([places.get(term, numbers.get(term, -1)) for term in counts.numbers], dtype=np.int32)
    matrix: Any = counts.matrix
    return {
        "terms": np.frombuffer("\n".join(new).encode("utf-8", "surrogatepass"), dtype=np.uint8),
        "numbers": global_numbers[matrix.indices] if len(matrix.indices) else np.zeros(0, np.int32),
        "counts": matrix.data,
        "ends": matrix.indptr.astype(np.int64),
        "lengths": np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel(),
    }


def _split(data: NDArray[Any]) -> Iterator[str]:
    text = data.tobytes().decode("utf-8", "surrogatepass")
    return iter(text.split("\n") if text else ())


def _turn_over(folder: Path, blocks: Iterator[Arrays], starts: NDArray[np.int64], weights: Any, discount: Any) -> None:
    """Write documents and weights of all postings, term by term."""
    n = int(starts[-1])
    out = {
        name: np.memmap(folder / f".{name}.draft", dtype=kind, mode="w+", shape=(max(n, 1),))
        for name, kind in (("docs", np.int32), ("weights", np.float32))
    }
    cursor = starts[:-1].copy()
    first = 0
    for block in blocks:
        sizes = np.diff(block["ends"])
        docs = np.repeat(np.arange(first, first + len(sizes), dtype=np.int32), sizes)
        # Stable: the documents of a term stay in their order.
        order = np.argsort(block["numbers"], kind="stable")
        terms, docs = block["numbers"][order], docs[order]
        tf = block["counts"][order].astype(np.float32)
        tf /= tf + discount[docs]
        tf *= weights[terms]
        different, begins, counts = np.unique(terms, return_index=True, return_counts=True)
        places = np.arange(len(terms)) - np.repeat(begins, counts) + np.repeat(cursor[different], counts)
        out["docs"][places] = docs
        out["weights"][places] = tf
        cursor[different] += counts
        first += len(sizes)
    for name, array in out.items():
        array.flush()
        (folder / f".{name}.draft").replace(folder / f"{name}.bin")
