"""results.md of graded files: old logs, tables, runs among them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from graded_runs import write_graded_run
from ragaliq.cli import main
from ragaliq.storage.files import write_json, write_jsonl

Rows = list[dict[str, str]]
Report = Callable[..., tuple[int, Rows]]


@pytest.fixture
def report(tmp_path: Path) -> Report:
    def called(*arguments: object) -> tuple[int, Rows]:
        code = main(["report", *map(str, arguments), "--out", str(tmp_path / "out")])
        return code, table_rows(tmp_path / "out" / "results.md")

    return called


def table_rows(path: Path) -> Rows:
    """The rows of all tables of a Markdown file."""
    rows: Rows = []
    header: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "model_name" in cells:
            header = cells
        elif not line:
            header = []
        elif header and line.startswith("| "):
            rows.append(dict(zip(header, cells, strict=True)))
    return rows


def write_log(folder: Path, system: str, scores: Sequence[int], lang: str = "de", n_answers: int | None = None) -> Path:
    name = f"questions_{lang}_{system}_{lang}"
    answers = [{"question": f"Frage {n}?", "generated_answer": "Ja."} for n in range(n_answers or len(scores))]
    path = folder / "eval" / f"eval_res_{name}.json"
    write_json(path, [{**answer, "score": score} for answer, score in zip(answers, scores, strict=False)])
    if n_answers is not None:
        write_json(folder / "eval" / f"eval_ans_{name}.json", answers)
    (folder / "res").mkdir(exist_ok=True)
    text = "Judge model: org/judge\nMean score: \n4.0\nGeneration time: \n12.5\n\n"
    (folder / "res" / f"results_{name}.txt").write_text(text)
    return path


def test_a_log_is_a_row_with_the_parts_of_its_name_and_what_lies_beside_it(tmp_path: Path, report: Report) -> None:
    weak = write_log(tmp_path, "small_e5_rr", [5, 3, 0], n_answers=3)
    good = write_log(tmp_path, "large_e5_rr", [5, 5, 4])
    other = write_log(tmp_path, "large_e5_rr", [2], "fr")
    code, rows = report(weak, good, other)
    assert code == 0
    names = ("model_name", "embedder_name", "reranker_name", "lang", "generation_time", "n", "coverage", "judge")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("large", "e5", "rr", "de", "12.5", "3", "—", "org/judge"),
        ("small", "e5", "rr", "de", "12.5", "3/3", "1.000", "org/judge"),
        ("large", "e5", "rr", "fr", "12.5", "1", "—", "org/judge"),
    ]
    # ((1 + .6 + .4) / 3)²; the means leave the zero out or not: (5 + 3) / 2, (5 + 3 + 0) / 3 / 5.
    assert [rows[1][name] for name in ("weighted_score", "mean_grade", "percentage_with_zero", "5", "0")] == [
        "0.444", "4.00", "53.3", "1", "1",
    ]  # fmt: skip
    assert rows[0]["file"] == good.name
    # The same command replaces its own file.
    assert report(weak, good, other) == (0, rows)


def test_a_headline_of_too_few_grades_is_withheld(
    tmp_path: Path, report: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_log(tmp_path, "a_b_c", [5, 5, 5], n_answers=4)
    code, (row,) = report(log)
    assert (code, row["weighted_score"], row["n"], row["coverage"]) == (1, "—", "3/4", "0.750")
    assert f"ragaliq: {log.name}: de: coverage 0.75 (3 of 4) is below 0.95" in capsys.readouterr().err
    assert report(log, "--n-expected", 3)[0] == 0
    assert report(log, "--min-coverage", 0.5)[1][0]["weighted_score"] == "1.000"


def test_rows_without_a_grade_count_as_missing(tmp_path: Path, report: Report) -> None:
    rows = [{"lang": "en", "question": f"Q{n}?", "answer": "A.", "grade": grade} for n, grade in enumerate([5, None])]
    write_jsonl(tmp_path / "graded.jsonl", rows)
    code, (row,) = report(tmp_path / "graded.jsonl")
    assert (code, row["model_name"], row["embedder_name"], row["n"]) == (1, "graded", "—", "1/2")


def test_tables_and_runs_stand_beside_logs(tmp_path: Path, report: Report) -> None:
    with (tmp_path / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["question", "answer", "grade"], ["Q?", "A.", "4"]])
    run = write_graded_run(tmp_path / "run", {"de": [5, 4]}).path
    code, rows = report(tmp_path / "table.csv", run, write_log(tmp_path, "a_b_c", [3, 3]))
    assert code == 0
    assert [(row["file"], row["lang"], row["model_name"]) for row in rows] == [
        ("table.csv", "—", "table"),
        ("run", "de", "fake:run"),
        ("eval_res_questions_de_a_b_c_de.json", "de", "a"),
    ]
    assert rows[1]["generation_time"] == "1.00"
    # The verdicts of a run, named alone, are the run.
    assert report(run / "verdicts.jsonl")[1][0]["run"] == "run"


def test_what_holds_no_grade_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write_log(tmp_path, "a_b_c", [5], n_answers=2)
    answers = log.with_name(log.name.replace("_res_", "_ans_"))
    run = write_graded_run(tmp_path / "run", {"de": [5]}).path
    refused = {
        (str(answers),): "no row has a 'score'; give a judged log (eval_res_…)",
        (str(tmp_path / "none.csv"),): "no such file",
        (str(log), str(tmp_path / "nothing")): "no such file",
        (str(run), "--n-expected", "3"): "--n-expected: a run knows how many queries it has",
    }
    for arguments, message in refused.items():
        assert main(["report", *arguments, "--out", str(tmp_path / "out")]) == 2
        assert message in capsys.readouterr().err
    write_json(answers, [])
    assert main(["report", str(log)]) == 2
    assert "1 judged rows are more than the 0 answers of the log beside it" in capsys.readouterr().err
    write_json(answers, {})
    assert main(["report", str(log)]) == 2
    assert f"{answers}: a JSON list of answers is expected" in capsys.readouterr().err
