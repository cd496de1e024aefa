"""results.md: one table for each language, best first, nothing hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes import answered, verdict, write_run_folder
from ragaliq.errors import InputError
from ragaliq.io import write_json, write_jsonl
from ragaliq.report.results import headline, load_result, results_beside, write_results
from ragaliq.run_rows import answered_to_row, verdict_to_row
from ragaliq.runs import RunFolder


def table(path: Path, first_column: str = "model_name") -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {first_column}"))
    cells = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        cells.append([cell.strip() for cell in line.strip("|").split("|")])
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def test_a_row_by_hand(tmp_path: Path) -> None:
    result = load_result(write_run_folder(tmp_path / "run", [5, 4, 3, 0], reader="m"))
    assert write_results(tmp_path / "results.md", [result], [], 0.95) == []
    (row,) = table(tmp_path / "results.md")
    interval = row.pop("ci95")
    assert row == {
        "model_name": "fake:m",
        "embedder_name": "fake",
        "reranker_name": "fake",
        "lang": "en",
        # ((1 + .8 + .6 + .4) / 4)²
        "weighted_score": "0.49",
        "language_consistency_score": "—",
        "mean_grade": "4",
        "median_grade": "4",
        "percentage": "80",
        "percentage_with_zero": "60",
        **{"5": "1", "4": "1", "3": "1", "2": "0", "1": "0", "0": "1"},
        "generation_time": "2",
        "n": "4/4",
        "coverage": "1",
        "rank_ci": "—",
        "judge": "offline",
        "retriever_name": "fake",
        "run": "run",
    }
    low, high = map(float, interval.split("–"))
    # The weights lie between .4 and 1.
    assert 0.4**2 <= low < 0.49 < high <= 1


def test_best_first_and_a_headline_with_low_coverage_is_withheld(tmp_path: Path) -> None:
    folders = [
        write_run_folder(tmp_path / "a", [5, 4], reader="good"),
        write_run_folder(tmp_path / "b", [5, None], reader="lost"),
        write_run_folder(tmp_path / "c", [5, 5], reader="best"),
        write_run_folder(tmp_path / "d", [1, 1], reader="worst"),
    ]
    withheld = write_results(tmp_path / "results.md", [load_result(folder) for folder in folders], [], 0.95)
    rows = table(tmp_path / "results.md")
    assert [(row["model_name"], row["weighted_score"]) for row in rows] == [
        ("fake:best", "1"), ("fake:good", "0.81"), ("fake:worst", "0"), ("fake:lost", "—"),
    ]  # fmt: skip
    assert (rows[3]["ci95"], rows[3]["n"], rows[3]["coverage"], rows[3]["mean_grade"]) == ("—", "1/2", "0.5", "5")
    assert withheld == [f"{tmp_path / 'b'}: en: coverage 0.5 (1 of 2) is below 0.95"]
    assert write_results(tmp_path / "results.md", [load_result(folders[1])], [], 0.5) == []
    assert table(tmp_path / "results.md")[0]["weighted_score"] == "1"


def test_equal_scores_are_ordered_by_the_name_of_the_run(tmp_path: Path) -> None:
    results = [load_result(write_run_folder(tmp_path / name, [4, 4], reader=name)) for name in ("z", "a", "m")]
    write_results(tmp_path / "results.md", results, [], 0.95)
    assert [row["model_name"] for row in table(tmp_path / "results.md")] == ["fake:a", "fake:m", "fake:z"]


def test_different_judges_are_not_ranked_silently(tmp_path: Path) -> None:
    one = load_result(write_run_folder(tmp_path / "a", [5], judge="offline"))
    two = load_result(write_run_folder(tmp_path / "b", [4], judge="openai:j"))
    note = "These rows were graded by different judges (offline, openai:j): their order is not a ranking."
    write_results(tmp_path / "results.md", [one, two], [], 0.95)
    assert note in (tmp_path / "results.md").read_text()
    write_results(tmp_path / "results.md", [one], [], 0.95)
    assert "different judges" not in (tmp_path / "results.md").read_text()


def test_abstaining_has_its_own_table(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 4, 0])
    config = folder.config()
    config["expected"] = {"en": {"answerable": 3, "unanswerable": 3}}
    write_json(folder.config_file, config)
    said = [("q1", "Blue.", True), ("q2", "Red.", True), ("q3", "none", True),
            ("q4", "none", False), ("q5", "Green.", False), ("q6", "", False)]  # fmt: skip
    write_jsonl(folder.answers_file, [answered_to_row(answered(q, text, answerable=can)) for q, text, can in said])
    # Grades of unanswerable queries never enter the aggregates.
    grades = [verdict_to_row(verdict(f"q{n}", grade)) for n, grade in enumerate((5, 4, 0, 5, 1), start=1)]
    write_jsonl(folder.verdicts_file, grades)
    write_results(tmp_path / "results.md", [load_result(folder)], [], 0.95)
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "Abstaining, over all queries" in text
    part = tmp_path / "part.md"
    part.write_text(text.split("Abstaining, over all queries")[1], encoding="utf-8")
    (row,) = table(part)
    assert {key: row[key] for key in list(row)[4:]} == {
        "unanswerable: abstained": "1",
        "unanswerable: answered": "1",
        "answerable: abstained": "1",
        "answerable: answered": "2",
        "failed": "1",
        "precision": "0.5",
        "recall": "0.5",
        "f1": "0.5",
    }
    (grades_row,) = table(tmp_path / "results.md")
    assert (grades_row["n"], grades_row["mean_grade"], grades_row["percentage_with_zero"]) == ("3/3", "4.5", "60")


def test_runs_on_other_data_are_named_and_not_ranked(tmp_path: Path) -> None:
    here = write_run_folder(tmp_path / "a", [5], reader="a")
    write_run_folder(tmp_path / "b", [4], reader="b")
    write_run_folder(tmp_path / "other", [4], data="another")
    ungraded = write_run_folder(tmp_path / "ungraded", [4])
    ungraded.metrics_file.unlink()
    (tmp_path / "notes").mkdir()
    (tmp_path / "file.txt").write_text("x")
    same, others = results_beside(here)
    assert [result.folder.path.name for result in same] == ["a", "b"]
    assert others == [tmp_path / "other"]
    write_results(tmp_path / "results.md", same, others, 0.95)
    assert "Not shown, because they answer other data or are broken (`ragaliq report RUN` tells): `other`" in (
        tmp_path / "results.md"
    ).read_text(encoding="utf-8")
    with pytest.raises(InputError, match="these runs answer different data"):
        write_results(tmp_path / "no.md", [same[0], load_result(RunFolder(tmp_path / "other"))], [], 0.95)
    assert not (tmp_path / "no.md").exists()


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    results = [load_result(write_run_folder(tmp_path / name, [5, 3, 0], reader=name)) for name in ("a", "b")]
    write_results(tmp_path / "one.md", results, [], 0.95)
    write_results(tmp_path / "two.md", results[::-1], [], 0.95)
    assert (tmp_path / "one.md").read_bytes() == (tmp_path / "two.md").read_bytes()


def test_a_headline_in_one_line(tmp_path: Path) -> None:
    whole = load_result(write_run_folder(tmp_path / "a", [5, 5])).summaries["en"]
    assert headline(whole, 0.95) == "en  weighted_score 1  ci95 1.000–1.000  graded 2/2  judge offline"
    half = load_result(write_run_folder(tmp_path / "b", [5, None])).summaries["en"]
    assert headline(half, 0.95) == "en  weighted_score —  graded 1/2  judge offline"
    nothing = load_result(write_run_folder(tmp_path / "c", [None])).summaries["en"]
    assert headline(nothing, 0.0) == "en  weighted_score —  graded 0/1  judge offline"


@pytest.mark.parametrize("text", ["{", '{"expected": {}, "data": {}}'])
def test_a_broken_run_beside_does_not_stop_the_report(tmp_path: Path, text: str) -> None:
    here = write_run_folder(tmp_path / "a", [5])
    broken = write_run_folder(tmp_path / "broken", [5])
    broken.config_file.write_text(text)
    same, others = results_beside(here)
    assert [result.folder.path.name for result in same] == ["a"]
    assert others == [tmp_path / "broken"]


def test_results_that_cannot_be_written_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "results.md").mkdir()
    with pytest.raises(InputError, match=r"results\.md: cannot be written"):
        write_results(tmp_path / "results.md", [load_result(write_run_folder(tmp_path / "a", [5]))], [], 0.95)
    assert not list(tmp_path.glob(".*draft"))


def test_another_rubric_makes_another_judge(tmp_path: Path) -> None:
    folders = [write_run_folder(tmp_path / name, [5, 4]) for name in ("a", "b")]
    for folder, digest in zip(folders, ("h1", "h2"), strict=True):
        config = folder.config()
        write_json(folder.config_file, {**config, "judge": {**config["judge"], "prompt_hash": digest}})
    write_results(tmp_path / "results.md", [load_result(folder) for folder in folders], [], 0.95)
    assert "graded by different judges (offline h1, offline h2): their order is not a ranking" in (
        tmp_path / "results.md"
    ).read_text(encoding="utf-8")
