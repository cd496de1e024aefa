"""BEIR folders and archives: ids as text, splits, what judgements name and files lack."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.benchmark.document_checks import scan_documents
from ragaliq.errors import InputError
from ragaliq.formats.beir import beir_splits, is_beir, read_beir, write_beir
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.storage.files import Row
from ragaliq.types import Query
from unit.formats.sets import SMALL, TEXTS, collections, facts, items_for

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n"), min_size=1, max_size=8)
CORPUS: list[Row] = [
    {"_id": 31715818, "title": None, "text": "तेज़ भूरी लोमड़ी", "metadata": {"year": 2020}},
    {"_id": "007", "title": "Titel", "text": "Ein Hund"},
    {"_id": "a b", "text": ""},
]
QUERIES: list[Row] = [
    {"_id": 1, "text": "лиса?", "metadata": {}},
    {"_id": "q 2", "text": "Hund?"},
    {"_id": "train", "text": "…"},
]
QRELS = {"test": ["1\t31715818\t1", "q 2\t007\t2", "q 2\ta b\t0"], "train": ["train\t007\t1.0"]}


def write(folder: Path, corpus: list[Row], queries: list[Row], qrels: dict[str, list[str]]) -> Path:
    (folder / "qrels").mkdir(parents=True)
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for split, lines in qrels.items():
        (folder / "qrels" / f"{split}.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *lines, ""]))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "tiny", CORPUS, QUERIES, QRELS)


def packed(folder: Path, archive: Path, top: str = "") -> Path:
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(folder.rglob("*")):
            out.write(path, top + path.relative_to(folder.parent).as_posix())
    return archive


def test_e5_ids_are_text_titles_may_be_missing_and_queries_are_those_judged(folder: Path) -> None:
    collection = read_beir(folder, lang="de")
    assert (collection.name, collection.lang, collection.split) == ("tiny", "de", "test")
    assert list(collection.chunks()) == [
        document("31715818", "de", "तेज़ भूरी लोमड़ी"),
        document("007", "de", "Ein Hund", "Titel"),
        document("a b", "de", ""),
    ]
    assert collection.queries == (Query("1", "de", "лиса?"), Query("q 2", "de", "Hund?"))
    assert collection.qrels == {"1": {"31715818": 1}, "q 2": {"007": 2, "a b": 0}}
    assert collection.notes == ()
    assert read_beir(folder, "train").qrels == {"train": {"007": 1}}


def test_an_archive_is_read_where_it_lies(folder: Path) -> None:
    archive = packed(folder, folder.parent / "tiny.zip")
    before = sorted(folder.parent.rglob("*"))
    assert is_beir(archive)
    assert facts(read_beir(archive)) == facts(read_beir(folder))
    assert read_beir(archive).name == "tiny"
    assert beir_splits(archive) == beir_splits(folder) == ("test", "train")
    assert sorted(folder.parent.rglob("*")) == before


def test_a_compressed_corpus(folder: Path) -> None:
    expected = facts(read_beir(folder))
    plain = folder / "corpus.jsonl"
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert is_beir(folder)
    assert facts(read_beir(folder)) == expected


def test_one_archive_of_several_sets_as_cqadupstack(tmp_path: Path) -> None:
    archive = tmp_path / "cqa.zip"
    for name in ("android", "english"):
        packed(write(tmp_path / name, CORPUS, QUERIES, QRELS), archive, "cqa/")
    assert is_beir(archive)
    with pytest.raises(InputError, match=r"holds 2 data sets; name one, as .*cqa.zip/cqa/android"):
        read_beir(archive)
    assert read_beir(archive / "cqa" / "english").name == "english"


def test_judgements_without_query_or_document_stay(tmp_path: Path) -> None:
    qrels = {"test": [*QRELS["test"], "gone\t007\t1", "1\tlost\t1"]}
    collection = read_beir(write(tmp_path / "tiny", CORPUS, QUERIES, qrels))
    assert collection.qrels["1"] == {"31715818": 1, "lost": 1}
    # As in trec_eval, what cannot be asked counts 0: it stays among the judgements.
    assert collection.qrels["gone"] == {"007": 1}
    assert [query.query_id for query in collection.queries] == ["1", "q 2"]


def test_e16_judgements_of_another_split_are_told(tmp_path: Path) -> None:
    """Requirement E16: the queries of one split with the judgements of another share nothing."""
    folder = write(tmp_path / "tiny", CORPUS, QUERIES, {"test": ["dev-1\t007\t1"]})
    with pytest.raises(InputError, match=r"error\[wrong-split\]: none of its 1 judged queries .*'dev-1' and '1'"):
        read_beir(folder)


def test_an_unknown_split_is_answered_with_those_there(folder: Path) -> None:
    for split, message in [
        ("tests", "no split 'tests'; did you mean 'test'?"),
        ("x", "no split 'x'; known: test, train"),
    ]:
        with pytest.raises(InputError) as caught:
            read_beir(folder, split)
        assert message in str(caught.value), split


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("corpus", {"_id": 7.0, "text": ""}, "'_id' must be a text or a whole number, not 7.0"),
        ("corpus", {"_id": True, "text": ""}, "not True"),
        ("corpus", {"_id": "", "text": ""}, "not ''"),
        ("corpus", {"name": "7", "text": ""}, "not no id"),
        ("corpus", {"_id": "7", "contents": ""}, "no 'text'"),
        ("corpus", {"_id": "7", "text": 7}, "'text' must be a text, not int"),
        ("corpus", {"_id": "7", "text": "\ud800"}, "half a surrogate pair"),
        ("queries", {"_id": 1.5, "text": ""}, "not 1.5"),
        ("queries", {"_id": "1", "text": ""}, "query '1' occurs twice"),
    ]
    for number, (name, row, message) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        corpus, queries = CORPUS + [row] * (name == "corpus"), QUERIES + [row] * (name == "queries")
        folder = write(place / "tiny", corpus, queries, QRELS)
        with pytest.raises(InputError) as caught:
            read_beir(folder)
            list(read_beir(folder).chunks())
        assert str(caught.value).startswith(f"{folder}/{name}.jsonl:4: "), name
        assert message in str(caught.value), name


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert not is_beir(tmp_path)
    assert not is_beir(tmp_path / "missing")
    with pytest.raises(InputError, match=r"no corpus.jsonl here; a BEIR data set has"):
        read_beir(tmp_path)
    (tmp_path / "corpus.jsonl").touch()
    with pytest.raises(InputError, match=r"no split 'test'; there is no qrels/SPLIT.tsv at all"):
        read_beir(tmp_path)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").touch()
    with pytest.raises(InputError, match=r"no queries.jsonl here"):
        read_beir(tmp_path)


@settings(max_examples=20, deadline=None)
@given(collections(doc_ids=CELLS, query_ids=CELLS, texts=TEXTS))
def test_b2_a_collection_survives_beir(collection: Collection) -> None:
    with TemporaryDirectory() as folder:
        write_beir(collection, Path(folder) / "drawn")
        back = read_beir(Path(folder) / "drawn", "dev", "ko")
        assert facts(back) == facts(collection)
        assert back.notes == ()
        assert back.name == collection.name


def test_the_files_as_they_are_written(tmp_path: Path) -> None:
    write_beir(SMALL, tmp_path)
    assert facts(read_beir(tmp_path, "dev", "hi")) == facts(SMALL)
    table = (tmp_path / "qrels" / "dev.tsv").read_text()
    assert table.startswith("query-id\tcorpus-id\tscore\n2\tdocs/my file 2.md\t1\n")


@pytest.mark.shared
def test_e16_a_truncated_corpus_is_told_on_real_judgements(shared_data: Path, tmp_path: Path) -> None:
    """Real judgements of SciFact over a corpus that is cut: what is lost is counted."""
    from ragaliq.formats.trec.qrels import read_qrels
    from ragaliq.formats.trec.topics import read_topics

    source = shared_data / "ir" / "qrels-and-topics"
    qrels = read_qrels(source / "qrels.beir-v1.0.0-scifact.test.txt")
    texts = read_topics(source / "topics.beir-v1.0.0-scifact.test.tsv.gz")
    docs = sorted({doc_id for judged in qrels.values() for doc_id in judged})
    whole = Collection(
        "scifact",
        "en",
        "test",
        lambda: (document(doc_id, "en", f"text of {doc_id}") for doc_id in docs),
        items_for(Query(query_id, "en", text) for query_id, text in texts.items()),
        qrels,
    )
    write_beir(whole, tmp_path / "scifact")
    assert facts(read_beir(tmp_path / "scifact")) == facts(whole)
    lines = (tmp_path / "scifact" / "corpus.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "scifact" / "corpus.jsonl").write_bytes(b"".join(lines[:-20]))
    assert len(scan_documents(read_beir(tmp_path / "scifact")).missing) == 20
