from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import models
from ragaliq.errors import ConfigError
from ragaliq.retrieve import Side
from ragaliq.retrieve.sparse.encoder import SpladeEncoder
from ragaliq.retrieve.sparse.retriever import SparseRetriever
from ragaliq.types import Chunk, Hit, Query

# The library multiplies two sparse vectors for the model card that it saves.
pytestmark = [pytest.mark.hf, pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")]

TEXTS = {
    "en-1": "The supply boat leaves the harbour at nine.",
    "de 2": "Die Küche ist sonntags geschlossen.",
    "ru-3": "Судно выходит из порта в девять.",
    "zh-4": "补给船九点离开港口。",
    "leer": "   ",
}


@pytest.fixture(scope="module")
def splade(offline: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A masked language model as a hub has it, without the files of sentence-transformers."""
    from transformers import BertForMaskedLM

    folder = tmp_path_factory.mktemp("splade")
    models._write_bert(BertForMaskedLM, folder, 64, seed=0)
    return str(folder)


@pytest.fixture(scope="module")
def inference_free(splade: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model whose queries look their weights up in a table."""
    from sentence_transformers import SparseEncoder

    modules, base = import_module("sentence_transformers.sparse_encoder.modules"), SparseEncoder(splade, device="cpu")
    router = import_module("sentence_transformers.base.modules").Router.for_query_document(
        query_modules=[modules.SparseStaticEmbedding(base.tokenizer)], document_modules=[base[0], base[1]]
    )
    folder = tmp_path_factory.mktemp("router")
    SparseEncoder(modules=[router], device="cpu").save(str(folder))
    return str(folder)


def chunks(lang: str = "en") -> list[Chunk]:
    return [Chunk(doc_id, lang, text, doc_id, 0, len(text)) for doc_id, text in TEXTS.items()]


def scored(hits: list[Hit]) -> dict[str, float]:
    return {hit.chunk.doc_id: hit.score for hit in hits}


def test_vectors_are_those_of_the_library(splade: str) -> None:
    from sentence_transformers import SparseEncoder

    texts = list(TEXTS.values())
    encoder = SpladeEncoder(splade, device="cpu", batch_size=2)
    found = encoder.encode(texts, Side.PASSAGE)
    expected: Any = SparseEncoder(splade, device="cpu").encode_document(texts[:4], convert_to_sparse_tensor=False)
    assert found.dtype == np.float32
    assert found.shape == (5, encoder.dimension) == (5, len(encoder.vocabulary))
    assert np.abs(found[:4].toarray() - expected.numpy()).max() < 1e-5
    # A blank text would get the weights of the special tokens alone.
    assert found[[4]].nnz == 0
    assert encoder.encode([], Side.QUERY).shape == (0, encoder.dimension)


def test_weights_of_16_bits_are_near(splade: str, inference_free: str) -> None:
    for model in (splade, inference_free):
        full, half = (SpladeEncoder(model, device="cpu", dtype=dtype) for dtype in ("float32", "bfloat16"))
        for side in Side:
            expected = full.encode([TEXTS["en-1"]], side).toarray()
            assert np.abs(half.encode([TEXTS["en-1"]], side).toarray() - expected).max() < 0.1


def test_e8_batches_give_the_same_matrix_also_where_the_last_is_short(
    splade: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = SpladeEncoder(splade, device="cpu").encode(list(TEXTS.values()), Side.PASSAGE)
    monkeypatch.setattr("ragaliq.local.model.PART", 3)
    for batch_size in (1, 2, 3):
        parts = SpladeEncoder(splade, device="cpu", batch_size=batch_size).encode(list(TEXTS.values()), Side.PASSAGE)
        assert np.abs((parts - whole).toarray()).max() < 1e-5, batch_size


@pytest.mark.parametrize("idf", ["corpus", "none"])
def test_the_retriever_ranks_by_the_inner_product(splade: str, idf: str) -> None:
    sparse = SparseRetriever(splade, idf=idf, device="cpu")
    sparse.index(chunks())
    encoder = SpladeEncoder(splade, device="cpu")
    passages = encoder.encode(list(TEXTS.values()), Side.PASSAGE).toarray().astype(np.float64)
    df = (passages > 0).sum(axis=0)
    weights = np.log(1 + (5 - df + 0.5) / (df + 0.5)) if idf == "corpus" else np.ones(len(df))
    (asked,) = encoder.encode(["Wann fährt das Schiff?"], Side.QUERY).toarray()
    expected = dict(zip(TEXTS, passages @ (asked * weights), strict=True))
    hits = sparse.retrieve(Query("q", "en", "Wann fährt das Schiff?"), 10)
    assert scored(hits) == pytest.approx({doc_id: score for doc_id, score in expected.items() if score > 0}, rel=1e-4)
    assert "leer" not in scored(hits)


def test_prepared_queries_and_batches_find_the_same(splade: str) -> None:
    queries = [Query(f"q{number}", lang, text) for number, text in enumerate(TEXTS.values()) for lang in ("en", "de")]
    plain, prepared = (SparseRetriever(splade, device="cpu") for _ in range(2))
    for sparse in (plain, prepared):
        sparse.index(chunks() + chunks("de"))
    prepared.prepare(queries)
    batch = prepared.retrieve_batch(queries, 3)
    assert batch == plain.retrieve_batch(queries, 3)
    for query, hits in zip(queries, batch, strict=True):
        assert scored(plain.retrieve(query, 3)) == pytest.approx(scored(hits), rel=1e-4)


def test_e11_an_encoded_corpus_is_read_back_until_something_changes(splade: str, tmp_path: Path) -> None:
    def folders() -> int:
        return len(list((tmp_path / "sparse").glob("*/*")))

    question = Query("q", "en", TEXTS["ru-3"])
    first, second = (SparseRetriever(splade, index_dir=tmp_path, device="cpu") for _ in range(2))
    first.index(chunks())
    written = sorted(path.stat().st_mtime_ns for path in (tmp_path / "sparse").rglob("*"))
    second.index(chunks())
    assert written == sorted(path.stat().st_mtime_ns for path in (tmp_path / "sparse").rglob("*"))
    assert first.retrieve(question, 5) == second.retrieve(question, 5)
    assert folders() == 1
    SparseRetriever(splade, index_dir=tmp_path, device="cpu", max_length=8).index(chunks())
    second.index(chunks()[:3])
    assert folders() == 3


def test_e11_two_models_of_one_name_never_share_an_encoded_corpus(splade: str, tmp_path: Path) -> None:
    from transformers import BertForMaskedLM

    other = tmp_path / "other" / Path(splade).name
    models._write_bert(BertForMaskedLM, other, 64, seed=1)
    found = {}
    for model in (splade, str(other)):
        kept, anew = (SparseRetriever(model, index_dir=folder, device="cpu") for folder in (tmp_path / "index", None))
        for retriever in (kept, anew):
            retriever.index(chunks())
        found[model] = [scored(kept.retrieve(Query("q", "en", text), 5)) for text in TEXTS.values()]
        assert found[model] == [scored(anew.retrieve(Query("q", "en", text), 5)) for text in TEXTS.values()]
    assert found[splade] != found[str(other)]
    assert len(list((tmp_path / "index" / "sparse").glob("*/*"))) == 2


def test_a_model_with_weights_of_its_own_for_queries_gets_no_idf(inference_free: str, splade: str) -> None:
    own, other = SparseRetriever(inference_free, device="cpu"), SparseRetriever(splade, device="cpu")
    assert own.resolved.endswith("idf none")
    assert other.resolved.endswith("idf corpus")
    own.index(chunks())
    assert own.retrieve(Query("q", "en", TEXTS["en-1"]), 1)


def test_encoded_queries_are_searched_among_a_models_passages(splade: str, tmp_path: Path) -> None:
    encoder = SpladeEncoder(splade, device="cpu")
    weight = encoder.encode([TEXTS["de 2"]], Side.PASSAGE)[0, encoder.vocabulary["port"]]
    (tmp_path / "topics.tsv").write_text("q1\tport port ⟨no such token⟩\n", encoding="utf-8")
    sparse = SparseRetriever(splade, idf="none", device="cpu", query_tokens=str(tmp_path / "topics.tsv"))
    sparse.index(chunks())
    hits = scored(sparse.retrieve(Query("q1", "en", "not read"), 5))
    assert hits.get("de 2", 0) == pytest.approx(2 * weight, rel=1e-4)


def test_a_models_queries_are_searched_in_an_encoded_corpus(splade: str, tmp_path: Path) -> None:
    encoder = SpladeEncoder(splade, device="cpu")
    weight = encoder.encode(["boat"], Side.QUERY)[0, encoder.vocabulary["nine"]]
    rows = [{"id": "en-1", "vector": {"nine": 2, "unknown token": 9}}, {"id": "de 2", "vector": {}}]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    sparse = SparseRetriever(splade, device="cpu", corpus_tokens=str(tmp_path / "corpus.jsonl"))
    sparse.index(chunks()[:2])
    hits = scored(sparse.retrieve(Query("q", "en", "boat"), 5))
    assert hits == ({"en-1": pytest.approx(2 * weight, rel=1e-4)} if weight else {})


def test_what_is_no_sparse_encoder_is_refused(bert: str, splade: str) -> None:
    with pytest.raises(ConfigError, match="is no sparse encoder"):
        SpladeEncoder(bert, device="cpu").encode(["a"], Side.PASSAGE)
    with pytest.raises(ConfigError, match="there is no such folder"):
        SparseRetriever("/no/such/folder", device="cpu").index(chunks())
    with pytest.raises(ConfigError, match="length 65 is above the 64"):
        SpladeEncoder(splade, device="cpu", max_length=65).encode(["a"], Side.PASSAGE)
    with pytest.raises(ConfigError, match="unknown dtype 'float31'; did you mean 'float32'"):
        SparseRetriever("m", dtype="float31")
    with pytest.raises(ConfigError, match="'batch_size' is at least 1"):
        SparseRetriever("m", batch_size=0)


def test_texts_that_are_cut_are_told(splade: str, capsys: pytest.CaptureFixture[str]) -> None:
    SpladeEncoder(splade, device="cpu", max_length=8).encode([TEXTS["en-1"], "boat"], Side.PASSAGE)
    assert "1 of 2 texts are longer than the 8 tokens" in capsys.readouterr().err
