"""FreshStack: nuggets stay with their own query, counts as relevance, and what is written reads the same."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.freshstack import is_freshstack, judged_nuggets, read_freshstack, write_freshstack
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.types import Chunk, Importance, Nugget, Query
from unit.formats.sets import items_for

DOCS = ["lang chain/docs/a b.md_0_99", "src/über/文档.md_0_7", "LICENSE_0_1", "x"]
CORPUS = [
    {"_id": DOCS[0], "title": "A", "text": "first", "metadata": {"url": "u"}},
    {"_id": DOCS[1], "text": "второй", "metadata": {}},
    {"_id": DOCS[2], "title": None, "text": ""},
    {"_id": 7, "text": "seven"},
]


def nugget(nugget_id: Any, relevant: list[Any], against: list[Any], text: str = "a fact") -> dict[str, Any]:
    return {"_id": nugget_id, "text": text, "relevant_corpus_ids": relevant, "non_relevant_corpus_ids": against}


def query(query_id: Any, nuggets: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "query_id": query_id,
        "query_title": f"Title {query_id}",
        "query_text": f"Body {query_id}?",
        "answer_id": 1,
        "answer_text": f"Answer {query_id}.",
        "nuggets": nuggets,
        "metadata": {"tags": ["t"]},
    } | more


# Query 76 is a prefix of query 7628, and two ids hold the separator of nugget ids.
QUERIES = [
    query(76, [nugget("76_0", [DOCS[0], DOCS[1]], [DOCS[2]]), nugget("76_1", [DOCS[0]], [DOCS[1], DOCS[2]])]),
    query("7628", [nugget("7628_0", [7], [])]),
    query("a_b", [nugget("a_b_0", [], [DOCS[2]]), nugget("a_b_1", [], [])]),
    query("a", [nugget("a_0", [DOCS[1]], [])], query_title=None, answer_text=None),
]


def write(folder: Path, corpus: list[Any] = CORPUS, queries: list[Any] = QUERIES) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    for name, rows in (("corpus", corpus), ("queries", queries)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def test_c15_nuggets_belong_to_the_row_that_holds_them_and_relevance_counts_them(tmp_path: Path) -> None:
    read = read_freshstack(write(tmp_path / "langchain"))
    assert (read.name, read.lang, read.split, read.notes) == ("langchain", "en", "test", ())
    assert [(n.nugget_id, n.query_id) for n in read.nuggets] == [
        ("76_0", "76"), ("76_1", "76"), ("7628_0", "7628"), ("a_b_0", "a_b"), ("a_b_1", "a_b"), ("a_0", "a"),
    ]  # fmt: skip
    # DOCS[0] supports two nuggets of query 76, DOCS[1] one, DOCS[2] none.
    assert read.qrels == {
        "76": {DOCS[0]: 2, DOCS[1]: 1, DOCS[2]: 0},
        "7628": {"7": 1},
        "a_b": {DOCS[2]: 0},
        "a": {DOCS[1]: 1},
    }
    assert {n.importance for n in read.nuggets} == {Importance.VITAL}


def test_unsupported_nuggets_stay_with_their_judgements(tmp_path: Path) -> None:
    read = read_freshstack(write(tmp_path))
    assert [n.doc_ids for n in read.nuggets if n.query_id == "a_b"] == [(), ()]
    judged = judged_nuggets(read.nuggets, read.qrels)
    assert judged["a_b"] == {"a_b_0": {DOCS[2]: 0}, "a_b_1": {DOCS[2]: 0}}
    assert judged["76"]["76_1"] == {DOCS[0]: 1, DOCS[1]: 0, DOCS[2]: 0}


def test_texts_titles_and_references(tmp_path: Path) -> None:
    read = read_freshstack(write(tmp_path), lang="ru")
    assert read.queries[0] == Query("76", "ru", "Title 76 Body 76?")
    assert read.queries[3] == Query("a", "ru", "Body a?")
    assert read.references == {"76": "Answer 76.", "7628": "Answer 7628.", "a_b": "Answer a_b."}
    chunks = list(read.chunks())
    assert chunks == list(read.chunks())
    assert chunks[0] == Chunk(DOCS[0], "ru", "first", DOCS[0], 0, 5, "A")
    assert [chunk.doc_id for chunk in chunks] == [*DOCS[:3], "7"]
    assert chunks[2].text == chunks[2].title == ""


def test_a_topic_is_a_folder_and_files_may_be_packed_or_json(tmp_path: Path) -> None:
    folder = write(tmp_path / "all" / "yolo")
    plain = contents(read_freshstack(folder))
    with gzip.open(folder / "corpus.jsonl.gz", "wb") as out:
        out.write((folder / "corpus.jsonl").read_bytes())
    (folder / "corpus.jsonl").unlink()
    (folder / "queries.jsonl").unlink()
    (folder / "queries.json").write_text(json.dumps(QUERIES), encoding="utf-8")
    assert contents(read_freshstack(folder)) == plain
    assert is_freshstack(folder) and not is_freshstack(tmp_path / "all")


def test_beir_is_not_freshstack(tmp_path: Path) -> None:
    assert not is_freshstack(write(tmp_path, queries=[{"_id": "q", "text": "t"}]))
    assert not is_freshstack(write(tmp_path, queries=[]))


def test_a_document_judged_both_ways_is_told(tmp_path: Path) -> None:
    folder = write(tmp_path, queries=[query("q", [nugget("q_0", ["x", "y"], ["x"])])])
    read = read_freshstack(folder)
    assert read.qrels == {"q": {"x": 0, "y": 1}} and read.nuggets[0].doc_ids == ("y",)
    (note,) = read.notes
    assert note == f"{folder / 'queries.jsonl'}:1: nugget 'q_0': 'x' is judged both ways, taken as not supporting"


def test_a_malformed_query_is_named(tmp_path: Path) -> None:
    cases = [
        ([query(1.5, [])], ":1: 'query_id' must be a text or a whole number"),
        ([query("q", []), query("q", [])], ":2: query 'q' occurs twice"),
        ([query("q", [nugget("n", [], [])]), query("r", [nugget("n", [], [])])], ":2: nugget 'n' occurs twice"),
        ([{"query_id": "q", "query_text": "t"}], ":1: 'nuggets' must be a list of objects"),
        ([query("q", [{"_id": "n", "text": "t", "relevant_corpus_ids": []}])], ":1: 'non_relevant_corpus_ids' must"),
        ([query("q", [nugget("n", [None], [])])], ":1: 'relevant_corpus_ids' must be a text or a whole number"),
        ([query("q", [], query_text=3)], ":1: 'query_text' must be a text"),
    ]
    for rows, message in cases:
        folder = write(tmp_path, queries=rows)
        with pytest.raises(InputError) as caught:
            read_freshstack(folder)
        assert str(caught.value).startswith(f"{folder / 'queries.jsonl'}{message}"), rows


def test_a_malformed_document_is_named_when_it_is_reached(tmp_path: Path) -> None:
    chunks = read_freshstack(write(tmp_path, corpus=[*CORPUS, {"_id": "d"}])).chunks()
    assert next(chunks).doc_id == DOCS[0]
    with pytest.raises(InputError, match=r"corpus\.jsonl:5: no 'text'"):
        list(chunks)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none of corpus\.jsonl, corpus\.jsonl\.gz is here"):
        read_freshstack(tmp_path)


IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@st.composite
def collections(draw: st.DrawFn) -> Collection:
    doc_ids = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    query_ids = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    nuggets, qrels = [], {}
    for number, query_id in enumerate(query_ids):
        docs = dict.fromkeys(draw(st.lists(st.sampled_from(doc_ids), unique=True)), 0)
        for place in range(draw(st.integers(1, 3))):
            support = draw(st.lists(st.sampled_from(list(docs)), unique=True)) if docs else []
            for doc_id in support:
                docs[doc_id] += 1
            nuggets.append(Nugget(f"{number}_{place}", query_id, "hi", draw(TEXTS), Importance.VITAL, tuple(support)))
        if docs:
            qrels[query_id] = docs
    chunks = [document(doc_id, "hi", draw(TEXTS), draw(TEXTS)) for doc_id in doc_ids]
    return Collection(
        name="c",
        lang="hi",
        split="test",
        chunks=lambda: iter(chunks),
        items=items_for(
            [Query(query_id, "hi", draw(TEXTS)) for query_id in query_ids],
            {query_id: f"r{query_id}" for query_id in query_ids[::2]},
        ),
        qrels=qrels,
        nuggets=tuple(nuggets),
    )


def contents(collection: Collection) -> tuple[Any, ...]:
    return (
        list(collection.chunks()),
        collection.queries,
        collection.qrels,
        collection.nuggets,
        collection.references,
        collection.notes,
    )


@settings(max_examples=25, deadline=None)
@given(collections())
def test_what_is_written_reads_the_same(collection: Collection) -> None:
    with TemporaryDirectory() as name:
        write_freshstack(collection, Path(name))
        assert contents(read_freshstack(Path(name), lang="hi")) == contents(collection)


def test_what_is_read_and_written_reads_the_same(tmp_path: Path) -> None:
    read = read_freshstack(write(tmp_path / "one"))
    write_freshstack(read, tmp_path / "two")
    assert contents(read_freshstack(tmp_path / "two")) == contents(read)


def test_what_the_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    read = read_freshstack(write(tmp_path / "one"))
    with pytest.raises(InputError, match="has no nuggets"):
        write_freshstack(replace(read, nuggets=()), tmp_path / "two")
    with pytest.raises(InputError, match="'7628': the relevance of '7' is not the number of nuggets"):
        write_freshstack(replace(read, qrels={**read.qrels, "7628": {"7": 3}}), tmp_path / "two")
    with pytest.raises(InputError, match="query 'z' is judged and has no text"):
        write_freshstack(replace(read, qrels={**read.qrels, "z": {"7": 1}}), tmp_path / "two")
    assert not (tmp_path / "two").exists()
