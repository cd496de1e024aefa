"""The Cranfield collection and its traps."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.cranfield import is_cranfield, read_cranfield

DOCUMENTS = ".I 1\n.T\nthe title\nin two lines .\n.A\nname\n.W\nfirst line\n.I hidden\n.I 2\n.T\n.W\n"
QUERIES = ".I 001\n.W\nwhat laws\nhold .\n.I 004\n.W\nwhat else .\n"


def write(folder: Path, judged: str = "1 1  2 \n2 2 -1\n") -> None:
    for name, text in (("cran.all.1400", DOCUMENTS), ("cran.qry", QUERIES), ("cranqrel", judged)):
        # As the collection comes: lines end as on DOS.
        (folder / name).write_bytes(text.replace("\n", "\r\n").encode())


def test_queries_are_counted_and_lines_joined(tmp_path: Path) -> None:
    write(tmp_path)
    collection = read_cranfield(tmp_path, "en")
    assert [(query.query_id, query.text) for query in collection.queries] == [
        ("1", "what laws hold ."), ("2", "what else ."),
    ]  # fmt: skip
    assert collection.qrels == {"1": {"1": 2}, "2": {"2": -1}}
    first, _, last = collection.chunks()
    assert (first.doc_id, first.title, first.text) == ("1", "the title in two lines .", "first line")
    assert (last.doc_id, last.title, last.text) == ("2", "", "")


def test_relevance_is_the_code_in_the_file(tmp_path: Path) -> None:
    write(tmp_path, judged="1 1 1\n1 2 4\n2 1 -1\n")
    collection = read_cranfield(tmp_path)
    assert collection.qrels == {"1": {"1": 1, "2": 4}, "2": {"1": -1}}
    (note,) = collection.notes
    assert note.startswith("cranfield: relevance is the code in cranqrel, as in ir_datasets")


def test_what_is_malformed_is_named(tmp_path: Path) -> None:
    cases = [
        ("cranqrel", "1 1 2\n1 2\n", "cranqrel:2: three columns are expected"),
        ("cranqrel", "1 1 2\n1 1 3\n", "cranqrel:2: document '1' is judged twice for query '1'; remove one"),
        ("cranqrel", "1 1 two\n", "cranqrel:1: three columns are expected"),
        ("cran.qry", "\n.W\nx\n", "cran.qry:1: the file begins with '.I NUMBER'"),
    ]
    for name, text, message in cases:
        write(tmp_path)
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError) as caught:
            read_cranfield(tmp_path)
        assert str(caught.value).startswith(str(tmp_path)) and message in str(caught.value), name


@pytest.mark.shared
def test_the_real_one(shared_data: Path) -> None:
    folder = shared_data / "cranfield"
    assert is_cranfield(folder) and not is_cranfield(folder.parent)
    collection = read_cranfield(folder)
    chunks = list(collection.chunks())
    assert [chunk.doc_id for chunk in chunks] == [str(number) for number in range(1, 1401)]
    assert [chunk.doc_id for chunk in chunks if not chunk.text] == ["471", "995"]
    assert [query.query_id for query in collection.queries] == [str(number) for number in range(1, 226)]
    assert set(collection.qrels) == {query.query_id for query in collection.queries}
    codes = Counter(code for judged in collection.qrels.values() for code in judged.values())
    assert codes == {4: 363, 3: 734, 2: 387, 1: 128, -1: 225}
    assert not any("\r" in chunk.text + chunk.title for chunk in chunks)
