"""MIRACL: explicit negatives, hidden splits, shards in order, rows that hold their passages."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from ragaliq.errors import InputError
from ragaliq.formats import miracl
from ragaliq.formats.catalogue import catalogue
from ragaliq.formats.miracl import is_miracl, miracl_languages, read_miracl, write_miracl
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.storage.files import Row
from ragaliq.types import Query
from unit.formats.sets import LINES, SMALL, collections, facts

PASSAGES: dict[str, Row] = {
    "10020#0": {"docid": "10020#0", "title": "Olimpiiki", "text": "Odún wo ni wọn ṣe ìdíje"},
    "10020#1": {"docid": "10020#1", "title": "Olimpiiki", "text": "…"},
    "7#0": {"docid": "7#0", "title": "Èkó", "text": "Ìlú Èkó"},
}
ROWS: list[Row] = [
    {
        "query_id": "10020#0",
        "query": "Odun wo?",
        "positive_passages": [PASSAGES["10020#1"]],
        "negative_passages": [PASSAGES["10020#0"], PASSAGES["7#0"]],
    },
    {"query_id": 8, "query": "Ibo?", "positive_passages": [PASSAGES["7#0"]], "negative_passages": []},
]


def write_rows(path: Path, rows: list[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def write_files(folder: Path, lang: str = "yo", split: str = "dev") -> Path:
    """The layout of the two repositories, side by side, with two shards that sort wrongly by name."""
    for kind, text in (
        ("topics", "10020#0\tOdun wo?\n8\tIbo?\n9\tKo si\n"),
        ("qrels", "10020#0\tQ0\t10020#1\t1\n10020#0\tQ0\t10020#0\t0\n10020#0\tQ0\t7#0\t0\n8\tQ0\t7#0\t1\n"),
    ):
        path = folder / f"miracl-v1.0-{lang}" / kind / f"{kind}.miracl-v1.0-{lang}-{split}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    corpus = folder / f"miracl-corpus-v1.0-{lang}"
    write_rows(corpus / "docs-10.jsonl.gz", [PASSAGES["7#0"]])
    write_rows(corpus / "docs-9.jsonl.gz", [PASSAGES["10020#0"], PASSAGES["10020#1"]])
    return folder


def test_e16_negatives_are_judged_and_not_relevant(tmp_path: Path) -> None:
    """Requirement E6 and E16: taken as relevant, MIRACL's negatives inflate recall."""
    collection = read_miracl(write_files(tmp_path), "yo")
    assert collection.qrels == {"10020#0": {"10020#1": 1, "10020#0": 0, "7#0": 0}, "8": {"7#0": 1}}


def test_shards_in_the_order_of_their_numbers_and_judged_queries_alone(tmp_path: Path) -> None:
    collection = read_miracl(write_files(tmp_path), "yo")
    assert [chunk.doc_id for chunk in collection.chunks()] == ["10020#0", "10020#1", "7#0"]
    assert next(iter(collection.chunks())) == document("10020#0", "yo", "Odún wo ni wọn ṣe ìdíje", "Olimpiiki")
    assert collection.queries == (Query("10020#0", "yo", "Odun wo?"), Query("8", "yo", "Ibo?"))
    assert (collection.name, collection.lang, collection.split, collection.truncated) == ("miracl", "yo", "dev", False)


def test_files_may_lie_elsewhere(tmp_path: Path) -> None:
    for number, place in enumerate(["topics", ".", "miracl-v1.0-yo"]):
        root = tmp_path / str(number)
        root.mkdir()
        expected = facts(read_miracl(write_files(root / "a"), "yo"))
        source, folder = root / "a" / "miracl-v1.0-yo", root / "b"
        for kind in ("topics", "qrels"):
            name = f"{kind}.miracl-v1.0-yo-dev.tsv"
            target = folder / ("qrels" if place == "topics" and kind == "qrels" else place) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / kind / name, target)
        shutil.copytree(root / "a" / "miracl-corpus-v1.0-yo", folder / "miracl-corpus" / "miracl-corpus-v1.0-yo")
        assert is_miracl(folder), place
        assert facts(read_miracl(folder, "yo")) == expected, place


def test_e6_rows_of_the_hub_with_and_without_the_corpus(tmp_path: Path) -> None:
    for number, name in enumerate(["yo/dev.jsonl", "miracl-v1.0-yo-dev.jsonl.gz", "yo/dev.jsonl.gz"]):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_rows(folder / name, ROWS)
        assert is_miracl(folder), name
        assert miracl_languages(folder) == ("yo",), name
        alone = read_miracl(folder, "yo")
        assert alone.truncated, name
        assert [note.split(":")[0] for note in alone.notes] == ["warning[truncated-corpus]"], name
        assert [chunk.doc_id for chunk in alone.chunks()] == ["10020#1", "10020#0", "7#0"], name
        write_files(folder / "whole")
        shutil.move(folder / "whole" / "miracl-corpus-v1.0-yo", folder)
        assert facts(read_miracl(folder, "yo")) == facts(read_miracl(write_files(folder / "whole"), "yo")), name


def test_e6_hidden_splits_are_refused_with_advice(tmp_path: Path) -> None:
    write_files(tmp_path)
    for split in ("test-b", "testB", "TEST-B"):
        with pytest.raises(InputError, match=rf"miracl-yo's split '{split}' are withheld .*; evaluate on 'dev'"):
            read_miracl(tmp_path, "yo", split)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert not is_miracl(tmp_path)
    with pytest.raises(InputError, match=r"no MIRACL files here, such as topics/topics\.miracl-v1\.0-yo-dev\.tsv"):
        read_miracl(tmp_path, "yo")
    write_files(tmp_path, "de")
    write_files(tmp_path, "yo")
    assert miracl_languages(tmp_path) == ("de", "yo")
    with pytest.raises(InputError, match="no queries in 'fr'; known: de, yo"):
        read_miracl(tmp_path, "fr")
    with pytest.raises(InputError, match="no split 'train' in 'yo'; known: dev"):
        read_miracl(tmp_path, "yo", "train")
    shutil.rmtree(tmp_path / "miracl-corpus-v1.0-yo")
    with pytest.raises(InputError, match=r"no miracl-corpus-v1.0-yo/docs-0\.jsonl\.gz; it is in miracl/miracl-corpus"):
        read_miracl(tmp_path, "yo")
    shutil.rmtree(tmp_path / "miracl-v1.0-yo" / "qrels")
    with pytest.raises(InputError, match=r"no qrels\.miracl-v1\.0-yo-dev\.tsv beside the topics"):
        read_miracl(tmp_path, "yo")


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"query_id": 1.5, "query": ""}, "'query_id' must be a text or a whole number, not 1.5"),
        ({"query_id": "8", "query": ""}, "query '8' occurs twice"),
        ({"query_id": "9", "query": "", "positive_passages": "7#0"}, "'positive_passages' must be a list of objects"),
        (
            {"query_id": "9", "query": "", "negative_passages": ["7#0"]},
            "'negative_passages' must be a list of",
        ),
        ({"query_id": "9", "positive_passages": [{"docid": 7.5}]}, "'docid' must be a text or a whole number"),
        (
            {"query_id": "9", "positive_passages": [PASSAGES["7#0"]], "negative_passages": [PASSAGES["7#0"]]},
            "passage '7#0' is both positive and negative",
        ),
    ]
    for number, (row, message) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = write_rows(folder / "yo" / "dev.jsonl", [*ROWS, row])
        with pytest.raises(InputError) as caught:
            read_miracl(folder, "yo")
        assert str(caught.value).startswith(f"{path}:3: {message}"), row


def test_a_bad_passage_is_named_with_its_shard(tmp_path: Path) -> None:
    write_files(tmp_path)
    path = write_rows(tmp_path / "miracl-corpus-v1.0-yo" / "docs-11.jsonl", [{"docid": "1"}])
    with pytest.raises(InputError) as caught:
        list(read_miracl(tmp_path, "yo").chunks())
    assert str(caught.value).startswith(f"{path}:1: no 'text'")


@settings(max_examples=25, deadline=None)
@given(collections(texts=LINES))
def test_e6_a_collection_survives_miracl(collection: Collection) -> None:
    with TemporaryDirectory() as folder:
        write_miracl(collection, Path(folder))
        assert facts(read_miracl(Path(folder), "ko")) == facts(collection)


def test_written_again_over_more_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(miracl, "_SHARD_DOCS", 1)
    write_miracl(SMALL, tmp_path)
    corpus = tmp_path / "miracl-corpus-v1.0-hi"
    assert sorted(path.name for path in corpus.iterdir()) == [f"docs-{n}.jsonl.gz" for n in range(3)]
    assert facts(read_miracl(tmp_path, "hi")) == facts(SMALL)
    monkeypatch.setattr(miracl, "_SHARD_DOCS", 2)
    write_miracl(SMALL, tmp_path)
    assert sorted(path.name for path in corpus.iterdir()) == ["docs-0.jsonl.gz", "docs-1.jsonl.gz"]
    assert facts(read_miracl(tmp_path, "hi")) == facts(SMALL)


def test_e6_languages_are_the_eighteen() -> None:
    assert (
        " ".join(sorted(entry.lang for entry in catalogue("miracl")))
        == "ar bn de en es fa fi fr hi id ja ko ru sw te th yo zh"
    )


@pytest.mark.shared
@pytest.mark.parametrize(
    ("lang", "n_queries", "n_rows", "n_negative"), [("de", 305, 3144, 2_333), ("yo", 119, 1188, 1_044)]
)
def test_real_topics_and_judgements(
    shared_data: Path, tmp_path: Path, lang: str, n_queries: int, n_rows: int, n_negative: int
) -> None:
    folder = shared_data / "ir" / "qrels-and-topics"
    for kind in ("topics", "qrels"):
        shutil.copy(folder / f"{kind}.miracl-v1.0-{lang}-dev.tsv", tmp_path)
    write_rows(tmp_path / f"miracl-corpus-v1.0-{lang}" / "docs-0.jsonl.gz", [PASSAGES["7#0"]])
    collection = read_miracl(tmp_path, lang)
    assert len(collection.queries) == len(collection.qrels) == n_queries
    assert sum(map(len, collection.qrels.values())) == n_rows
    assert sum(not grade for docs in collection.qrels.values() for grade in docs.values()) == n_negative
