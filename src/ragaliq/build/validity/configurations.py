"""The retrieval configurations that built and human questions are to rank alike: a fixed list, none with a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.retrieval.ranking import evaluate_run
from ragaliq.retrieve import Channel, TopDocs
from ragaliq.retrieve.bm25 import CHAR_B, CHAR_K1, K1, Analysis, B
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.fusion import Fusion, fuse
from ragaliq.retrieve.index.vectors import VectorChannel
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.ranking import DIGITS
from ragaliq.types import Chunk, Qrels, Query

MEASURES = ("nDCG@10", "RR")
# How many documents each configuration returns, and the deepest that a hybrid reads its channels.
DEPTH = 100
_SHALLOW = 10

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Configuration:
    """A way to retrieve: one channel, or several read to a depth and fused.

    Attributes:
        family: `words`, `chars`, `vectors` or `hybrid`.
        channels: names of the channels.
        fusion: how several channels become one.
        depth: how many of each channel's best are fused.
    """

    family: str
    channels: tuple[str, ...]
    fusion: Fusion = Fusion.NORMALISED_SUM
    depth: int = DEPTH

    @property
    def name(self) -> str:
        """Its name in reports."""
        fused = f", {self.fusion}, depth {self.depth}" if len(self.channels) > 1 else ""
        return f"{self.family}: {' + '.join(self.channels)}{fused}"


def _words(k1: float, b: float, stemmer: bool, passages: Passages) -> Channel:
    return passages.bm25(Analysis(stemmer=stemmer), k1, b)


def _chars(k1: float, b: float, passages: Passages) -> Channel:
    return passages.bm25(Analysis(chars=True), k1, b)


def _vectors(dimension: int, passages: Passages) -> Channel:
    return VectorChannel(passages, CharNgramEmbedder(dimension), None)


_STEMMED = ((K1, B), (0.5, 0.3), (1.2, 0.75), (2.0, 0.75), (1.2, 0.0), (1.2, 1.0))
_UNSTEMMED = ((K1, B), (0.5, 0.3), (1.2, 0.75))
_CHARS = ((CHAR_K1, CHAR_B), (K1, B), (2.0, 0.75), (1.2, 0.0))
_DIMENSIONS = (192, 48)
# The channels of hybrids: the first of each family. The list is fixed, so that certificates stay comparable; the
# sentence encoder is none of its channels.
_PARTS = (f"bm25({K1:g}, {B:g})", f"n-grams({CHAR_K1:g}, {CHAR_B:g})", "char-ngrams-192")
_SUBSETS = ((0, 1), (0, 2), (1, 2), (0, 1, 2))

_CHANNELS: dict[str, tuple[str, Callable[[Passages], Channel]]] = {
    **{f"bm25({k1:g}, {b:g})": ("words", partial(_words, k1, b, True)) for k1, b in _STEMMED},
    **{f"bm25({k1:g}, {b:g}) unstemmed": ("words", partial(_words, k1, b, False)) for k1, b in _UNSTEMMED},
    **{f"n-grams({k1:g}, {b:g})": ("chars", partial(_chars, k1, b)) for k1, b in _CHARS},
    **{f"char-ngrams-{dimension}": ("vectors", partial(_vectors, dimension)) for dimension in _DIMENSIONS},
}

CONFIGURATIONS: tuple[Configuration, ...] = (
    *(Configuration(family, (name,)) for name, (family, _) in _CHANNELS.items()),
    *(
        Configuration("hybrid", tuple(_PARTS[place] for place in subset), fusion, depth)
        for subset in _SUBSETS
        for fusion in Fusion
        for depth in (DEPTH, _SHALLOW)
    ),
)


class ConfigurationScores:
    """Scores queries on one corpus under every configuration; each channel is built once."""

    def __init__(self, lang: str, chunks: Sequence[Chunk]) -> None:
        passages = Passages(lang, chunks)
        self._doc_ids = passages.doc_ids
        self._channels = {name: build(passages) for name, (_, build) in _CHANNELS.items()}

    def scores(self, queries: Sequence[Query], qrels: Qrels) -> dict[str, Array]:
        """Return measure → values, a row for each configuration and a column for each query, in their orders.

        Every relevance above 0 counts as 1, so that questions with nuggets and without are on one scale.
        """
        binary = {query.query_id: {doc_id: 1 for doc_id, rel in qrels[query.query_id].items() if rel > 0}
                  for query in queries}  # fmt: skip
        rows: dict[str, list[Array]] = {measure: [] for measure in MEASURES}
        for run in self.runs(queries).values():
            evaluation = evaluate_run(run, binary, MEASURES)
            places = {query_id: place for place, query_id in enumerate(evaluation.query_ids)}
            order = [places[query.query_id] for query in queries]
            for measure in MEASURES:
                rows[measure].append(np.asarray(evaluation.values[measure], dtype=np.float64)[order])
        return {measure: np.array(values) for measure, values in rows.items()}

    def runs(self, queries: Sequence[Query]) -> dict[str, dict[str, dict[str, float]]]:
        """Return the run of each configuration by its name, in the order of the list."""
        lists = {name: channel.search(queries, DEPTH) for name, channel in self._channels.items()}
        return {one.name: self._run(one, queries, lists) for one in CONFIGURATIONS}

    def _run(
        self, configuration: Configuration, queries: Sequence[Query], lists: Mapping[str, Sequence[TopDocs]]
    ) -> dict[str, dict[str, float]]:
        run = {}
        for place, query in enumerate(queries):
            best = [_cut(lists[name][place], configuration.depth) for name in configuration.channels]
            hits = best[0] if len(best) == 1 else fuse(best, DEPTH, configuration.fusion)
            run[query.query_id] = {
                self._doc_ids[number]: round(score, DIGITS)
                for number, score in zip(hits.docs.tolist(), hits.scores.tolist(), strict=True)
            }
        return run


def _cut(best: TopDocs, depth: int) -> TopDocs:
    return TopDocs(best.docs[:depth], best.scores[:depth])
