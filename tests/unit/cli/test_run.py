"""`ragaliq run` and `ragaliq plan` take the same options for the same run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from ragaliq.cli import main
from ragaliq.metrics.statistics.multiplicity import level_per_look
from ragaliq.runs.folder import RunFolder


def test_a_plan_looks_for_an_edition_where_its_run_is(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(small, "bench")
    head = json.loads(Path("bench/bench.json").read_text(encoding="utf-8"))
    Path("bench/bench.json").write_text(json.dumps({**head, "version": "1.0+7"}), encoding="utf-8")
    options = ["--data", "bench", "--lang", "zh", "--limit", "1"]
    assert main(["run", *options]) == 0
    (run,) = [path.name for path in Path("results").iterdir() if path.is_dir()]
    assert f"{head['name']}-7_" in run
    capsys.readouterr()
    assert main(["plan", *options]) == 0
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in capsys.readouterr().out.splitlines()]
    assert [row[2] for row in rows if row[0] in ("reader", "judge")] == ["0", "0"]


def test_in_a_folder_of_the_ragaliq_sources_their_questions_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("data", "other"):
        Path(folder).mkdir()
        rows = [{"question": "Which colour has the roof?", "answer": "Blue."}]
        Path(folder, "questions_en.json").write_text(json.dumps(rows))
        Path(folder, "orientation_en.md").write_text("The roof is blue.\n")
    Path("mine.md").write_text("The roof is red.\n")
    expected = {
        (): ("data", ""),
        ("--knowledge_base", "data/orientation_en.md"): ("data", ""),
        ("--knowledge_base", "other/orientation_{lang}.md"): ("other", ""),
        ("--knowledge_base", "mine.md"): ("data", "mine.md"),
        ("--data", "other"): ("other", ""),
        ("--data", "other", "--knowledge_base", "data/orientation_en.md"): ("other", "data/orientation_en.md"),
    }
    for number, (options, (data, knowledge_base)) in enumerate(expected.items()):
        out = f"runs/{number}"
        assert main(["run", "--lang", "en", "--no-judge", "--check", "none", "--out", out, *options]) == 0
        recorded = json.loads(Path(out, "config.json").read_text(encoding="utf-8"))["data"]
        assert Path(recorded["path"]).name == data, options
        assert recorded.get("knowledge_base", "") == knowledge_base
        note = f"note: the questions are those of the folder '{data}'; --data names another benchmark"
        assert (note in capsys.readouterr().err) == ("--data" not in options)


def test_planned_looks_are_recorded_before_any_answer_and_stay(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["run", "--data", str(small), "--lang", "ru,zh", "--check", "none", "--out", "r"]
    planned = {"planned": 4, "spending": "pocock"}
    seen: list[object] = []

    def instead(name: str, folder: RunFolder, work: Coroutine[Any, Any, None], *_: object) -> None:
        work.close()
        seen.append(folder.config()["looks"])

    monkeypatch.setattr("ragaliq.pipeline.evaluate.work_on_run", instead)
    assert main([*options, "--limit", "1", "--looks", "4", "--no-judge"]) == 0
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert seen == [planned]

    def looks() -> object:
        return json.loads(Path("r/config.json").read_text(encoding="utf-8")).get("looks")

    # A longer run has the plan of the first one, whether it is said again or not.
    assert main([*options, "--limit", "1", "--looks", "4"]) == 0
    assert main([*options, "--limit", "3"]) == 0 and looks() == planned
    assert main([*options, "--limit", "4", "--looks", "4"]) == 0 and looks() == planned
    assert len(Path("r/answers.jsonl").read_text(encoding="utf-8").splitlines()) == 8
    # Judging again and going on without judging keep it, too.
    assert main(["judge", "r", "--only-unscored"]) == 0 and looks() == planned
    capsys.readouterr()
    before = Path("r/config.json").read_bytes()
    assert main([*options, "--limit", "5", "--looks", "6"]) == 2
    told = capsys.readouterr().err
    assert "another configuration (looks: 4 planned then, 6 now); give another folder" in told
    assert Path("r/config.json").read_bytes() == before
    shutil.copytree("r", "s")
    assert main(["compare", "r", "s", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["looks"], found["level"]) == (4, pytest.approx(level_per_look(4)))
    # Another plan, or one at all, needs a run that begins anew.
    assert main([*options, "--limit", "1", "--looks", "6", "--fresh"]) == 0
    assert looks() == {**planned, "planned": 6}


def test_a_plan_of_looks_after_the_first_one_is_refused(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [
        "run",
        "--data",
        str(small),
        "--lang",
        "de",
        "--no-judge",
        "--check",
        "none",
        "--out",
        str(tmp_path / "r"),
    ]
    assert main([*options, "--limit", "1"]) == 0
    assert main([*options, "--limit", "2", "--looks", "3"]) == 2
    assert "looks: none planned then, 3 now" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["0", "-2", "many", "2.5", ""])
def test_a_wrong_number_of_looks_is_one_line(
    small: Path, tmp_path: Path, wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r"
    with pytest.raises(SystemExit) as caught:
        main(["run", "--data", str(small), "--out", str(out), f"--looks={wrong}"])
    assert caught.value.code == 2 and not out.exists()
    assert "--looks: a whole number of at least 1 is expected" in capsys.readouterr().err.splitlines()[-1]
