from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import ConfigError, InputError
from ragaliq.retrieve.sparse.retriever import SparseRetriever
from ragaliq.types import Chunk, Hit, Query

Corpus = Mapping[str, Mapping[str, float]]


def chunk(doc_id: str, lang: str = "en") -> Chunk:
    return Chunk(doc_id, lang, "text", doc_id, 0, 4)


def query(query_id: str, lang: str = "en") -> Query:
    return Query(query_id, lang, "text")


def retriever(folder: Path, corpus: Corpus, topics: Mapping[str, str], idf: str = "") -> SparseRetriever:
    lines = (json.dumps({"id": doc_id, "vector": vector}) for doc_id, vector in corpus.items())
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    rows = (f"{name}\t{tokens}\n" for name, tokens in topics.items())
    (folder / "topics.tsv").write_text("".join(rows), encoding="utf-8")
    return SparseRetriever(
        idf=idf, query_tokens=str(folder / "topics.tsv"), corpus_tokens=str(folder / "corpus.jsonl.gz")
    )


def found(hits: list[Hit]) -> list[tuple[str, float, int]]:
    return [(hit.chunk.doc_id, hit.score, hit.rank) for hit in hits]


CORPUS = {"b d": {"boat": 2, "##s": 1}, "доку": {"лодка": 3}, "a": {"boat": 2, "лодка": 1}, "空": {}}


def test_vectors_from_files_are_searched_without_a_model(tmp_path: Path) -> None:
    sparse = retriever(tmp_path, CORPUS, {"q1": "boat boat ##s", "q2": "лодка", "q3": "unknown", "q4": ""})
    sparse.index([chunk(doc_id) for doc_id in CORPUS])
    # 2·2 + 1·1 and 2·2
    assert found(sparse.retrieve(query("q1"), 10)) == [("b d", 5.0, 1), ("a", 4.0, 2)]
    assert found(sparse.retrieve(query("q2"), 1)) == [("доку", 3.0, 1)]
    assert sparse.retrieve(query("q3"), 5) == sparse.retrieve(query("q4"), 5) == sparse.retrieve(query("q1"), 0) == []
    assert "corpus.jsonl.gz sha256:" in sparse.resolved
    assert sparse.resolved.endswith("idf none")


def test_idf_is_that_of_the_indexed_corpus(tmp_path: Path) -> None:
    sparse = retriever(tmp_path, CORPUS, {"q1": "boat ##s"}, idf="corpus")
    sparse.index([chunk(doc_id) for doc_id in CORPUS])
    # boat: ln(1 + 2.5/2.5), ##s: ln(1 + 3.5/1.5)
    assert sparse.retrieve(query("q1"), 1)[0].score == pytest.approx(2 * 0.693147 + 1.203973)


def test_languages_are_kept_apart(tmp_path: Path) -> None:
    sparse = retriever(tmp_path, CORPUS, {"q1": "boat лодка"})
    sparse.index([chunk("a"), chunk("b d"), chunk("доку", "ru")])
    hits = sparse.retrieve_batch([query("q1", "ru"), query("q1")], 5)
    assert [found(own) for own in hits] == [[("доку", 3.0, 1)], [("a", 3.0, 1), ("b d", 2.0, 2)]]
    with pytest.raises(InputError, match="no corpus is indexed for 'zh'"):
        sparse.retrieve(query("q1", "zh"), 5)


tokens = st.sampled_from(["boat", "лодка", "船"])
ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@settings(max_examples=30, deadline=None)
@given(
    st.dictionaries(ids, st.dictionaries(tokens, st.integers(1, 3)), min_size=1),
    st.lists(st.lists(tokens), min_size=1, max_size=3),
    st.integers(0, 12),
)
def test_a_batch_gives_what_its_queries_give_alone(
    tmp_path_factory: pytest.TempPathFactory, corpus: Corpus, questions: list[list[str]], k: int
) -> None:
    topics = {f"q{number}": " ".join(own) for number, own in enumerate(questions)}
    sparse = retriever(tmp_path_factory.mktemp("files"), corpus, topics)
    sparse.index([chunk(doc_id) for doc_id in corpus])
    batch = sparse.retrieve_batch([query(name) for name in topics], k)
    assert batch == [sparse.retrieve(query(name), k) for name in topics]
    for hits in batch:
        assert hits == sorted(hits, key=lambda hit: (hit.score, hit.chunk.doc_id), reverse=True)


def test_e16_files_without_idf_that_need_it_are_warned_of_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = {f"d{number}": {"the": 1 + number % 7, "и": 2, f"thema{number}": 1} for number in range(40)}
    topics = {f"q{number}": f"the и thema{number}" for number in range(40)}
    for idf, times in (("none", 1), ("", 1), ("corpus", 0)):
        sparse = retriever(tmp_path, corpus, topics, idf)
        sparse.index([chunk(doc_id) for doc_id in corpus])
        for _ in range(2):
            sparse.retrieve_batch([query(name) for name in topics], 10)
        assert capsys.readouterr().err.count("warning[missing-idf]") == times


def test_what_the_files_lack_is_told(tmp_path: Path) -> None:
    sparse = retriever(tmp_path, CORPUS, {"q1": "boat"})
    with pytest.raises(InputError, match=r"corpus\.jsonl\.gz: 1 of 2 documents have no vector, such as 'c'"):
        sparse.index([chunk("a"), chunk("c")])
    sparse.index([chunk("a")])
    with pytest.raises(InputError, match=r"topics\.tsv: 1 of 2 queries have no vector, such as 'q9'"):
        sparse.retrieve_batch([query("q1"), query("q9")], 5)


def test_options_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigError, match="name its model, as in sparse:MODEL"):
        SparseRetriever()
    with pytest.raises(ConfigError, match="name its model"):
        SparseRetriever(query_tokens="topics.tsv")
    with pytest.raises(ConfigError, match="unknown idf 'corpos'; did you mean 'corpus'"):
        SparseRetriever("model", idf="corpos")
