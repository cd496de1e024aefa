from __future__ import annotations

from collections import Counter

import numpy as np

from fakes import sparse_rows
from ragaliq.metrics.retrieval.retrieval_scores import evaluate_retrieval
from ragaliq.retrieve.index.inverted import InvertedIndex
from ragaliq.retrieve.sparse.idf import IdfWeighting, idf_weighting, missing_idf
from ragaliq.retrieve.sparse.vectors import Idf, compute_idf, weighted_query

# The commonest words of four languages; how often a text has one says nothing of what it is about.
COMMON = ["the", "of", "der", "und", "и", "в", "的", "是"]
N_DOCS = 200
VOCABULARY = {word: number for number, word in enumerate([*COMMON, *(f"thema{number}" for number in range(N_DOCS))])}


def word_counts() -> tuple[list[dict[int, float]], dict[str, dict[int, float]]]:
    """Texts as raw counts, each about a theme of its own, and a question on each theme."""
    rng = np.random.default_rng(0)
    texts = [
        Counter({f"thema{number}": 1, **{word: int(rng.integers(0, 12)) for word in COMMON}})
        for number in range(N_DOCS)
    ]
    questions = {f"q{number}": {"the": 1, "und": 1, "и": 1, "的": 1, f"thema{number}": 1} for number in range(N_DOCS)}
    return (
        [{VOCABULARY[word]: float(count) for word, count in text.items() if count} for text in texts],
        {name: {VOCABULARY[word]: float(count) for word, count in words.items()} for name, words in questions.items()},
    )


def test_e16_raw_weights_without_idf_rank_by_common_words_and_are_warned_of() -> None:
    texts, questions = word_counts()
    matrix = sparse_rows(texts, len(VOCABULARY))
    qrels = {f"q{number}": {f"d{number:03}": 1} for number in range(N_DOCS)}
    index = InvertedIndex.from_csr(matrix)
    idf = compute_idf(matrix)

    def judged(weights: Idf) -> tuple[float, str]:
        queries = [weighted_query(vector, weights) for vector in questions.values()]
        best = index.search_many(queries, 10)
        rankings = {
            name: [(f"d{doc:03}", float(score)) for doc, score in zip(docs.docs, docs.scores, strict=True)]
            for name, docs in zip(questions, best, strict=True)
        }
        return evaluate_retrieval(rankings, qrels)["nDCG@10"], missing_idf(index, queries, best)

    raw, warning = judged(np.ones_like(idf))
    with_idf, silence = judged(idf)
    # The symptom: far below what the same weights give with IDF.
    assert raw < 0.15
    assert with_idf > 0.9
    assert warning.startswith("warning[missing-idf]: ")
    assert "option 'idf'" in warning
    assert silence == ""


def test_little_evidence_is_no_reason_to_warn() -> None:
    for texts, queries in (([{0: 1.0}] * 19, [{0: 1.0}]), ([{0: 1.0}] * 100, [{1: 1.0}]), ([], [{0: 1.0}])):
        index = InvertedIndex.from_csr(sparse_rows(texts, 2))
        own = [weighted_query(query, np.ones(2, np.float32)) for query in queries]
        assert missing_idf(index, own, index.search_many(own, 10)) == ""
    index = InvertedIndex.from_csr(sparse_rows([{0: 1.0}] * 100, 2))
    own = [weighted_query({0: 1.0}, np.ones(2, np.float32))]
    assert missing_idf(index, own, index.search_many(own, 10)) != ""


def test_who_decides_on_idf() -> None:
    for model, option, static, expected in (
        ("naver/splade-v3", "", False, IdfWeighting.NONE),
        ("naver/splade-v3", "corpus", False, IdfWeighting.CORPUS),
        ("someone/own-model", "", False, IdfWeighting.CORPUS),
        ("someone/own-model", "none", False, IdfWeighting.NONE),
        ("someone/inference-free", "", True, IdfWeighting.NONE),
    ):
        assert idf_weighting(model, option, static) is expected, (model, option)
