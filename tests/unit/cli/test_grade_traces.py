"""`ragaliq grade` on traces: rows out are answers in, the trace is named, secrets stay where they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.cli import main
from unit.cli.endpoint import alone
from unit.formats.traces.records import EXPORTS


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone(monkeypatch, tmp_path)


def grade(name: str, *options: str) -> int:
    return main(["grade", str(EXPORTS / name), "--out", "out.jsonl", "--min-coverage", "0", *options])


def test_answers_in_are_rows_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert grade("opentelemetry/otlp.jsonl") == 0
    rows = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["query_id"], row["trace_id"][-1], row["supported_share"]) for row in rows] == [
        ("q1", "1", 1.0), ("q2", "2", 1.0), ("q3", "3", 0.0), ("q4", "4", None), ("q5", "5", 1.0),
    ]  # fmt: skip
    assert "secret" not in Path("out.jsonl").read_text(encoding="utf-8")
    # The same command finds everything done.
    before = Path("out.jsonl").read_bytes()
    assert grade("opentelemetry/otlp.jsonl") == 0
    assert Path("out.jsonl").read_bytes() == before


def test_references_are_graded(capsys: pytest.CaptureFixture[str]) -> None:
    assert grade("langsmith/experiment.csv") == 0
    rows = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["outcome"] for row in rows] == ["scored", "scored", "scored", "no_answer"]
    assert rows[0]["grade"] == rows[1]["grade"] == 5 > rows[2]["grade"]


def test_named_columns_are_those_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    named = "question=inputs.question,answer=outputs.answer,reference=reference.answer,lang=inputs.lang"
    assert grade("langsmith/experiment.csv", "--map", named) == 0
    rows = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows[0]["feedback.correctness"] == "0.9" and len(rows) == 4


def test_notes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert grade("langfuse/observations_v5.jsonl", "--check", "none") == 2
    assert "no column with reference answers (for grades) or contexts" in capsys.readouterr().err
    assert grade("langfuse/experiment_v5.json") == 0
    assert "columns: question = question, answer = answer, reference = reference" in capsys.readouterr().err
