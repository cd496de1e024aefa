"""Results in traces: what the SDK itself writes, read without loss."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode

from ragaliq.errors import InputError
from ragaliq.formats.results.reading import read_results
from ragaliq.formats.results.rows import ResultColumns, ResultFile, Scale
from unit.formats.traces.records import EXPORTS, span


def results(path: Path, columns: ResultColumns | None = None) -> ResultFile:
    found = read_results(path, columns or ResultColumns())
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["otlp.jsonl", "sdk.jsonl"])
def test_the_files_of_the_sdk(name: str) -> None:
    found = results(EXPORTS / "opentelemetry" / name)
    assert (found.tool, found.scales) == ("OpenTelemetry", {"correctness": Scale()})
    # Five traces in, five rows out: a failed call and a label without a number have no value.
    assert [(row.item, row.lang, row.values["correctness"], row.error, row.seconds) for row in found.rows] == [
        ("q1", "fr", 0.9, "", 1.0), ("q2", "zh", 1.0, "", 1.5), ("q3", "ru", 0.0, "", 2.0),
        ("q4", "fr", None, "rate limit", 2.5), ("q5", "ru", None, "", 3.0),
    ]  # fmt: skip
    assert {row.system for row in found.rows} == {"canteen-bot/model-a"}
    assert found.rows[1].question == "食堂几点开门？"
    assert found.notes == ("'correctness': 1 labels without a number are no values",)


def live_spans() -> Sequence[ReadableSpan]:
    kept = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "bot"}))
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("t")
    for item, text, score in (("1", "À sept heures.", 1.0), ("2", "七点。", 0.0), ("3", "", None)):
        with tracer.start_as_current_span("answer", attributes={"query_id": item, "lang": "fr"}) as root:
            with tracer.start_as_current_span("chat", attributes={"gen_ai.operation.name": "chat"}) as chat:
                chat.set_attributes({"gen_ai.prompt": "Quand ?", "gen_ai.completion": text, "scores": [0.5, 1.0]})
            if score is None:
                root.set_status(Status(StatusCode.ERROR, "délai dépassé"))
            else:
                event: dict[str, str | float] = {"gen_ai.evaluation.name": "ok", "gen_ai.evaluation.score.value": score}
                root.add_event("gen_ai.evaluation.result", event)
    return kept.get_finished_spans()


def test_three_forms_of_the_installed_sdk_say_the_same(tmp_path: Path) -> None:
    spans = live_spans()
    lines, console, protobuf = (tmp_path / name for name in ("lines.jsonl", "console.json", "protobuf.json"))
    lines.write_text("".join(one.to_json(indent=None) + "\n" for one in spans), encoding="utf-8")
    console.write_text("".join(one.to_json() + "\n" for one in spans), encoding="utf-8")
    protobuf.write_text(json.dumps(MessageToDict(encode_spans(spans))), encoding="utf-8")
    for path in (lines, console, protobuf):
        found = results(path)
        assert [(row.item, row.values, row.error, row.system) for row in found.rows] == [
            ("1", {"ok": 1.0}, "", "bot"), ("2", {"ok": 0.0}, "", "bot"), ("3", {"ok": None}, "délai dépassé", "bot"),
        ]  # fmt: skip


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_items_without_an_id_and_several_answers(tmp_path: Path) -> None:
    asked = {"input__value": "Qui ?", "output__value": "Lui.", "lang": "français"}
    rows = [span(f"s{n}", trace=f"t{n}", second=9 - n, **asked) for n in range(3)]
    found = results(write(tmp_path / "a.jsonl", *rows, span("x", trace="tx", gen_ai__system="openai")))
    # Numbered in order of time, which is not that of the file.
    assert [(row.item, row.lang, row.draw) for row in found.rows] == [
        ("Qui ?", "fr", 3), ("Qui ?", "fr", 2), ("Qui ?", "fr", 1), ("tx", "", 1),
    ]  # fmt: skip
    assert found.notes[-2:] == (
        "3 answers name no item: their question is its id; --id names another",
        "1 answers name no item and no question: no other answer pairs",
    )


def test_langfuse_langsmith_and_tables() -> None:
    names = [
        "langfuse/traces_v3.jsonl",
        "langfuse/experiment_v5.json",
        "langsmith/runs.jsonl",
        "langsmith/experiment.csv",
    ]
    found = [results(EXPORTS / name) for name in names]
    assert [(one.tool, len(one.rows)) for one in found] == [
        ("Langfuse", 4), ("Langfuse", 3), ("LangSmith", 4), ("LangSmith", 4),
    ]  # fmt: skip
    assert list(found[0].scales.items()) == [
        ("quality (EVAL)", Scale()), ("helpful", Scale(0.0, 1.0)), ("quality (ANNOTATION)", Scale()),
    ]  # fmt: skip
    # The model's 0 on an answer that never came is no value.
    assert [row.values["quality (EVAL)"] for row in found[0].rows] == [0.9, 0.7, 0.0, None]
    assert [row.values["correctness"] for row in found[2].rows] == [0.9, 1.0, 0.0, None]
    assert [row.values["correctness"] for row in found[3].rows] == [0.9, 1.0, 0.0, None]


def test_a_malformed_trace_is_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", span("s", gen_ai__system="x"), {"question": "Qui ?"})
    with pytest.raises(InputError, match=r"a\.jsonl:2: no span"):
        results(path)
