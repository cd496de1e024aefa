from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError, RagaliqError
from ragaliq.retrieve.sparse.splade_topics import load_sparse_corpus, numbered, read_sparse_topics


def written(folder: Path, text: str, name: str = "file.tsv") -> Path:
    path = folder / name
    data = text.encode("utf-8")
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["topics.tsv", "topics.tsv.gz"])
def test_a_tokens_weight_is_the_number_of_its_repeats(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, "\ufeffq 1\tboot ##e boot\r\nпять\t船 船 船\n\nleer\t\n", name)
    assert read_sparse_topics(path) == {"q 1": {"boot": 2, "##e": 1}, "пять": {"船": 3}, "leer": {}}


@pytest.mark.shared
def test_a_real_file_of_topics_is_read(shared_data: Path) -> None:
    topics = read_sparse_topics(shared_data / "ir/qrels-and-topics/topics.dl19-passage.splade-v3.tsv.gz")
    # TREC DL 2019 has 43 judged queries.
    assert len(topics) == 43
    assert topics["19335"]["anthropology"] == 105
    assert len(topics["19335"]) == 32
    assert all(weight >= 1 and weight == int(weight) for vector in topics.values() for weight in vector.values())


@pytest.mark.parametrize(
    ("text", "told"),
    [("q1 boat", ":1: `qid"), ("\tboat", ":1: `qid"), ("q1\ta\nq1\tb", ":2: query 'q1' occurs twice")],
)
def test_topics_that_are_none_are_refused_with_their_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=f"file.tsv{told}"):
        read_sparse_topics(written(tmp_path, text))


def rows(*values: object) -> str:
    return "\n".join(json.dumps(value, ensure_ascii=False) for value in values)


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
def test_a_corpus_is_numbered_by_its_ids_and_tokens(tmp_path: Path, name: str) -> None:
    path = written(
        tmp_path,
        rows(
            {"id": "z doc", "contents": "ja", "vector": {"хлеб": 2, "brot": 0.5}},
            {"_id": 7, "vector": {}},
            {"docid": "面", "vector": {"brot": 1.5}},
        ),
        name,
    )
    corpus = load_sparse_corpus(path)
    assert corpus.doc_ids == ["7", "z doc", "面"]
    assert corpus.vocabulary == {"brot": 0, "хлеб": 1}
    assert corpus.matrix.toarray().tolist() == [[0, 0], [0.5, 2], [1.5, 0]]
    assert corpus.rows(["面", "7"], path).toarray().tolist() == [[1.5, 0], [0, 0]]
    assert numbered({"brot": 3, "pain": 9}, corpus.vocabulary) == {0: 3}


def test_an_empty_corpus_has_no_rows(tmp_path: Path) -> None:
    corpus = load_sparse_corpus(written(tmp_path, ""))
    assert (corpus.doc_ids, corpus.matrix.shape, corpus.vocabulary) == ([], (0, 0), {})


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"vector": {}}, "'id' must be a text"),
        ({"id": 1.5, "vector": {}}, "'id' must be a text, not 1.5"),
        ({"id": True, "vector": {}}, "'id' must be a text"),
        ({"id": "a"}, "'vector' must be an object"),
        ({"id": "a", "vector": [1]}, "'vector' must be an object"),
        ({"id": "a", "vector": {"x": "1"}}, "the weight of 'x'"),
        ({"id": "a", "vector": {"y": 1, "x": True}}, "the weight of 'x'"),
        ({"id": "a", "vector": {"x": 1e39}}, "the weight of 'x'"),
        ({"id": "a", "vector": {"x": 10**400}}, "the weight of 'x'"),
        ([], "a JSON object is expected"),
    ],
)
def test_a_line_that_is_no_document_is_refused_with_its_number(tmp_path: Path, line: object, told: str) -> None:
    path = written(tmp_path, rows({"id": "ok", "vector": {"x": 1}}, line))
    with pytest.raises(InputError, match=f"file.tsv:2: {told}"):
        load_sparse_corpus(path)


def test_what_cannot_be_read_or_occurs_twice_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="document 'a' occurs twice"):
        load_sparse_corpus(written(tmp_path, rows({"id": "a", "vector": {}}, {"id": "a", "vector": {}})))
    with pytest.raises(InputError, match=r"missing\.tsv: cannot be read"):
        read_sparse_topics(tmp_path / "missing.tsv")
    (tmp_path / "latin.tsv").write_bytes(b"q\tb\xe4r")
    with pytest.raises(InputError, match="not UTF-8"):
        read_sparse_topics(tmp_path / "latin.tsv")
    (tmp_path / "torn.tsv.gz").write_bytes(gzip.compress(b"q\ta b c\n")[:-5])
    with pytest.raises(InputError, match="damaged"):
        read_sparse_topics(tmp_path / "torn.tsv.gz")


def test_a_document_without_a_vector_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, rows({"id": "doc-1", "vector": {}}))
    with pytest.raises(InputError, match=r"1 of 2 documents have no vector, such as 'doc1'; did you mean 'doc-1'"):
        load_sparse_corpus(path).rows(["doc-1", "doc1"], path)


names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=5)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(names, st.dictionaries(names, st.integers(1, 4), max_size=4), max_size=6))
def test_topics_survive_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, topics: dict[str, dict[str, int]]
) -> None:
    lines = (
        f"{name}\t{' '.join(token for token, count in vector.items() for _ in range(count))}"
        for name, vector in topics.items()
    )
    path = written(tmp_path_factory.mktemp("topics"), "\n".join(lines))
    kept = {name.removeprefix("\ufeff") if place == 0 else name: v for place, (name, v) in enumerate(topics.items())}
    assert read_sparse_topics(path) == kept


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "file.jsonl"
    path.write_bytes(data)
    for read in (read_sparse_topics, load_sparse_corpus):
        try:
            read(path)
        except RagaliqError as error:
            assert str(path) in str(error)
