"""Collections written in our own layout, and read again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.benchmark.checks.validate import validate
from ragaliq.benchmark.convert.own_writer import write_benchmark
from ragaliq.benchmark.load import load_benchmark, require_references
from ragaliq.benchmark.own_reader import read_own
from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.storage.files import read_json
from ragaliq.types import Importance, Item, Nugget, Query
from unit.benchmark.small_collection import FULL, PLAIN, facts
from unit.formats.sets import collections, items_for


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def test_f3_spans_and_all_else_come_back(tmp_path: Path) -> None:
    assert write_benchmark({"de": FULL}, tmp_path / "bench") == []
    (back,) = read_own(tmp_path / "bench").values()
    assert facts(back) == facts(FULL)
    assert (back.name, back.notes) == ("haus", ())


def test_the_files_are_those_of_the_layout(tmp_path: Path) -> None:
    write_benchmark({"de": FULL}, tmp_path)
    head = read_json(tmp_path / "bench.json")
    assert (head["name"], head["languages"]) == ("haus", ["de"])
    assert set(head["hashes"]) == {"corpus/de.jsonl", "queries/de.jsonl", "nuggets/de.jsonl", "qrels/de.tsv"}
    assert rows(tmp_path / "queries/de.jsonl")[2] == {
        "query_id": "q3", "lang": "de", "text": "Wem gehört das Haus?", "reference": "Das steht nirgends.",
        "answerable": False, "type": "single", "gold": [],
    }  # fmt: skip
    assert (tmp_path / "qrels/de.tsv").read_text(encoding="utf-8").splitlines() == [
        "q1 0 d#4 0", "q1 0 tür-1 2", "q2 0 repo/lies mich.md_0 3", "q2 0 tür-2 1",
    ]  # fmt: skip
    assert validate(tmp_path) == []


def test_gold_comes_from_judgements_where_there_is_none(tmp_path: Path) -> None:
    unjudged = (*FULL.queries, Query("q4", "de", "Wie alt?"))
    qrels = {**PLAIN.qrels, "q2": {"tür-2": 1, "repo/lies mich.md_0": 3}, "q3": {"tür-1": 0, "nirgends": 1}}
    collection = replace(PLAIN, items=items_for(unjudged), qrels=qrels)
    write_benchmark({"de": collection}, tmp_path, min_rel=2)
    items = {item.query.query_id: item for item in load_benchmark(tmp_path).items["de"]}
    assert items["q1"].gold == (("tür-1",),)
    # Relevance 1 is below the threshold of 2.
    assert items["q2"].gold == (("repo/lies mich.md_0",),)
    assert not items["q3"].answerable
    # Nobody judged it: it may be answerable, and its gold is not known.
    assert items["q4"] == Item(Query("q4", "de", "Wie alt?"), "")
    assert read_own(tmp_path)["de"].gold.keys() == {"q1", "q2", "q3"}


def test_gold_that_is_not_in_the_corpus_is_not_written(tmp_path: Path) -> None:
    collection = replace(PLAIN, qrels={"q1": {"tür-1": 1, "fort": 1}, "q2": {"fort": 1}})
    write_benchmark({"de": collection}, tmp_path)
    gold = {item.query.query_id: item.gold for item in load_benchmark(tmp_path).items["de"]}
    assert gold == {"q1": (("tür-1",),), "q2": ()}
    assert "q2 0 fort 1" in (tmp_path / "qrels/de.tsv").read_text()


def test_blank_documents_are_left_out_and_their_judgements_stay(tmp_path: Path) -> None:
    chunks = [
        *FULL.chunks(),
        document("leer", "de", " \n"),
        document("auch", "de", ""),
        document("t", "de", "", "Titel"),
    ]
    collection = replace(PLAIN, chunks=lambda: iter(chunks), qrels={"q1": {"leer": 1, "tür-1": 1}})
    notes = write_benchmark({"de": collection}, tmp_path)
    assert notes == ["de: left out 2 documents without text, 1 of them judged; their judgements stay"]
    back = read_own(tmp_path)["de"]
    assert [chunk.doc_id for chunk in back.chunks()][-1] == "t"
    # A document that is a title alone is its title.
    assert [(chunk.text, chunk.title) for chunk in back.chunks()][-1] == ("Titel", "")
    assert back.qrels["q1"] == {"leer": 1, "tür-1": 1}
    assert read_json(tmp_path / "bench.json")["blank_documents"] == {"de": ["leer"]}
    assert validate(tmp_path) == []


def test_a_nugget_without_text_is_its_id(tmp_path: Path) -> None:
    nugget = Nugget("q1-1", "q1", "de", "", Importance.VITAL, ("tür-1",))
    notes = write_benchmark({"de": replace(PLAIN, nuggets=(nugget,))}, tmp_path)
    assert notes == ["de: 1 nuggets have no text; their id stands for it"]
    assert read_own(tmp_path)["de"].nuggets == (replace(nugget, text="q1-1"),)


def test_what_the_layout_cannot_hold_is_refused(tmp_path: Path) -> None:
    cases = [
        (FULL, "../de", "language '../de': no code such as de"),
        (replace(FULL, chunks=lambda: iter([document("a\tb", "de", "x")])), "de", r"doc id 'a\\tb' holds odd white"),
        (replace(PLAIN, items=items_for([Query("q 1", "de", "x")])), "de", "query id 'q 1' cannot stand"),
    ]
    for number, (collection, lang, message) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(InputError, match=message):
            write_benchmark({lang: collection}, folder)


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something already"):
        write_benchmark({"de": FULL}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_without_references_nothing_can_be_graded(tmp_path: Path) -> None:
    write_benchmark({"de": PLAIN}, tmp_path)
    benchmark = load_benchmark(tmp_path)
    with pytest.raises(InputError, match=r"haus: 2 queries have no reference answer, such as 'q1' \(de\).*--no-judge"):
        require_references(benchmark, benchmark.items)
    require_references(benchmark, {"de": ()})


@given(drawn=collections(texts=st.text(st.characters(exclude_categories=["Cs"]), max_size=12).map(lambda t: t + "字")))
@settings(max_examples=15, deadline=None)
def test_any_ids_and_texts_come_back(drawn: Collection) -> None:
    odd = [chunk.doc_id for chunk in drawn.chunks() if any(c.isspace() and c != " " for c in chunk.doc_id)]
    with TemporaryDirectory() as folder:
        if odd:
            with pytest.raises(InputError, match="odd white space"):
                write_benchmark({"ko": drawn}, Path(folder) / "b")
            return
        write_benchmark({"ko": drawn}, Path(folder) / "b")
        back = read_own(Path(folder) / "b")["ko"]
        assert list(back.chunks()) == list(drawn.chunks())
        assert back.queries == drawn.queries
        assert back.qrels == {query_id: dict(judged) for query_id, judged in drawn.qrels.items()}
