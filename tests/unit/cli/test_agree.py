"""`ragaliq agree`: both forms, the certificate, and what a user may get wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fakes import write_run_folder
from ragaliq.cli import main
from ragaliq.judge.offline.judge import OfflineJudge
from ragaliq.metrics.agreement.coefficients import agreement

GRADES = [5, 4, 3, 2, 1, 0] * 10
LABELS = [5, 5, 3, 1, 1, 0] * 10
Agree = Callable[..., str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run with 60 verdicts, labels of the first 40 of them; intervals of few resamples."""
    monkeypatch.setattr("ragaliq.metrics.agreement.intervals.RESAMPLES", 300)
    monkeypatch.chdir(tmp_path)
    write_run_folder(tmp_path / "run", GRADES, judge="qwen")
    lines = [f"q{number},en,{grade}" for number, grade in enumerate(LABELS[:40], start=1)]
    (tmp_path / "labels.csv").write_text("\n".join(["query_id,lang,grade", *lines]) + "\n")
    return tmp_path


@pytest.fixture
def agree(here: Path, capsys: pytest.CaptureFixture[str]) -> Agree:
    def called(*options: str, code: int = 0) -> str:
        found = main(["agree", *options])
        told = capsys.readouterr()
        assert found == code, told.err
        return told.out if code == 0 else told.err

    return called


def test_json_is_the_object_of_the_interface(agree: Agree) -> None:
    found = json.loads(agree("run", "labels.csv", "--format", "json"))
    alone = agreement(GRADES[:40], LABELS[:40])
    assert (found["n"], found["n_dropped"]) == (40, 20)
    assert (found["qwk"], found["weight_kappa"], found["bias"]) == (alone.qwk, alone.weight_kappa, alone.bias)
    assert found["confusion"] == [list(row) for row in alone.confusion]
    assert found["confusion"][4][5] == 7 and found["by"]["en"]["n"] == 40
    assert found["verdicts"]["judges"] == ["qwen hash"]


def test_markdown_by_default_and_languages_when_asked_for(agree: Agree) -> None:
    text = agree("run", "labels.csv")
    assert text.startswith("# Agreement of run with labels.csv\n") and "QWK alone flatters" in text
    assert "## Languages" not in text
    assert "## Languages" in agree("run", "labels.csv", "--by", "lang")
    assert agree("run", "labels.csv", "--seed", "1") != text == agree("run", "labels.csv")


def test_a_certificate_is_written_and_told_on_stderr(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["agree", "run", "labels.csv", "--certificate", "c/qwen", "--note", "By hand.", "--format", "json"]
    assert main(options) == 0
    told = capsys.readouterr()
    later = "; results.md cites it once it is in the folder certificates/ beside it\n"
    assert json.loads(told.out)["n"] == 40 and told.err == f"certificate: c/qwen/certificate.md{later}"
    assert main(options) == 0
    assert capsys.readouterr().err == f"certificate replaced: c/qwen/certificate.md{later}"
    assert json.loads(Path("c/qwen/certificate.json").read_text())["judge"] == "qwen"
    assert "By hand." in Path("c/qwen/certificate.md").read_text()


@pytest.mark.parametrize("folder", ["results/certificates", "results/certificates/qwen"])
def test_where_a_certificate_will_be_cited_is_told(here: Path, capsys: pytest.CaptureFixture[str], folder: str) -> None:
    assert main(["agree", "run", "labels.csv", "--certificate", folder]) == 0
    assert capsys.readouterr().err == (
        f"certificate: {folder}/certificate.md; results/results.md cites it at the next `ragaliq report` or "
        "`ragaliq run`\n"
    )
    (here / "run").rename(here / "results" / "run")
    assert main(["report", "results/run"]) == 0
    assert f"with 40 labels ({folder.removeprefix('results/')})" in (here / "results" / "results.md").read_text()


def test_a_file_is_no_folder_for_a_certificate(here: Path, agree: Agree) -> None:
    cases: list[str] = ["labels.csv", "labels.csv/below"]
    for folder in cases:
        err = agree("run", "labels.csv", "--certificate", folder, code=2)
        assert err == "ragaliq: --certificate: labels.csv is a file; name a folder, new or not\n"


def test_one_judge_of_several_is_chosen(here: Path, agree: Agree) -> None:
    for name, judge in (("a", "qwen"), ("b", "offline")):
        write_run_folder(here / "results" / name, GRADES if name == "a" else GRADES[::-1], judge=judge)
    lines = [f"{run},q{n},en,{grade}" for run in "ab" for n, grade in enumerate(LABELS[:40], start=1)]
    (here / "both.csv").write_text("\n".join(["run,query_id,lang,grade", *lines]) + "\n")
    told = agree("results", "both.csv", "--certificate", "c", code=2)
    assert "here are offline hash, qwen hash; choose one, as in --judge 'offline hash'" in told
    for name in ("qwen", "qwen ha"):
        found = json.loads(agree("results", "both.csv", "--judge", name, "--certificate", "c", "--format", "json"))
        assert (found["n"], found["verdicts"]["judges"]) == (40, ["qwen hash"])
        assert found["qwk"] == agreement(GRADES[:40], LABELS[:40]).qwk
    assert "no verdict by the judge 'qwen x'; known: offline hash, qwen hash" in agree(
        "results", "both.csv", "--judge", "qwen x", code=2
    )


def test_a_population_is_read(here: Path, agree: Agree) -> None:
    write_run_folder(here / "other", GRADES, judge="qwen")
    found = json.loads(agree("run", "labels.csv", "--population", "run", "other", "--format", "json"))
    # The labels are of `run` alone: they say nothing of how the judge grades the other system.
    of_run = found["ppi"]["by_system"]["run"]
    assert (of_run["n_labelled"], of_run["n_unlabelled"]) == (40, 20)
    assert found["ppi"]["prediction_powered"] is None and found["ppi"]["by_system"]["other"] is None
    only = json.loads(agree("run", "labels.csv", "--population", "run", "--format", "json"))
    assert only["ppi"]["prediction_powered"] == of_run["prediction_powered"]
    assert (only["ppi"]["n_outside"], only["ppi"]["by_system"]) == (0, {})
    text = agree("run", "labels.csv", "--population", "run", "other")
    assert "no label for 1 of 2 systems" in text and "| other " in text


def test_labels_of_another_run_are_never_used_for_a_population(here: Path, agree: Agree) -> None:
    write_run_folder(here / "runs" / "run", GRADES, judge="qwen")
    write_run_folder(here / "runs" / "other", GRADES[::-1], judge="qwen")
    rows = [(run, n, grade) for run, grades in (("run", LABELS), ("other", LABELS[::-1]))
            for n, grade in enumerate(grades[:30], start=1)]  # fmt: skip
    lines = ["query_id,lang,run,grade", *(f"q{n},en,{run},{grade}" for run, n, grade in rows)]
    (here / "both.csv").write_text("\n".join(lines) + "\n")
    found = json.loads(agree("runs", "both.csv", "--population", "runs/other", "--format", "json"))
    assert found["n"] == 60
    assert (found["ppi"]["n_labelled"], found["ppi"]["n_unlabelled"], found["ppi"]["n_outside"]) == (30, 30, 30)
    assert found["ppi"]["judge_only"]["n"] == 60
    assert any("30 of 60 labels are of no answer of the population" in line for line in found["warnings"])
    whole = json.loads(agree("runs", "both.csv", "--format", "json"))["ppi"]
    assert whole["by_system"]["other"]["prediction_powered"] == found["ppi"]["prediction_powered"]
    assert whole["n_labelled"] == 60 and set(whole["by_system"]) == {"run", "other"}


def test_cuts_are_refitted_and_the_judge_takes_them(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agree", "run", "labels.csv", "--recalibrate", "new/cuts.json"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("# Cuts of the offline judge, refitted on 40 labels of labels.csv\n")
    assert "| as shipped" in told.out and told.err.startswith("cuts: new/cuts.json; ")
    content = json.loads(Path("new/cuts.json").read_text())
    assert OfflineJudge(cuts="new/cuts.json").cuts == tuple(content["cuts"])
    assert main(["agree", "run", "labels.csv", "--recalibrate", "new/cuts.json", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == content


def test_wrong_input_is_one_line_and_code_2(here: Path, agree: Agree) -> None:
    cases: list[tuple[tuple[str, ...], str]] = [
        (("run", "none.csv"), "none.csv: no such file; give verdicts, labels or a run folder"),
        (("run", "bad.csv"), "bad.csv:2: 'grade' must be a whole number from 0 to 5, not '9'; fix it"),
        (("run", "elsewhere.csv"), "run and elsewhere.csv: no item has a grade in both"),
        (("labels.csv", "labels.csv", "--recalibrate", "c.json"), "--recalibrate: labels.csv is no run folder"),
        (("run", "labels.csv", "--recalibrate", "c.json", "--by", "lang"), "--recalibrate: goes without --by"),
        (("run", "labels.csv", "--recalibrate", "labels.csv/c.json"), "--recalibrate: labels.csv is a file"),
        (("run", "labels.csv", "--note", "x"), "--note: belongs to a certificate"),
        (("labels.csv", "labels.csv", "--certificate", "c"), "a certificate is of one judge, here is none"),
        ((".", "labels.csv"), "no item has a grade in both"),
    ]  # fmt: skip
    for options, told in cases:
        (here / "bad.csv").write_text("query_id,grade\nq1,9\n")
        (here / "elsewhere.csv").write_text("query_id,grade\nx1,5\n")
        if options[0] == ".":
            (here / "labels.csv").write_text("query_id,grade,run\nq1,5,A\nq1,5,B\n")
        err = agree(*options, code=2)
        assert told in err and len(err.splitlines()) == 1, options


def test_help_says_what_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["agree", "--help"])
    text = capsys.readouterr().out
    for word in ("Label Studio", "Argilla", "QWK alone flatters", "prediction-powered", "examples:"):
        assert word in text


@pytest.mark.parametrize(
    ("options", "name"),
    [(("--certificate", "c"), "c/certificate.md"), (("--recalibrate", "c/cuts.json"), "c/cuts.json")],
)
def test_a_file_of_another_hand_is_not_replaced(here: Path, agree: Agree, options: tuple[str, ...], name: str) -> None:
    (here / "c").mkdir()
    (here / name).write_text("my own notes")
    line = agree("run", "labels.csv", *options, code=2)
    assert f"{name}: would be replaced, but ragaliq did not write it; give another" in line
    assert [path.name for path in (here / "c").iterdir()] == [Path(name).name]
    assert (here / name).read_text() == "my own notes"
