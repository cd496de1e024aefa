"""The whole evaluation of a sparse model in one call, with the call and the keys of the sparse-retrieval skill."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from tqdm import tqdm

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.retrieval_scores import evaluate_retrieval
from ragaliq.retrieve.sparse.cache import EncodedCorpus, corpus_key, load_encoded_corpus, save_encoded_corpus
from ragaliq.retrieve.sparse.memory import memory_warning
from ragaliq.retrieve.sparse.vectors import SparseVector, compute_idf, encode_corpus_batched, retrieve_all_queries

K_VALUES = (1, 5, 10, 100)


class SparseModel(Protocol):
    """Anything that turns texts into sparse vectors, passages and queries each in their way."""

    def encode_documents(self, texts: list[str]) -> Sequence[SparseVector]:
        """Return dimension → weight for each passage."""
        ...

    def encode_queries(self, texts: list[str]) -> Sequence[SparseVector]:
        """Return dimension → weight for each query."""
        ...


def evaluate_sparse_model(
    model: SparseModel,
    corpus: Mapping[str, str],
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, int]],
    sparse_dim: int,
    cache_dir: str | Path | None = None,
    batch_size: int = 512,
    k: int = 100,
) -> dict[str, float]:
    """Encode a corpus and the judged queries, retrieve with IDF weighting, and measure.

    `Evaluating x / y queries` on stderr says how many of the queries in the qrels have a text; the others count 0. Of
    equal scores the greater doc id goes first, whatever the order of `corpus`.

    Args:
        model: has `encode_documents(texts)` and `encode_queries(texts)`. If it has a text form of its own (`__str__` or
            `__repr__`) that names its settings, a cache of another model is told by it; else its class is all that is
            known of it.
        corpus: doc id → text.
        queries: query id → text.
        qrels: query id → doc id → relevance.
        sparse_dim: number of dimensions of the vectors.
        cache_dir: folder of the encoded corpus. What it holds of another model, corpus or dimension is not used but
            replaced, and so is what was not written to its end.
        batch_size: texts that are encoded at once.
        k: documents retrieved for each query.

    Returns:
        `nDCG@k` and `Recall@k` for k in 1, 5, 10, 100, `MAP` and `MRR`, see `evaluate_retrieval`.

    Raises:
        InputError: if no judged query has a text, the model returns wrong vectors, or the cache cannot be written.
    """
    doc_ids = sorted(corpus)
    encoded = _encoded(model, {doc_id: corpus[doc_id] for doc_id in doc_ids}, sparse_dim, cache_dir, batch_size)
    query_ids = [query_id for query_id in qrels if query_id in queries]
    tqdm.write(f"Evaluating {len(query_ids)} / {len(qrels)} queries", file=sys.stderr)
    if qrels and not query_ids:
        raise InputError(
            f"error[wrong-split]: none of the {len(qrels)} judged queries, such as '{next(iter(qrels))}', is among the "
            f"{len(queries)} queries; take queries and qrels of the same split"
        )
    vectors = model.encode_queries([queries[query_id] for query_id in query_ids]) if query_ids else []
    found = retrieve_all_queries(
        dict(zip(query_ids, vectors, strict=True)), encoded.matrix, encoded.idf, encoded.doc_ids, k
    )
    return evaluate_retrieval(found, qrels, k_values=K_VALUES)


def _encoded(
    model: SparseModel, corpus: Mapping[str, str], sparse_dim: int, cache_dir: str | Path | None, batch_size: int
) -> EncodedCorpus:
    doc_ids, texts = list(corpus), list(corpus.values())
    key = corpus_key(f"{_name(model)} {sparse_dim}", doc_ids, texts) if cache_dir is not None else {}
    folder = Path(cache_dir) if cache_dir is not None else None
    kept = load_encoded_corpus(folder, key) if folder else None
    if kept is not None:
        return kept
    if folder is not None and (folder / "corpus.npz").exists():
        tqdm.write(f"note: {folder} is of another model or corpus, or torn; encoding anew", file=sys.stderr)
    if warning := memory_warning(len(doc_ids)):
        tqdm.write(warning, file=sys.stderr)
    matrix = encode_corpus_batched(texts, model.encode_documents, sparse_dim, batch_size)
    encoded = EncodedCorpus(matrix, compute_idf(matrix), doc_ids)
    if folder is not None:
        save_encoded_corpus(folder, encoded, key)
    return encoded


def _name(model: SparseModel) -> str:
    kind = type(model)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return f"{kind.__module__}.{kind.__qualname__}"
    return str(model)
