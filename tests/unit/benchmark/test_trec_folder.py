"""Folders of TREC files, written and read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragaliq.benchmark.trec_folder import is_trec, read_trec, write_trec
from ragaliq.errors import InputError
from ragaliq.formats.trec.qrels import read_nugget_qrels, read_qrels
from unit.benchmark.small_collection import FULL, PLAIN, facts


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_b1_both_views_of_the_judgements_are_written(tmp_path: Path) -> None:
    notes = write_trec({"de": FULL}, tmp_path, min_rel=2)
    assert notes == ["de: trec holds which documents support a nugget, not its text and importance"]
    assert lines(tmp_path / "qrels.de.txt") == [
        "q1 0 d#4 0", "q1 0 tür-1 2", "q2 0 repo/lies mich.md_0 3", "q2 0 tür-2 1",
    ]  # fmt: skip
    assert lines(tmp_path / "qrels.de.binary.txt") == [
        "q1 0 d#4 0", "q1 0 tür-1 1", "q2 0 repo/lies mich.md_0 1", "q2 0 tür-2 0",
    ]  # fmt: skip
    assert lines(tmp_path / "topics.de.tsv")[0] == "q1\tWelche Farbe hat die Tür?"


def test_c15_nugget_judgements_and_what_follows_from_them(tmp_path: Path) -> None:
    write_trec({"de": FULL}, tmp_path)
    assert lines(tmp_path / "qrels.de.nuggets.txt") == [
        "q1 q1_1 d#4 0", "q1 q1_1 tür-1 1", "q1 q1_2 d#4 0", "q1 q1_2 tür-1 0",
        "q2 q2_1 repo/lies mich.md_0 1", "q2 q2_1 tür-2 1",
    ]  # fmt: skip
    assert lines(tmp_path / "qrels.de.count.txt") == [
        "q1 0 d#4 0", "q1 0 tür-1 1", "q2 0 repo/lies mich.md_0 1", "q2 0 tür-2 1",
    ]  # fmt: skip
    assert set(read_nugget_qrels(tmp_path / "qrels.de.nuggets.txt")["q1"]) == {"q1_1", "q1_2"}


def test_what_trec_can_hold_comes_back(tmp_path: Path) -> None:
    write_trec({"de": FULL, "ru": replace(FULL, lang="ru")}, tmp_path)
    back = read_trec(tmp_path)
    assert list(back) == ["de", "ru"]
    plain = [chunk.text for chunk in FULL.chunks()]
    assert [chunk.text for chunk in back["de"].chunks()] == plain
    assert facts(back["de"])["qrels"] == facts(FULL)["qrels"]
    assert back["de"].queries == FULL.queries
    assert [(n.nugget_id, n.query_id, set(n.doc_ids)) for n in back["de"].nuggets] == [
        (n.nugget_id, n.query_id, set(n.doc_ids)) for n in FULL.nuggets
    ]
    assert list(read_trec(tmp_path, ["ru"])) == ["ru"]
    with pytest.raises(InputError, match="unknown language 'en'"):
        read_trec(tmp_path, ["en"])
    with pytest.raises(InputError, match="--split: "):
        read_trec(tmp_path, split="dev")


def test_files_by_other_names(tmp_path: Path) -> None:
    (tmp_path / "topics.web.txt").write_text("<top>\n<num> Number: 201\n<title> raspberry pi\n</top>\n")
    (tmp_path / "qrels.web.txt").write_text("201 1 a 1\n201 1 b 0\n201 2 b 2\n202 1 a 1\n")
    assert is_trec(tmp_path)
    (collection,) = read_trec(tmp_path, ["fr"]).values()
    assert collection.lang == "fr"
    assert [(n.nugget_id, n.doc_ids) for n in collection.nuggets] == [
        ("201-1", ("a",)), ("201-2", ("b",)), ("202-1", ("a",)),
    ]  # fmt: skip
    assert collection.qrels == {"201": {"a": 1, "b": 2}, "202": {"a": 1}}
    with pytest.raises(InputError, match=r"corpus\.jsonl: missing; without a corpus there is nothing to retrieve"):
        collection.chunks()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "title": "Titre", "text": "x"}\n')
    (collection,) = read_trec(tmp_path, ["fr"]).values()
    assert [(chunk.doc_id, chunk.title) for chunk in collection.chunks()] == [("a", "Titre")]


def test_one_of_several_files_is_chosen_by_a_part_of_its_name(tmp_path: Path) -> None:
    for split in ("dev", "test"):
        (tmp_path / f"topics.{split}.txt").write_text(f"1\t{split}?\n")
        (tmp_path / f"qrels.{split}.txt").write_text("1 0 a 1\n")
    with pytest.raises(InputError, match=r"one file topics\* is needed, here are: topics.dev.txt, topics.test.txt"):
        read_trec(tmp_path)
    assert read_trec(tmp_path, split="test")["en"].queries[0].text == "test?"
    with pytest.raises(InputError, match=r"one language; name it alone"):
        read_trec(tmp_path, ["de", "en"])
    with pytest.raises(InputError, match="here are: none"):
        read_trec(tmp_path, split="train")


def test_folders_without_qrels_are_none(tmp_path: Path) -> None:
    (tmp_path / "topics").mkdir()
    (tmp_path / "qrels").mkdir()
    assert not is_trec(tmp_path)
    assert not is_trec(tmp_path / "nowhere")


@pytest.mark.shared
def test_the_web_tracks_subtopics_are_nuggets(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "ir" / "qrels-and-topics" / "qrels.web.201-250.ndeval.txt"
    (tmp_path / "qrels.txt").symlink_to(path)
    (tmp_path / "topics.txt").write_text("201\traspberry pi\n")
    (collection,) = read_trec(tmp_path).values()
    assert len({nugget.nugget_id for nugget in collection.nuggets}) == len(collection.nuggets) > 100
    assert len(collection.qrels) == 50


def test_qrels_alone_have_no_nugget_files(tmp_path: Path) -> None:
    write_trec({"de": PLAIN}, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "corpus.de.jsonl", "qrels.de.binary.txt", "qrels.de.txt", "topics.de.tsv",
    ]  # fmt: skip
    assert read_qrels(tmp_path / "qrels.de.txt") == facts(PLAIN)["qrels"]
