"""The language × language matrix, worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fakes import verdict
from parallel import write_parallel
from ragaliq import evaluate, load_benchmark
from ragaliq.aggregate.cross_lingual import covered, cross_lingual_matrices, first_documents
from ragaliq.aggregate.run_figures import read_figures
from ragaliq.config import Component, RunConfig
from ragaliq.formats.trec.run import ScoredDoc
from ragaliq.metrics.statistics.intervals import mean_interval
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.report.markdown.tables.cross_lingual import matrix_section
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer, run_answer_to_row, verdict_to_row
from ragaliq.storage.files import write_json, write_jsonl
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Item, Query
from unit.formats.trec.run_file import write_run

# What one query of a run has: its grade, the documents retrieved, and how many of them the reader was shown.
Row = tuple[int | None, Sequence[str], int]
Rows = Mapping[str, Mapping[str, Row]]


def matrix_sections(folders: Sequence[RunFolder]) -> list[str]:
    return list(map(matrix_section, cross_lingual_matrices(list(map(read_figures, folders)))))


def write(path: Path, kb_lang: str, rows: Rows, data: Path, judge: str = "offline", n: int = 0) -> RunFolder:
    """A graded run; q3 is unanswerable."""
    folder = RunFolder(path)
    parts = {name: {"kind": "fake", "model": ""} for name in ("embedder", "reranker", "retriever")}
    system = {**parts, "reader": {"kind": "fake", "model": "r"}, "seed": 0}
    config = {
        "data": {"name": "hall", "version": "1", "hash": "h", "path": str(data)},
        "system": system if kb_lang == "same" else {**system, "kb_lang": kb_lang},
        "judge": {"kind": judge, "model": "", "name": judge, "prompt_hash": "1"},
        "expected": {lang: {"answerable": n or 2, "unanswerable": 1} for lang in rows},
    }
    write_json(folder.config_file, config)
    answered, verdicts = [], []
    for lang, own in rows.items():
        for query_id, (grade, docs, shown) in own.items():
            query = Query(query_id, lang, "?")
            hits = tuple(
                Hit(Chunk(doc, lang, "t", "", 0, 1), 1 / rank, rank) for rank, doc in enumerate(docs[:shown], 1)
            )
            item = Item(query, "r", query_id != "q3")
            answered.append(run_answer_to_row(RunAnswer(item, Answer(query, "a", AnswerOutcome.ANSWERED, hits))))
            verdicts.append(verdict_to_row(verdict(query_id, grade, lang, judge)))
        run = {
            query_id: [ScoredDoc(doc, 1 / rank) for rank, doc in enumerate(docs, 1)]
            for query_id, (_, docs, _) in own.items()
        }
        write_run(folder.retrieval_file(lang), run, "t")
    write_jsonl(folder.answers_file, answered)
    write_jsonl(folder.verdicts_file, verdicts)
    return folder


def tables(section: str) -> list[list[list[str]]]:
    """The tables of a section as rows of cells, without the row of dashes."""
    found = []
    for table in re.findall(r"(?:^\|.*\|\n?)+", section, re.MULTILINE):
        lines = [line for line in table.splitlines() if "--" not in line]
        found.append([[cell.strip() for cell in line.strip("|").split("|")] for line in lines])
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_parallel(tmp_path / "hall")


def runs(tmp_path: Path, data: Path) -> list[RunFolder]:
    """German and Chinese queries over their own documents, over German ones, and over all; gold: canteen, lost."""
    same: Rows = {
        "de": {"q1": (5, ["canteen"], 1), "q2": (3, ["permit", "lost"], 2), "q3": (0, [], 0)},
        "zh": {"q1": (5, ["canteen"], 1), "q2": (5, ["lost"], 1), "q3": (5, [], 0)},
    }
    german: Rows = {
        "de": {"q1": (4, ["canteen"], 1), "q2": (3, ["permit", "lost"], 2), "q3": (0, [], 0)},
        "zh": {"q1": (0, ["permit"], 1), "q2": (None, ["permit", "lost"], 1), "q3": (0, [], 0)},
    }
    mixed: Rows = {"zh": {"q1": (5, ["canteen@zh", "canteen@de"], 2), "q2": (1, [], 0), "q3": (0, [], 0)}}
    return [
        write(tmp_path / "runs" / "a", "same", same, data),
        write(tmp_path / "runs" / "b", "de", german, data),
        write(tmp_path / "runs" / "c", "all", mixed, data),
    ]


def test_the_matrix_by_hand(tmp_path: Path, data: Path) -> None:
    (section,) = matrix_sections(runs(tmp_path, data))
    assert section.splitlines()[0] == "## fake:r, fake, fake, fake"
    weights, differences, retrieved, shown = tables(section)
    # de over de is the run with kb_lang de, not that of each language over its own: (.8 + .6) / 2.
    # zh over de: 0 alone has a grade; zh over all: (1 + 0) / 2.
    assert weights == [
        ["queries", "de", "zh", "all"],
        ["de", "0.700 (2/2)", "—", "—"],
        ["zh", "0.400 (1/2)", "1.000 (2/2)", "0.500 (2/2)"],
    ]
    interval = mean_interval([0.0, -1.0])
    assert interval is not None
    spread = f"{interval.low:+.3f} … {interval.high:+.3f}"
    assert differences[1:] == [["de", "—", "—", "—"], ["zh", "-0.600 (—; 1)", "—", f"-0.500 ({spread}; 2)"]]
    # Both queries count, with a grade or without; q3 has no gold.
    assert retrieved[1:] == [["de", "1.000 (2)", "—", "—"], ["zh", "0.500 (2)", "1.000 (2)", "0.500 (2)"]]
    assert shown[1:] == [["de", "1.000 (2)", "—", "—"], ["zh", "0.000 (2)", "1.000 (2)", "0.500 (2)"]]


def test_without_a_run_across_languages_there_is_no_matrix(tmp_path: Path, data: Path) -> None:
    assert matrix_sections([]) == []
    assert matrix_sections(runs(tmp_path, data)[:1]) == []


def test_runs_of_other_judges_are_other_systems(tmp_path: Path, data: Path) -> None:
    rows: Rows = {"de": {"q1": (5, ["canteen"], 1)}}
    own = write(tmp_path / "a", "same", rows, data, judge="offline")
    foreign = write(tmp_path / "b", "en", rows, data, judge="openai")
    (section,) = matrix_sections([own, foreign])
    # The one that is across languages stands by itself, so that there is nothing to compare it with.
    assert [len(table[0]) for table in tables(section)] == [2, 2, 2]
    judge = {**own.config()["judge"], "certificate": {"n": 120}}
    write_json(foreign.config_file, {**foreign.config(), "judge": judge})
    (section,) = matrix_sections([own, foreign])
    assert tables(section)[0][0] == ["queries", "de", "en"]


def test_a_run_that_repeats_another_is_named(tmp_path: Path, data: Path) -> None:
    rows: Rows = {"de": {"q1": (5, ["canteen"], 1)}}
    (section,) = matrix_sections([write(tmp_path / name, "en", rows, data) for name in ("second", "first")])
    assert section.endswith("Not shown, because they repeat runs that are: second")


def test_without_the_benchmark_the_recall_is_left_out(tmp_path: Path, data: Path) -> None:
    folders = runs(tmp_path, data)

    def check() -> None:
        (section,) = matrix_sections(folders)
        assert len(tables(section)) == 2
        assert f"No recall: {data} has no gold of this version at hand." in section

    write_json(data / "bench.json", {"name": "hall", "version": "2", "languages": ["de", "en", "zh"]})
    check()
    (data / "bench.json").write_text("[", encoding="utf-8")
    check()
    write_parallel(data)
    for lang in ("de", "zh"):
        (data / "queries" / f"{lang}.jsonl").unlink()
    check()


def test_gold_is_covered_if_each_group_has_a_document() -> None:
    gold = (("a", "b"), ("c",))
    assert covered(gold, ["b", "x", "c"]) and not covered(gold, ["a", "b"]) and not covered(gold, [])
    assert covered((), [])


def test_the_first_documents_are_in_the_order_of_trec_eval() -> None:
    assert first_documents({"a": 1.0, "b": 1.0, "c": 2.0}, mixed=False) == ["c", "b", "a"]
    # Each document once, however many of its units come first.
    units = {f"a@{lang}": 9.0 - i for i, lang in enumerate(("de", "en", "fr"))} | {"b@de": 1.0, "c@de": 0.5}
    assert first_documents(units, mixed=True, depth=2) == ["a", "b"]
    assert first_documents({"x@y.de": 1.0, "z": 0.5}, mixed=False) == ["x@y.de", "z"]


def test_the_matrix_of_runs_as_they_are_made(tmp_path: Path, data: Path) -> None:
    made = []
    for kb_lang in ("same", "en", "all"):
        out = tmp_path / "runs" / kb_lang
        config = RunConfig(data=str(data), kb_lang=kb_lang, retriever=Component("bm25"))
        evaluate(config, load_benchmark(data, kb_lang=kb_lang), out, RunOptions())
        made.append(RunFolder(out))
    (section,) = matrix_sections(made)
    weights, _, retrieved, _ = tables(section)
    assert weights[0] == retrieved[0] == ["queries", "de", "en", "zh", "all"]
    # A number or a name of each question stands in the text that answers it, in every language.
    assert [row[2:] for row in retrieved[1:]] == [
        ["1.000 (2)", "—", "1.000 (2)"], ["1.000 (2)", "—", "1.000 (2)"], ["1.000 (2)", "1.000 (2)", "1.000 (2)"],
    ]  # fmt: skip
    assert matrix_sections(list(reversed(made))) == matrix_sections(made)
