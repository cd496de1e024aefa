"""Ranks of several files of grades."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graded_runs import write_graded_run
from ragaliq.aggregate.grades.query_grades import read_query_grades
from ragaliq.cli import main
from ragaliq.compare.file_ranks import FileRanks, rank_files
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.metrics.statistics.ranks.rank_sets import simultaneous
from ragaliq.storage import files
from ragaliq.storage.files import write_json, write_jsonl

Aggregate = Callable[..., list[dict[str, Any]]]
GOOD, BAD = [5] * 12, [1] * 12


@pytest.fixture
def aggregate(capsys: pytest.CaptureFixture[str]) -> Aggregate:
    def called(*paths: Path) -> list[dict[str, Any]]:
        assert main(["aggregate", *map(str, paths), "--format", "json"]) == 0
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
        return found

    return called


def ranks(*paths: Path) -> FileRanks:
    return rank_files([(str(path), grades) for path in paths for grades in read_query_grades(path)])


def write_log(folder: Path, system: str, scores: Sequence[int], judge: str = "", lang: str = "de") -> Path:
    name = f"questions_{lang}_{system}_{lang}"
    path = folder / "eval" / f"eval_res_{name}.json"
    write_json(path, [{"question": f"Frage {number}?", "score": score} for number, score in enumerate(scores)])
    if judge:
        (folder / "res").mkdir(exist_ok=True)
        (folder / "res" / f"results_{name}.txt").write_text(f"Judge model: {judge}\n")
    return path


def test_logs_of_one_language_and_judge_are_ranked(tmp_path: Path, aggregate: Aggregate) -> None:
    paths = [
        write_log(tmp_path, "a_e_r", GOOD, "j"),
        write_log(tmp_path, "b_e_r", BAD, "j"),
        write_log(tmp_path, "c_e_r", GOOD, "j"),
        write_log(tmp_path, "a_e_r", GOOD, "j", "fr"),
    ]
    rows = aggregate(*paths)
    assert [(row["lang"], row["rank_ci"]) for row in rows] == [
        ("de", [1, 2]), ("de", [3, 3]), ("de", [1, 2]), ("fr", None),
    ]  # fmt: skip
    assert ranks(*paths).notes == (
        "de: Ranks over the 12 of 12 queries that all 3 have graded. "
        "a_e_r is better than b_e_r; c_e_r is better than b_e_r.",
    )


def test_a_table_of_two_judges_is_flagged_and_not_ranked(
    tmp_path: Path, aggregate: Aggregate, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [write_log(tmp_path, "a_e_r", GOOD, "one"), write_log(tmp_path, "b_e_r", BAD, "two")]
    assert [(row["judge"], row["rank_ci"]) for row in aggregate(*paths)] == [("one", None), ("two", None)]
    assert main(["aggregate", *map(str, paths)]) == 0
    told = capsys.readouterr().out
    assert told.endswith("\n\n- de: graded by different judges (one, two): the order is not a ranking.\n")
    unknown = write_log(tmp_path, "c_e_r", GOOD)
    assert "different judges (—, one)" in ranks(paths[0], unknown).notes[0]


def test_other_numbers_of_queries_are_not_ranked(tmp_path: Path, aggregate: Aggregate) -> None:
    runs = [write_graded_run(tmp_path / name, {"en": own}).path for name, own in (("a", GOOD), ("b", BAD[:11]))]
    assert [row["rank_ci"] for row in aggregate(*runs)] == [None, None]
    notes = ranks(*runs).notes
    assert notes == ("en: not ranked: they answer different numbers of queries (11, 12).",)
    logs = [write_log(tmp_path, "a_e_r", GOOD), write_log(tmp_path, "b_e_r", BAD[:11])]
    assert [row["rank_ci"] for row in aggregate(*logs)] == [None, None]
    assert ranks(*logs).notes == ("de: not ranked: too few of the 12 queries have a value in b_e_r.",)


def test_a_run_and_a_file_of_rows_are_joined_by_question(tmp_path: Path, aggregate: Aggregate) -> None:
    def row(number: int, grade: int) -> dict[str, Any]:
        return {"lang": "en", "question": f"question q{number:02}", "grade": grade, "judge": "j"}

    run = write_graded_run(tmp_path / "run", {"en": GOOD}, judge="j", prompt_hash="").path
    rows, with_ids = tmp_path / "rows.jsonl", tmp_path / "with_ids.jsonl"
    write_jsonl(rows, [row(number, 1) for number in range(1, 13)])
    write_jsonl(with_ids, [{"query_id": f"q{number:02}", **row(number, 5)} for number in range(1, 13)])
    assert [row["rank_ci"] for row in aggregate(run, rows)] == [[1, 1], [2, 2]]
    assert [row["rank_ci"] for row in aggregate(rows, with_ids)] == [[2, 2], [1, 1]]
    assert [row["rank_ci"] for row in aggregate(run, with_ids)] == [[1, 2], [1, 2]]


def test_the_same_files_in_another_order_have_the_same_ranks(tmp_path: Path) -> None:
    scores = [[5, 4, 3, 0, 2, 5, 5, 4], [4, 4, 3, 1, 2, 5, 3, 4], [1, 0, 1, 1, 2, 3, 0, 1]]
    paths = [write_log(tmp_path, f"{name}_e_r", own) for name, own in zip("abc", scores, strict=True)]
    assert ranks(*paths).placed == ranks(*paths[::-1]).placed == ranks(*paths, paths[0]).placed


def test_each_file_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aggregate: Aggregate) -> None:
    """Every JSON text goes through `files.parse_json`; the file without ids makes all of them go by their text."""
    row = {"lang": "en", "question": "question q01", "grade": 5, "judge": "j"}
    write_jsonl(tmp_path / "ids.jsonl", [{"query_id": "q01", **row}])
    write_jsonl(tmp_path / "texts.jsonl", [row])
    run = write_graded_run(tmp_path / "run", {"en": [5]}, judge="j", prompt_hash="").path
    counts: Counter[str] = Counter()
    parse = files.parse_json

    def counted(text: str, where: str, constants: bool = False) -> Any:
        counts[where] += 1
        return parse(text, where, constants)

    monkeypatch.setattr(files, "parse_json", counted)
    aggregate(tmp_path / "ids.jsonl", tmp_path / "texts.jsonl", run)
    assert len(counts) == 5 and set(counts.values()) == {1}


@pytest.mark.slow
@pytest.mark.shared
def test_on_the_reference_logs_no_pair_is_called_different_that_the_test_does_not_separate(
    shared_data: Path, aggregate: Aggregate
) -> None:
    logs = sorted((shared_data / "ragaliq" / "logs" / "eval").glob("eval_res_*_en.json"))
    rows = aggregate(*logs)
    assert len(rows) == 9
    assert {row["judge"] for row in rows} == {"qwen/qwen-2.5-72b-instruct"}
    by_text = [
        {row["question"].strip(): WEIGHTS[row["score"]] for row in json.loads(log.read_text(encoding="utf-8"))}
        for log in logs
    ]
    asked = sorted(set.intersection(*map(set, by_text)))
    assert len(asked) == 69
    found = simultaneous(np.array([[own[query] for own in by_text] for query in asked]))
    assert [row["rank_ci"] for row in rows] == [[own.low, own.high] for own in found.ranks]
    separated = {(pair.a, pair.b) for pair in found.pairs if pair.p_max_t < 0.05}
    for first, second in combinations(range(9), 2):
        one, two = rows[first]["rank_ci"], rows[second]["rank_ci"]
        if one[1] < two[0] or two[1] < one[0]:
            assert (first, second) in separated


@pytest.mark.shared
def test_a_table_of_the_logs_and_another_judge_is_flagged(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = next((shared_data / "ragaliq" / "logs" / "eval").glob("eval_res_*Qwen*_zh.json"))
    rows = [
        {"lang": "zh", "question": row["question"], "grade": row["score"], "judge": "another"}
        for row in json.loads(log.read_text(encoding="utf-8"))
    ]
    write_jsonl(tmp_path / "rows.jsonl", rows)
    assert main(["aggregate", str(log), str(tmp_path / "rows.jsonl")]) == 0
    assert "graded by different judges (another, qwen/qwen-2.5-72b-instruct)" in capsys.readouterr().out
    assert main(["compare", str(log), str(tmp_path / "rows.jsonl")]) == 2
    assert "graded by different judges" in capsys.readouterr().err
