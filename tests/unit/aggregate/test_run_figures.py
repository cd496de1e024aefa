"""The figures of a run: each of its files is parsed once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fakes import verdict
from graded_runs import write_graded_run
from parallel import write_parallel
from ragaliq import evaluate, load_benchmark
from ragaliq.aggregate.run_figures import compute_figures, load_run, read_figures
from ragaliq.aggregate.usage import ReaderTimes, reader_times
from ragaliq.cli.run import finish
from ragaliq.config import Component, RunConfig
from ragaliq.errors import InputError
from ragaliq.report.terminal import unscored_lines
from ragaliq.runs.rows import verdict_to_row
from ragaliq.storage import files
from ragaliq.storage.files import write_jsonl
from ragaliq.storage.record_store import RecordStore
from ragaliq.types import JudgeVote, Verdict, VerdictOutcome


def test_each_file_is_parsed_once_after_the_last_grade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every JSON text goes through `files.parse_json`; each appended answer or verdict resets the count."""
    counts: Counter[str] = Counter()
    parse, append = files.parse_json, RecordStore.append

    def counted(text: str, where: str, constants: bool = False) -> Any:
        counts["/".join(Path(where.partition(".json")[0]).parts[-2:])] += 1
        return parse(text, where, constants)

    def appended(store: RecordStore[Any], record: Any) -> None:
        counts.clear()
        append(store, record)

    bench = write_parallel(tmp_path / "hall")
    write_graded_run(tmp_path / "runs" / "other", {"de": [5, 4, 3]})
    monkeypatch.setattr(files, "parse_json", counted)
    monkeypatch.setattr(RecordStore, "append", appended)
    config = RunConfig(data=str(bench), retriever=Component("none"))
    run = evaluate(config, load_benchmark(bench, ["de"]), tmp_path / "runs" / "own")
    assert run is not None and finish(run, 0.95) == 0
    expected = {"config": 1, "answers": 3, "verdicts": 3, "timings": 3}
    assert {name: counts[f"own/{name}"] for name in (*expected, "metrics")} == {**expected, "metrics": 0}
    assert {name: counts[f"other/{name}"] for name in (*expected, "metrics")} == {**expected, "metrics": 1}


def test_figures_read_again_are_those_that_were_measured(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "run", {"de": [5, 4, None], "zh": [0, 1, 2]})
    run = compute_figures(folder)
    folder.metrics_file.write_text(json.dumps(run.metrics))
    again = read_figures(folder)
    assert json.loads(json.dumps(run.metrics)) == again.metrics
    assert (run.summaries, run.times) == (again.summaries, again.times)
    assert (list(run.summaries), run.name, run.times["de"].total) == (["de", "zh"], "run", 1.5)


def test_a_run_without_grades_is_refused(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "run", {"de": [5]})
    folder.verdicts_file.unlink()
    with pytest.raises(InputError, match="not graded yet"):
        read_figures(folder)


def test_why_answers_have_no_grade(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "run", {"en": [5, 4, 3, 2, 1]})
    votes = (JudgeVote("a", 3, VerdictOutcome.SCORED), JudgeVote("b", None, VerdictOutcome.API_ERROR))
    failed = [
        Verdict(f"q{n:02}", "en", None, outcome, said, "j", "h")
        for n, (outcome, said) in enumerate(
            ((VerdictOutcome.API_ERROR, ""), (VerdictOutcome.API_ERROR, "no\n route"), (VerdictOutcome.NO_ANSWER, "")),
            1,
        )
    ]
    partly = Verdict("q04", "en", 3, VerdictOutcome.SCORED, "fine", "j", "h", draws=votes)
    write_jsonl(folder.verdicts_file, map(verdict_to_row, [*failed, partly, verdict("q05", 5)]))
    again = f"`ragaliq judge {folder} --only-unscored`"
    assert unscored_lines(read_figures(folder)) == [
        f"2 answers api_error, such as: no route; {again} tries the judge again",
        "1 answer no_answer; the same `ragaliq run` command tries the reader again",
        f"1 answers have a grade, but not from each draw; {again} draws those again that have none",
    ]


def test_the_readers_times_by_language() -> None:
    seconds = {("de", f"q{n:02}"): n / 100 for n in range(1, 21)} | {("en", "q1"): 2.0}
    times = reader_times(seconds)
    assert (times["de"].n, times["de"].median, times["de"].p95) == (20, (0.10 + 0.11) / 2, 0.19)
    assert times["de"].total == pytest.approx(20 * 21 / 2 / 100)
    assert times["en"] == ReaderTimes(1, 2.0, 2.0, 2.0)


def test_a_run_is_a_table_in_a_notebook(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "a<b", {"de": [5, 4, None], "zh": [0, 1, 2]})
    run = load_run(str(folder.path))
    assert "<code>" in run._repr_html_() and "a&lt;b" in run._repr_html_() and "2/3" in run._repr_html_()
    assert repr(run).splitlines()[0] == f"run {folder.path}" and "2/3" in repr(run)
    frame = run.to_frame()
    assert list(zip(frame.lang, frame.query_id, frame.grade.fillna(-1), strict=True))[2:4] == [
        ("de", "q03", -1), ("zh", "q01", 0),
    ]  # fmt: skip
    assert list(frame.verdict)[2] == "unparseable" and set(frame.seconds) == {0.5}
    assert frame.supported_share.isna().all(), "nothing was checked"
    assert not any(isinstance(cell, dict | list) for column in frame for cell in frame[column])
    folder.verdicts_file.unlink()
    assert load_run(folder.path).to_frame().grade.isna().all()
    with pytest.raises(InputError, match="no run here"):
        load_run(tmp_path)
    with pytest.raises(InputError, match="load_run: a path is wanted, not 3"):
        load_run(3)  # type: ignore[arg-type]
