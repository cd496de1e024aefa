"""What a build exports: a benchmark, its unfiltered twin, judgements in three forms; its own files and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragaliq.benchmark.checks.validate import validate
from ragaliq.benchmark.convert.convert import Conversion, convert
from ragaliq.benchmark.own_reader import read_own
from ragaliq.build.context import BuildContext
from ragaliq.build.stages.export import export
from ragaliq.build.stages.filter import filter_queries
from ragaliq.build.stages.judge import judge
from ragaliq.build.stages.pool import pool
from ragaliq.build.stages.relevance import relevance
from ragaliq.errors import InputError
from ragaliq.formats.freshstack import read_freshstack
from ragaliq.formats.trec.qrels import read_nugget_qrels, read_qrels, sum_nuggets
from ragaliq.storage.files import read_json, read_jsonl, write_json
from unit.build.written_build import SOURCE, Support, fact, settings, written_build

SUPPORT: Support = {
    "12": {"12_0": ["d01", "d02"], "12_1": ["d02"]},
    "123": {"123_0": ["d03"]},
    "de_q1": {"de_q1_0": ["d04"], "de_q1_1o": ["d05"]},
    "half": {"half_0": ["d06"], "half_1": []},
    "none": {"none_0": []},
}


def exported(path: Path, support: Support = SUPPORT, **sections: Any) -> BuildContext:
    more = {"pool": {"retrievers": ["bm25"], "negatives": 3}} | sections
    context = written_build(path, support, 12, **more)
    run(context)
    return context


def run(context: BuildContext) -> None:
    for stage in (pool, judge, relevance, filter_queries, export):
        stage(context)


def rows(path: Path) -> list[dict[str, Any]]:
    return [dict(row) for _, row in read_jsonl(path)]


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_c15_nugget_qrels_and_the_count_and_binary_qrels_that_follow_from_them(tmp_path: Path) -> None:
    exported(tmp_path)
    nuggets = read_nugget_qrels(tmp_path / "nugget_qrels" / "en.tsv")
    counts = read_qrels(tmp_path / "qrels" / "en.tsv")
    assert counts == sum_nuggets(nuggets)
    assert {doc_id: rel for doc_id, rel in counts["12"].items() if rel} == {"d01": 1, "d02": 2}
    assert {doc_id for doc_id, rel in nuggets["12"]["12_1"].items() if rel} == {"d02"}
    # All five that were judged for the query stand there, in each form.
    assert len(counts["12"]) == len(nuggets["12"]["12_0"]) == 5
    assert read_qrels(tmp_path / "binary_qrels" / "en.tsv") == {
        query_id: {doc_id: min(rel, 1) for doc_id, rel in judged.items()} for query_id, judged in counts.items()
    }


def test_upstream_5_no_query_gets_the_nuggets_of_another_and_ids_keep_their_underscores(tmp_path: Path) -> None:
    exported(tmp_path)
    # FreshStack's loader took what begins with the query's id: 12 got 123_0; and split at the first underscore: de.
    collection = read_own(tmp_path)["en"]
    assert {nugget.nugget_id: nugget.query_id for nugget in collection.nuggets} == {
        "12_0": "12", "12_1": "12", "123_0": "123", "de_q1_0": "de_q1", "de_q1_1o": "de_q1",
    }  # fmt: skip
    assert {query_id: {d for d, rel in judged.items() if rel} for query_id, judged in collection.qrels.items()} == {
        "12": {"d01", "d02"}, "123": {"d03"}, "de_q1": {"d04", "d05"},
    }  # fmt: skip


def test_c14_the_unfiltered_twin_has_what_the_rules_removed(tmp_path: Path) -> None:
    exported(tmp_path)
    twin = tmp_path / "build" / "unfiltered"
    kept, whole = (
        {row["query_id"]: row for row in rows(folder / "queries" / "en.jsonl")} for folder in (tmp_path, twin)
    )
    assert kept.keys() == {"12", "123", "de_q1"} and whole.keys() == SUPPORT.keys()
    assert all(whole[query_id] == row for query_id, row in kept.items())
    # Of a query without any support nobody can say which documents are gold.
    assert whole["half"]["gold"] == [["d06"]] and "gold" not in whole["none"] and whole["none"]["answerable"]
    assert (twin / "corpus/en.jsonl").read_bytes() == (tmp_path / "corpus/en.jsonl").read_bytes()
    assert read_own(twin)["en"].qrels["none"].keys() == {
        doc_id for doc_id in read_qrels(twin / "qrels/en.tsv")["none"]
    }  # fmt: skip
    assert read_json(twin / "bench.json")["name"] == "house-unfiltered"


def test_unanswerable_queries_ship_without_answer_nuggets_and_sources(tmp_path: Path) -> None:
    support = {f"q{n}": {f"q{n}n1": [f"d{n:02}"]} for n in range(1, 6)}
    context = exported(tmp_path, support, unanswerable=0.2)
    (lost,) = (row for row in rows(tmp_path / "queries" / "en.jsonl") if not row["answerable"])
    number = int(lost["query_id"][1:])
    secret = fact(f"q{number}n1")
    assert lost["reference"] == "The answer was not found in the documents." and lost["gold"] == []
    assert lost["type"] == "unanswerable" and lost["near_miss"] in {
        c["doc_id"] for c in rows(tmp_path / "corpus/en.jsonl")
    }
    shipped = tmp_path / "sources" / "en" / SOURCE
    before = (context.workspace.build / "documents" / SOURCE).read_text()
    after = shipped.read_text()
    assert secret in before and len(after) == len(before) and after.count("\n") == before.count("\n")
    # The question asks with the first words; what follows them ships nowhere.
    for path in (path for path in tmp_path.rglob("*") if path.is_file() and "build" not in path.parts):
        assert secret not in path.read_text() or (path.name == "en.jsonl" and path.parent.name == "queries")
    for row in rows(tmp_path / "corpus" / "en.jsonl"):
        assert after[row["start"] : row["end"]] == row["text"]
    assert f"q{number}" not in read_qrels(tmp_path / "qrels/en.tsv")


def test_both_sets_are_valid_benchmarks(tmp_path: Path) -> None:
    exported(tmp_path)
    for folder in (tmp_path, tmp_path / "build" / "unfiltered"):
        # The words of the small build are of no language, and its questions ask with the words of the answer.
        known = ("does not look like", "contains its own answer")
        assert [line for line in validate(folder) if not any(words in line for words in known)] == []


def test_a_second_build_into_the_folder_replaces_its_own_files_alone(tmp_path: Path) -> None:
    context = exported(tmp_path, judge={"relevance": True})
    mine = {"exam/en.jsonl": "mine", "qrels/notes.txt": "mine", "report.md": "mine", "sources/en/own.md": "mine"}
    for name, text in mine.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    first = files(tmp_path)
    assert "relevance_qrels/en.tsv" in first
    # As an export with a document of another language, some folders deep, would have left it.
    gone = tmp_path / "sources" / "de" / "docs" / "a.md"
    gone.parent.mkdir(parents=True)
    gone.write_text("x")
    listed = tmp_path / "build" / "export_files.json"
    write_json(listed, [*read_json(listed), "sources/de/docs/a.md"])
    context.workspace.settings_file.write_text(settings(pool={"retrievers": ["bm25"], "negatives": 3}, version="2"))
    again = BuildContext(type(context.workspace)(tmp_path), context.session, context.backend)
    run(again)
    assert {name: (tmp_path / name).read_text() for name in mine} == mine
    assert first - files(tmp_path) == {"relevance_qrels/en.tsv", "build/unfiltered/relevance_qrels/en.tsv"}
    assert not (tmp_path / "relevance_qrels").exists() and not (tmp_path / "sources" / "de").exists()
    head = read_json(tmp_path / "bench.json")
    assert head["version"] == "2" and "sources/en/own.md" not in head["hashes"]


def test_a_file_that_no_export_wrote_is_not_replaced(tmp_path: Path) -> None:
    context = written_build(tmp_path, SUPPORT)
    for stage in (pool, judge, relevance, filter_queries):
        stage(context)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "en.tsv").write_text("mine")
    with pytest.raises(InputError, match=r"qrels/en.tsv: is in the way"):
        export(context)
    assert (tmp_path / "qrels" / "en.tsv").read_text() == "mine" and not (tmp_path / "bench.json").exists()


def test_exporting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    context = exported(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    export(context)
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


def test_no_query_left_is_said_with_the_place_of_the_reasons(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"filter.jsonl: no query is left"):
        exported(tmp_path, {"none": {"none_0": []}})


def test_c13_a_missing_cell_has_no_row_in_the_nugget_qrels(tmp_path: Path) -> None:
    context = written_build(tmp_path, SUPPORT)
    for stage in (pool, judge, relevance, filter_queries):
        stage(context)
    changed = context.workspace.rows("filter")
    for row in changed:
        if row.item_id == "12":
            dict.update(row.value, missing=[["12_1", "d01"]])
    context.workspace.write_rows("filter", changed)
    export(context)
    assert read_nugget_qrels(tmp_path / "nugget_qrels" / "en.tsv")["12"] == {
        "12_0": {"d01": 1, "d02": 1},
        "12_1": {"d02": 1},
    }


def test_the_freshstack_form_gives_the_same_back(tmp_path: Path) -> None:
    exported(tmp_path / "bench")
    job = Conversion(source=str(tmp_path / "bench"), source_format="", target_format="freshstack")
    convert(job, tmp_path / "out")
    ours, theirs = read_own(tmp_path / "bench")["en"], read_freshstack(tmp_path / "out")
    assert theirs.qrels == ours.qrels and theirs.references == ours.references
    assert [(n.nugget_id, n.query_id, n.text, n.doc_ids) for n in theirs.nuggets] == [
        (n.nugget_id, n.query_id, n.text, n.doc_ids) for n in ours.nuggets
    ]
    assert [(c.doc_id, c.text) for c in theirs.chunks()] == [(c.doc_id, c.text) for c in ours.chunks()]
