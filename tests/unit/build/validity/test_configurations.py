"""The fixed list of configurations, and their scores: those of the retrievers that users have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from ragaliq.build.validity.configurations import CONFIGURATIONS, ConfigurationScores
from ragaliq.metrics.retrieval.ranking import evaluate_run
from ragaliq.retrieve.channels import ChannelRetriever
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.hybrid import Bm25Retriever, CharRetriever, DenseRetriever, HybridRetriever
from ragaliq.types import Chunk, Query
from small import CHUNKS

CORPUS = [Chunk(doc_id, "en", texts[0], doc_id, 0, len(texts[0])) for doc_id, texts in CHUNKS.items()]
QUERIES = [
    Query("q2", "en", "at what hour does the gate open"),
    Query("q1", "en", "how much is renting boats"),
    Query("q3", "en", "nothing of this kind"),
]
QRELS = {"q1": {"lake-01": 2, "stay-01": 0}, "q2": {"stay-01": 1, "stay-04": 1}, "q3": {"stay-02": 1}}


def test_there_are_more_than_twenty_of_each_kind() -> None:
    assert len({one.name for one in CONFIGURATIONS}) == len(CONFIGURATIONS) == 31
    assert Counter(one.family for one in CONFIGURATIONS) == {"words": 9, "chars": 4, "vectors": 2, "hybrid": 16}
    assert {(one.fusion, one.depth) for one in CONFIGURATIONS if one.family == "hybrid"} == {
        ("normalised-sum", 100), ("normalised-sum", 10), ("rrf", 100), ("rrf", 10),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "retriever"),
    [
        ("words: bm25(1.2, 0.75) unstemmed", Bm25Retriever(1.2, 0.75, stemmer=False)),
        ("chars: n-grams(2, 0.75)", CharRetriever(2.0, 0.75)),
        ("vectors: char-ngrams-48", DenseRetriever(CharNgramEmbedder(48))),
        ("hybrid: bm25(0.9, 0.4) + n-grams(1.2, 0.75) + char-ngrams-192, normalised-sum, depth 100",
         HybridRetriever(CharNgramEmbedder())),
        ("hybrid: n-grams(1.2, 0.75) + char-ngrams-192, rrf, depth 100",
         HybridRetriever(CharNgramEmbedder(), channels=["chars", "vectors"], fusion="rrf")),
    ],
)  # fmt: skip
def test_a_configuration_scores_as_its_retriever(name: str, retriever: ChannelRetriever) -> None:
    place = [one.name for one in CONFIGURATIONS].index(name)
    scores = ConfigurationScores("en", CORPUS).scores(QUERIES, QRELS)
    retriever.index(CORPUS)
    assert scores["RR"][place].tolist() == _values(retriever, "RR")
    assert scores["nDCG@10"][place] == pytest.approx(_values(retriever, "nDCG@10"))


def test_a_document_is_relevant_or_not() -> None:
    scorer = ConfigurationScores("en", CORPUS)
    graded = scorer.scores(QUERIES, {**QRELS, "q2": {"stay-01": 1, "stay-04": 3}})
    assert np.array_equal(graded["nDCG@10"], scorer.scores(QUERIES, QRELS)["nDCG@10"])


def _values(retriever: ChannelRetriever, measure: str) -> Sequence[float]:
    hits = retriever.retrieve_batch(QUERIES, 100)
    run = {query.query_id: {hit.chunk.doc_id: hit.score for hit in own}
           for query, own in zip(QUERIES, hits, strict=True)}  # fmt: skip
    binary = {query_id: {doc_id: int(rel > 0) for doc_id, rel in judged.items()} for query_id, judged in QRELS.items()}
    evaluation = evaluate_run(run, binary, [measure])
    values = dict(zip(evaluation.query_ids, map(float, evaluation.values[measure]), strict=True))
    return [values[query.query_id] for query in QUERIES]
