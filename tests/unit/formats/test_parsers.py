"""Whatever a file holds, a reader returns or says one line; nothing else ever comes out."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.beir import is_beir, read_beir
from ragaliq.formats.miracl import is_miracl, read_miracl
from ragaliq.formats.mmarco import is_mmarco, read_mmarco
from ragaliq.formats.squad import read_squad
from ragaliq.formats.squad_files import is_squad
from ragaliq.formats.trec.qrels import has_nuggets, read_nugget_qrels, read_qrels
from ragaliq.formats.trec.run import read_run
from ragaliq.formats.trec.topics import read_topics

# Bits of every format, so that random files come near to being right.
PIECES = st.sampled_from(
    ["q1", "0", "Q0", "d1", "1", "0.5", "nan", "1e999", "-", "#", "\t", " ", "\n", "\r\n", "\ufeff", "\u2028", "१"]
)
TAGS = st.sampled_from(["query-id\tcorpus-id\tscore\n", "\0", "<top>", "</top>", "<num>", "<title>", "文 档"])
TEXT = st.lists(PIECES | TAGS | st.text(max_size=3), max_size=30).map("".join)
BYTES = st.binary(max_size=60) | TEXT.map(lambda text: text.encode("utf-8", "surrogatepass"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["1", "x", "", "\ud800"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=5,
)


def rows(*keys: str) -> st.SearchStrategy[bytes]:
    one = st.dictionaries(st.sampled_from(keys), VALUES, max_size=len(keys))
    return st.lists(one, max_size=4).map(lambda found: "".join(json.dumps(row) + "\n" for row in found).encode())


QUIET = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("read", [read_run, read_qrels, read_nugget_qrels, has_nuggets, read_topics])
@QUIET
@given(data=BYTES)
def test_columns(tmp_path: Path, read: Callable[[Path], object], data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    with suppress(InputError):
        read(tmp_path / "file")


@QUIET
@given(corpus=rows("_id", "text", "title"), queries=rows("_id", "text"), qrels=BYTES)
def test_beir(tmp_path: Path, corpus: bytes, queries: bytes, qrels: bytes) -> None:
    (tmp_path / "qrels").mkdir(exist_ok=True)
    for name, data in (("corpus.jsonl", corpus), ("queries.jsonl", queries), ("qrels/test.tsv", qrels)):
        (tmp_path / name).write_bytes(data)
    assert is_beir(tmp_path)
    with suppress(InputError):
        list(read_beir(tmp_path).chunks())


def packed() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t/corpus.jsonl", '{"_id": "d", "text": "x"}\n' * 3)
        archive.writestr("t/queries.jsonl", '{"_id": "q", "text": "x"}\n')
        archive.writestr("t/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n")
    return out.getvalue()


@settings(QUIET, max_examples=100)
@given(
    changes=st.lists(st.tuples(st.integers(0, len(packed()) - 1), st.integers(0, 255)), max_size=4),
    cut=st.integers(0, 600),
)
def test_archives(tmp_path: Path, changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(packed())
    for place, value in changes:
        data[place] = value
    (tmp_path / "t.zip").write_bytes(data[: max(len(data) - cut, 0)] if cut < 100 else data)
    is_beir(tmp_path / "t.zip")
    with suppress(InputError):
        list(read_beir(tmp_path / "t.zip").chunks())


@QUIET
@given(data=rows("query_id", "query", "positive_passages", "negative_passages"))
def test_miracl(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "yo").mkdir(exist_ok=True)
    (tmp_path / "yo" / "dev.jsonl").write_bytes(data)
    is_miracl(tmp_path)
    with suppress(InputError):
        list(read_miracl(tmp_path, "yo").chunks())


@QUIET
@given(collection=BYTES, queries=BYTES, qrels=BYTES)
def test_mmarco(tmp_path: Path, collection: bytes, queries: bytes, qrels: bytes) -> None:
    for name, data in (
        ("collections/hindi_collection.tsv", collection),
        ("queries/dev/hindi_queries.dev.tsv", queries),
        ("qrels.dev.small.tsv", qrels),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    assert is_mmarco(tmp_path)
    with suppress(InputError):
        list(read_mmarco(tmp_path, "hi").chunks())


@QUIET
@given(
    data=st.dictionaries(
        st.just("data"),
        VALUES
        | st.lists(
            st.dictionaries(st.just("paragraphs"), VALUES | st.lists(VALUES, max_size=2), max_size=1), max_size=2
        ),
    )
    | VALUES,
    paragraph=st.dictionaries(st.sampled_from(["context", "qas", "id", "title"]), VALUES, max_size=4),
    question=st.dictionaries(st.sampled_from(["id", "question", "answers", "is_impossible"]), VALUES, max_size=4),
)
def test_squad(tmp_path: Path, data: object, paragraph: dict[str, object], question: dict[str, object]) -> None:
    path = tmp_path / "xquad.de.json"
    near = {"data": [{"paragraphs": [paragraph, {"context": "c", "qas": [question]}]}]}
    for value in (data, near):
        path.write_text(json.dumps(value))
        is_squad(path)
        with suppress(InputError):
            list(read_squad(path).chunks())
