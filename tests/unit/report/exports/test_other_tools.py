"""A run exported for inspect_ai and Every Eval Ever, and read back: by us, and by the tools themselves."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from fakes import answered, verdict, write_run_folder
from graded_runs import write_graded_run
from ragaliq import load_run
from ragaliq.cli import main
from ragaliq.formats.results.reading import read_results
from ragaliq.formats.results.rows import ResultColumns, ResultFile, Scale
from ragaliq.runs.rows import run_answer_to_row, verdict_to_row
from ragaliq.storage.files import read_json, write_json, write_jsonl

WEIGHTS = {5: 1.0, 4: 0.8, 3: 0.6, 2: 0.2, 1: 0.0, 0: 0.4}
GRADES: dict[str, list[int | None]] = {"de": [5, 4, None, 0], "ru": [3, 1, 2, 5], "zh": [None, 5, 4, 0]}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three languages with a verdict lost in two of them."""
    return write_graded_run(tmp_path_factory.mktemp("runs") / "bm25", GRADES).path


def export(run: Path, tool: str, out: Path) -> list[Path]:
    assert main(["export", str(run), "--to", tool, "--out", str(out)]) == 0
    return sorted(path for path in out.rglob("*") if path.is_file())


def read(path: Path) -> ResultFile:
    file = read_results(path, ResultColumns())
    assert file is not None
    return file


def test_an_inspect_log_read_back_has_the_runs_grades(run: Path, tmp_path: Path) -> None:
    paths = export(run, "inspect", tmp_path)
    assert [path.name.split("_")[1] for path in paths] == ["tiny-de", "tiny-ru", "tiny-zh"]
    for path, (lang, grades) in zip(paths, GRADES.items(), strict=True):
        file = read(path)
        assert {row.lang for row in file.rows} == {lang}
        assert [row.item for row in file.rows] == ["q01", "q02", "q03", "q04"]
        assert [row.values["grade"] for row in file.rows] == grades
        assert [row.values["weight"] for row in file.rows] == [None if g is None else WEIGHTS[g] for g in grades]
        assert [row.error for row in file.rows] == ["unparseable" if g is None else "" for g in grades]
        assert file.scales == {"weight": Scale(0, 1), "grade": Scale(0, 5)}
        assert (file.judge, file.n_expected, file.data) == ("offline", 4, "tiny 1 data")
        assert {(row.system, row.seconds) for row in file.rows} == {("ragaliq/bm25", 0.5)}


def test_the_logs_figures_are_the_runs(run: Path, tmp_path: Path) -> None:
    summaries = load_run(run).summaries
    for path in export(run, "inspect", tmp_path):
        log = json.loads(path.read_text(encoding="utf-8"))
        figures = summaries[log["eval"]["task_args"]["lang"]].aggregates
        weight, grade = log["results"]["scores"]
        assert weight["metrics"]["mean"]["value"] == figures.mean_weight
        assert weight["metrics"]["weighted_score"]["value"] == figures.weighted_score
        assert grade["metrics"]["mean"]["value"] == figures.mean_with_zeros
        assert (weight["scored_samples"], weight["unscored_samples"]) == (figures.n_scored, 4 - figures.n_scored)
        lost = [sample["scores"]["weight"] for sample in log["samples"] if sample["scores"]["weight"]["reason"]]
        assert len(lost) == 4 - figures.n_scored
        # inspect's sign for a sample without a score, which its metrics pass over.
        assert all(math.isnan(score["value"]) for score in lost)


def test_every_eval_ever_read_back_has_the_runs_weights(run: Path, tmp_path: Path) -> None:
    aggregate, samples = export(run, "eee", tmp_path)
    assert aggregate.parent == tmp_path / "data" / "tiny" / "ragaliq" / "bm25"
    assert samples.name == f"{aggregate.stem}_samples.jsonl"
    file = read(aggregate)
    assert file == read(samples)
    got = {(row.lang, row.item): row.values["weight"] for row in file.rows}
    assert got == {
        (lang, f"q{number:02}"): None if grade is None else WEIGHTS[grade]
        for lang, grades in GRADES.items()
        for number, grade in enumerate(grades, start=1)
    }
    assert {row.error for row in file.rows if row.values["weight"] is None} == {"unparseable"}
    assert (file.scales, file.judge, file.n_expected) == ({"weight": Scale(0, 1)}, "offline", 4)
    results, summaries = read_json(aggregate)["evaluation_results"], load_run(run).summaries
    for result in results:
        figures = summaries[result["evaluation_name"].rpartition("_")[2]].aggregates
        assert result["score_details"]["score"] == figures.mean_weight
        interval = result["score_details"]["uncertainty"]["confidence_interval"]
        assert (interval["lower"], interval["upper"]) == figures.mean_weight_ci


@pytest.mark.parametrize("tool", ["inspect", "eee"])
def test_failures_and_losses_are_named(tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 4, None, 1, 1])
    config = read_json(folder.config_file)
    config["expected"]["en"] = {"answerable": 6, "unanswerable": 1}
    write_json(folder.config_file, config)
    # q4 failed at the reader, q5 has no verdict, q7 is not answerable, one of six answerable queries has no answer.
    answers = [answered(f"q{n}", "It is blue.") for n in (1, 2, 3)] + [answered("q4", ""), answered("q5", "Red.")]
    answers.append(answered("q7", "none", answerable=False))
    write_jsonl(folder.answers_file, [run_answer_to_row(one) for one in answers])
    write_jsonl(folder.verdicts_file, [verdict_to_row(verdict(f"q{n}", g)) for n, g in ((1, 5), (2, 4), (3, None))])
    paths = export(folder.path, tool, tmp_path / "out")
    kept = {"inspect": "not scored", "eee": "-1 with an error"}[tool]
    where = {"inspect": "the number of samples", "eee": "samples_number"}[tool]
    assert capsys.readouterr().err.splitlines()[-3:] == [
        "note: en: unanswerable queries, which these logs do not know, left out: 1",
        f"note: en: answers without a grade, there as {kept}: 3",
        f"note: en: queries without an answer, in {where} alone: 1",
    ]
    file = read(paths[0])
    assert [row.values["weight"] for row in file.rows] == [1.0, 0.8, None, None, None]
    assert file.rows[2].error == "unparseable"
    assert (file.rows[4].error, file.n_expected) == ("no_verdict", 6)


@pytest.mark.parametrize("tool", ["inspect", "eee"])
def test_the_same_run_gives_the_same_files_and_a_run_without_a_grade_can_be_exported(
    tool: str, run: Path, tmp_path: Path
) -> None:
    first = {path: path.read_bytes() for path in export(run, tool, tmp_path / "out")}
    assert {path: path.read_bytes() for path in export(run, tool, tmp_path / "out")} == first
    ungraded = write_run_folder(tmp_path / "none", [None, None])
    ungraded.timings_file.unlink()
    file = read(export(ungraded.path, tool, tmp_path / "ungraded")[0])
    assert [(row.values, row.seconds) for row in file.rows] == [
        (dict.fromkeys(("weight", "grade") if tool == "inspect" else ("weight.tiny_en",)), None)
    ] * 2


@pytest.mark.inspect
def test_inspects_reader_opens_our_logs(run: Path, tmp_path: Path) -> None:
    from inspect_ai.log import list_eval_logs, read_eval_log
    from inspect_ai.scorer import SampleScore, mean

    export(run, "inspect", tmp_path)
    listed = list_eval_logs(str(tmp_path))
    assert {info.task for info in listed} == {"tiny-de", "tiny-ru", "tiny-zh"}
    for info in listed:
        log, header = read_eval_log(info.name), read_eval_log(info.name, header_only=True)
        assert header.results == log.results
        grades = GRADES[log.eval.task_args["lang"]]
        values = [sample.scores["grade"].value for sample in log.samples]
        assert [None if math.isnan(value) else value for value in values] == grades
        scores = [sample.scores["weight"] for sample in log.samples if not math.isnan(sample.scores["weight"].value)]
        theirs = mean()([SampleScore(score=score) for score in scores])
        assert theirs == pytest.approx(log.results.scores[0].metrics["mean"].value, rel=1e-12)
        assert log.samples[0].output.completion == "It is blue."


@pytest.mark.inspect
def test_the_validator_of_every_eval_ever_finds_nothing(run: Path, tmp_path: Path) -> None:
    from every_eval_ever.validator.validation_core import validate_file

    paths = export(run, "eee", tmp_path)
    files = {path.relative_to(tmp_path).as_posix() for path in paths}
    for path in paths:
        place = path.relative_to(tmp_path).as_posix()
        report = validate_file(
            path,
            repo_path=place,
            available_files=files,
            read_repo_file=lambda name: (tmp_path / name).read_text(encoding="utf-8"),
            run_semantic_checks=True,
        )
        assert (report.valid, report.errors, report.warnings) == (True, [], [])
