"""Topics: tables, `<top>` blocks, compressed files."""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.trec.topics import one_line, read_topics, write_topics

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
IDS = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(IDS.filter(lambda text: text[0] not in "<\ufeff"), TEXTS, max_size=4))
def test_b2_topics_survive_the_file_but_for_line_ends_and_tabs(topics: dict[str, str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "topics.tsv"
        write_topics(path, topics)
        back = read_topics(path)
        assert back == {query_id: one_line(text) for query_id, text in topics.items()}
        assert list(back) == list(topics)


def test_a_table_plain_and_compressed(tmp_path: Path) -> None:
    text = "\ufeff10020#0\tOdún wo ni wọn ṣe ìdíje\r\n\n7\tWer?\tWann?\n8\t\n"
    expected = {"10020#0": "Odún wo ni wọn ṣe ìdíje", "7": "Wer?\tWann?", "8": ""}
    (tmp_path / "topics.tsv").write_bytes(text.encode())
    (tmp_path / "topics.tsv.gz").write_bytes(gzip.compress(text.encode()))
    assert read_topics(tmp_path / "topics.tsv") == expected
    assert read_topics(tmp_path / "topics.tsv.gz") == expected


def test_blocks_of_the_older_form(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_text(
        "<top>\n\n<num> Number: 301 \n<title> International\n  Organized Crime \n\n<desc> Description: \n…\n</top>\n\n"
        "<TOP><num>302</num><title> Topic: Poliomyelitis & Post-Polio, a < b </title>\n<narr>none</narr></TOP>\n"
    )
    assert read_topics(path) == {
        "301": "International Organized Crime",
        "302": "Poliomyelitis & Post-Polio, a < b",
    }


def test_a_bad_topic_is_named(tmp_path: Path) -> None:
    cases = [
        ("q1\ta\nq2 b\n", "2: no tab; `qid<tab>text` or a <top> block is expected"),
        ("q1\ta\nq1\tb\n", "2: query 'q1' occurs twice"),
        ("\ta\n", "1: no query id"),
        ("<top>\n<num> 1\n</top>\n", "1: a <top> block needs <num> and <title>"),
        ("q\ta\n<top>\n<num> 1\n<title> b\n", "2: the <top> block has no </top>"),
    ]
    for text, message in cases:
        path = tmp_path / "topics"
        path.write_text(text)
        with pytest.raises(InputError) as caught:
            read_topics(path)
        assert str(caught.value).startswith(f"{path}:{message}"), text


def test_an_id_that_a_table_cannot_hold_is_refused(tmp_path: Path) -> None:
    for query_id in ["", " q", "<q", "a\tb", "\ufeffq"]:
        with pytest.raises(InputError, match="cannot stand in a table of topics"):
            write_topics(tmp_path / "topics", {query_id: "text"})


@pytest.mark.shared
def test_real_topics(shared_data: Path) -> None:
    folder = shared_data / "ir" / "qrels-and-topics"
    scifact = read_topics(folder / "topics.beir-v1.0.0-scifact.test.tsv.gz")
    assert len(scifact) == 300
    assert scifact["1"] == "0-dimensional biomaterials show inductive properties."
    assert read_topics(folder / "topics.miracl-v1.0-yo-dev.tsv")["10020#0"].startswith("Odun wo ni wọn ṣe")
    encoded = read_topics(folder / "topics.dl19-passage.splade-v3.tsv.gz")
    assert len(encoded) == 43
    assert encoded["19335"].split().count("society") == 7
