"""Any data set is told by its content and read as collections."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ragaliq.benchmark.collections import FORMATS, detect_format, load_collections
from ragaliq.benchmark.convert.own_writer import write_benchmark
from ragaliq.benchmark.load import load_benchmark
from ragaliq.benchmark.trec_folder import write_trec
from ragaliq.errors import ConfigError, InputError
from ragaliq.formats.beir import write_beir
from ragaliq.formats.freshstack import write_freshstack
from ragaliq.formats.miracl import write_miracl
from ragaliq.formats.mmarco import write_mmarco
from ragaliq.formats.squad import write_squad
from unit.benchmark.small_collection import FULL, PLAIN, facts, write_languages_of_mmarco
from unit.formats.sets import items_for

# FreshStack counts the nuggets that a document supports.
COUNTED = replace(FULL, qrels={"q1": {"tür-1": 1, "d#4": 0}, "q2": {"tür-2": 1, "repo/lies mich.md_0": 1}},
                  items=items_for(FULL.queries, FULL.references))  # fmt: skip
ONE_EACH = replace(PLAIN, qrels={"q1": {"tür-1": 1}, "q2": {"tür-2": 1}})


def write_upstream(folder: Path) -> None:
    folder.mkdir()
    (folder / "orientation_de.md").write_text("Die Tür ist rot.\n", encoding="utf-8")
    questions = [{"question": "Welche Farbe?", "answer": "Rot."}]
    (folder / "questions_de.json").write_text(json.dumps(questions), encoding="utf-8")


def zipped(folder: Path) -> None:
    write_beir(PLAIN, folder / "haus")
    with zipfile.ZipFile(folder / "haus.zip", "w") as archive:
        for path in (folder / "haus").rglob("*"):
            archive.write(path, path.relative_to(folder))
    shutil.rmtree(folder / "haus")


WRITERS: dict[str, Callable[[Path], object]] = {
    "ragaliq": lambda folder: write_benchmark({"de": FULL}, folder),
    "upstream": write_upstream,
    "beir": lambda folder: write_beir(PLAIN, folder),
    "miracl": lambda folder: write_miracl(PLAIN, folder),
    "mmarco": lambda folder: write_mmarco(PLAIN, folder),
    "freshstack": lambda folder: write_freshstack(COUNTED, folder),
    "squad": lambda folder: write_squad(ONE_EACH, folder),
    "trec": lambda folder: write_trec({"de": FULL}, folder),
}


def test_a_format_is_told_by_its_content(tmp_path: Path) -> None:
    for number, fmt in enumerate(WRITERS):
        folder = tmp_path / str(number)
        folder.mkdir()
        WRITERS[fmt](folder / "data")
        # What other folders hold too.
        (folder / "data" / "README.md").write_text("about")
        (folder / "data" / "LICENSE.txt").write_text("free")
        assert detect_format(folder / "data") == fmt, fmt
        (collection,) = load_collections(folder / "data", langs=["de"]).values()
        assert collection.lang == "de", fmt
        assert "Welche Farbe" in collection.queries[0].text, fmt
        assert any("Tür ist rot" in chunk.text for chunk in collection.chunks()), fmt
        assert all(not note.startswith("warning[wrong") for note in collection.notes), fmt


@pytest.mark.shared
def test_cranfield_and_xquad_are_told_too(shared_data: Path) -> None:
    assert detect_format(shared_data / "cranfield") == "cranfield"
    assert detect_format(shared_data / "xquad") == "squad"
    assert detect_format(shared_data / "xquad" / "xquad.ru.json") == "squad"
    assert detect_format(shared_data / "ragaliq" / "data") == "upstream"
    assert list(load_collections(shared_data / "xquad")) == ["de", "en", "ru", "zh"]
    (ru,) = load_collections(shared_data / "xquad" / "xquad.ru.json").values()
    assert (ru.lang, len(ru.queries), len(ru.references)) == ("ru", 1190, 1190)


def test_every_format_has_its_test() -> None:
    assert set(FORMATS) == {*WRITERS, "cranfield"}


def test_an_archive_is_read_where_it_lies(tmp_path: Path) -> None:
    zipped(tmp_path)
    (collection,) = load_collections(tmp_path / "haus.zip", langs=["de"]).values()
    assert facts(collection)["qrels"] == facts(PLAIN)["qrels"]
    (inside,) = load_collections(tmp_path / "haus.zip" / "haus", langs=["de"]).values()
    assert facts(inside) == facts(collection)


def test_folders_named_by_languages_are_one_data_set(tmp_path: Path) -> None:
    write_beir(PLAIN, tmp_path / "haus" / "de")
    write_beir(replace(PLAIN, lang="sr-Cyrl"), tmp_path / "haus" / "sr-Cyrl")
    (tmp_path / "haus" / "images").mkdir()
    found = load_collections(tmp_path / "haus")
    assert {lang: (collection.name, collection.lang) for lang, collection in found.items()} == {
        "de": ("haus", "de"),
        "sr-Cyrl": ("haus", "sr-Cyrl"),
    }
    assert list(load_collections(tmp_path / "haus", langs=["sr-Cyrl"])) == ["sr-Cyrl"]
    with pytest.raises(InputError, match="unknown language 'en'"):
        load_collections(tmp_path / "haus", langs=["en"])


def test_the_split_of_beir_that_is_reported(tmp_path: Path) -> None:
    for number, (splits, reported) in enumerate(
        [
            (["train", "test", "dev"], "test"),
            (["train", "dev"], "dev"),
            (["train"], "train"),
            (["zoo", "extra"], "extra"),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        for split in splits:
            write_beir(replace(PLAIN, split=split), folder)
        assert load_collections(folder)["en"].split == reported, splits


def test_our_own_layout_keeps_all_it_has(sample: Path) -> None:
    found = load_collections(sample, langs=["ru", "zh"])
    benchmark = load_benchmark(sample, ["ru", "zh"])
    assert list(found) == ["ru", "zh"]
    for lang, collection in found.items():
        assert tuple(collection.chunks()) == benchmark.chunks[lang]
        assert collection.nuggets == benchmark.nuggets[lang]
        items = benchmark.items[lang]
        assert collection.queries == tuple(item.query for item in items)
        assert collection.references == {item.query.query_id: item.reference for item in items}
        assert collection.gold == {item.query.query_id: item.gold for item in items}
        unanswerable = {item.query.query_id for item in items if not item.answerable}
        assert len(unanswerable) == 26 and not unanswerable & collection.qrels.keys()


def test_without_qrels_they_follow_from_nuggets_and_gold(tmp_path: Path, sample: Path) -> None:
    copy = shutil.copytree(sample, tmp_path / "bench")
    written = load_collections(copy, langs=["de"])["de"].qrels
    shutil.rmtree(copy / "qrels")
    derived = load_collections(copy, langs=["de"])["de"]
    assert derived.qrels == written
    assert all("differs from the hash" in note for note in derived.notes)


def test_upstream_has_queries_and_no_judgements(tmp_path: Path) -> None:
    write_upstream(tmp_path / "up")
    (collection,) = load_collections(tmp_path / "up").values()
    assert (collection.qrels, list(collection.references.values())) == ({}, ["Rot."])
    assert [chunk.text for chunk in collection.chunks()] == ["Die Tür ist rot."]
    assert "retrieval over it can be run, not measured" in collection.notes[0]


def test_a_part_of_a_corpus_is_marked(tmp_path: Path) -> None:
    write_beir(PLAIN, tmp_path / "b")
    (part,) = load_collections(tmp_path / "b", max_docs=3).values()
    assert [chunk.doc_id for chunk in part.chunks()] == [chunk.doc_id for chunk in PLAIN.chunks()]
    few = replace(PLAIN, qrels={"q1": {"tür-1": 1}})
    write_beir(few, tmp_path / "c")
    (part,) = load_collections(tmp_path / "c", max_docs=2).values()
    assert part.truncated
    assert len(list(part.chunks())) == 2
    assert any(note.startswith("warning[truncated-corpus]: ") for note in part.notes)


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    cases = [
        ("nowhere", {}, "nowhere: no such folder or file; check the path"),
        ("empty", {}, "empty: no data set of a known format here; name it (--format, --from); known: beir, cranfield"),
        ("empty", {"fmt": "bier"}, "unknown format 'bier'; did you mean 'beir'?"),
        ("empty", {"fmt": "beir"}, "empty: no corpus.jsonl here"),
        ("beir", {"langs": ["de", "en"]}, "--lang: this data set is in one language; name it alone"),
        ("beir", {"split": "dev"}, "no split 'dev'"),
        ("beir", {"max_docs": 0}, "max_docs must be at least 1"),
        ("ragaliq", {"split": "dev"}, "--split: 'ragaliq' has no splits; leave it out"),
        ("ragaliq", {"langs": ["en"]}, "unknown language 'en'"),
        ("squad", {"langs": ["en"]}, "unknown language 'en'; known: all, de"),
        ("x" * 999, {}, "x…: cannot be read ("),
    ]
    for number, (source, options, message) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "empty").mkdir()
        if source in WRITERS:
            WRITERS[source](folder / source)
        with pytest.raises(InputError) as caught:
            load_collections(folder / source, **options)  # type: ignore[arg-type]
        assert message in str(caught.value), source


def test_the_hub_is_asked_by_a_name_that_can_be_one() -> None:
    with pytest.raises(ConfigError, match=r"hub:NAME\[:CONFIG\]\[@REVISION\] is expected"):
        load_collections("hub:")
    with pytest.raises(InputError, match="'scifcat' is not in the catalogue; did you mean 'scifact'"):
        load_collections("hub:scifcat")
    with pytest.raises(ConfigError, match="--from miracl: 'beir:scifact' says itself what it is"):
        load_collections("beir:scifact", fmt="miracl")


def test_a_folder_may_be_called_as_a_kind_of_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_beir(PLAIN, tmp_path / "beir")
    assert load_collections("beir")["en"].name == "beir"


def test_a_data_set_with_references_can_be_run(tmp_path: Path) -> None:
    write_squad(replace(ONE_EACH, items=items_for(ONE_EACH.queries, {"q1": "rot", "q2": "blau"})), tmp_path / "haus")
    benchmark = load_benchmark(tmp_path / "haus")
    assert (benchmark.name, benchmark.languages) == ("haus", ("de",))
    assert [(item.reference, item.gold, item.answerable) for item in benchmark.items["de"]] == [
        ("rot", (("tür-1",),), True),
        ("blau", (("tür-2",),), True),
    ]
    assert benchmark.chunks["de"] == tuple(replace(chunk, source_id=chunk.doc_id, start=0, end=len(chunk.text))
                                           for chunk in FULL.chunks())  # fmt: skip
    file = load_benchmark(next((tmp_path / "haus").glob("*.json")))
    assert file.items == benchmark.items
    before = benchmark.hash
    write_squad(ONE_EACH, tmp_path / "haus")
    assert load_benchmark(tmp_path / "haus").hash != before


def test_e7_queries_in_one_language_and_documents_in_another(tmp_path: Path) -> None:
    """Requirement E7: `en-de` are English queries over German documents."""
    write_languages_of_mmarco(tmp_path)
    pairs = load_collections(tmp_path, langs=["en-de", "de"])
    assert {lang: (own.lang, own.queries[0].lang) for lang, own in pairs.items()} == {
        "de": ("de", "de"),
        "en-de": ("de", "en"),
    }
    assert pairs["en-de"].qrels == pairs["de"].qrels
    assert list(load_collections(tmp_path)) == ["de", "en"]
    for lang, said in (("en-fr", "no documents in 'fr'; known: de, en"), ("xx-de", "no language 'xx'"), ("fr", "'fr'")):
        with pytest.raises(InputError, match=said):
            load_collections(tmp_path, langs=[lang])
