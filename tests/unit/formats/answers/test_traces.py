"""Answers in traces as rows to grade: one for each answer, and nothing that may be secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.formats.answers.reading import read_answer_rows
from unit.formats.traces.records import EXPORTS, span


@pytest.mark.parametrize("name", ["otlp.jsonl", "sdk.jsonl"])
def test_spans_are_rows(name: str) -> None:
    read = read_answer_rows(EXPORTS / "opentelemetry" / name, traces=True)
    rows = [row for _, row in read.rows]
    keys = ["trace_id", "span_id", "system", "query_id", "lang", "question", "contexts", "answer"]
    assert [list(row) for row in rows] == [keys] * 5
    assert [row["answer"] for row in rows] == ["À sept heures.", "七点。", "В восемь.", "", "300 рублей."]
    assert rows[1]["contexts"] == ["食堂早上七点开门。"]
    assert "secret" not in json.dumps(rows)


def test_exports_of_langfuse_and_langsmith_are_rows() -> None:
    for name, reference in (("langfuse/traces_v3.jsonl", False), ("langfuse/experiment_v5.json", True),
                            ("langsmith/runs.jsonl", False), ("langsmith/experiment.csv", True)):  # fmt: skip
        rows = [row for _, row in read_answer_rows(EXPORTS / name, traces=True).rows]
        assert ("reference" in rows[0], "contexts" in rows[0]) == (reference, not reference)
        assert [row["lang"] for row in rows][:3] == ["fr", "zh", "ru"]
        assert "secret" not in json.dumps(rows)


def test_nothing_retrieved_is_not_nothing_said(tmp_path: Path) -> None:
    rows = [span("a", gen_ai__prompt="Qui ?"), span("b", trace="u", gen_ai__prompt="Кто?"),
        span("c", "b", trace="u", gen_ai__retrieval__documents="[]")]  # fmt: skip
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert [row["contexts"] for _, row in read_answer_rows(path, traces=True).rows] == [None, []]
    # Where columns are named, the rows are the file's own.
    assert [row for _, row in read_answer_rows(path).rows] == rows
