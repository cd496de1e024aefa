"""Spans of a small system, written by OpenTelemetry's SDK in two forms, and its versions.

Needs opentelemetry-sdk and opentelemetry-exporter-otlp-json-file:

    python studies/other_tools/opentelemetry/make_spans.py

Writes beside itself `otlp.jsonl` (OTLP JSON, the file exporter), `sdk.jsonl` (`to_json`, one span a line) and
`versions.json`. Attributes are those of the semantic conventions for generative AI; some retrievers use those of
OpenInference. Ids and times are fixed, so the bytes are the same each time.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from opentelemetry.exporter.otlp.json.file import FileSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import Status, StatusCode, set_span_in_context

HERE = Path(__file__).parent
START, SECOND = 1_767_225_600 * 10**9, 10**9
# Item, language, question, what was retrieved, answer (None: the call fails), score and label of the evaluation.
ITEMS = [
    ("q1", "fr", "À quelle heure ouvre la cantine ?", "La cantine ouvre à sept heures.", "À sept heures.", 0.9, "good"),
    ("q2", "zh", "食堂几点开门？", "食堂早上七点开门。", "七点。", 1.0, "good"),
    ("q3", "ru", "Когда открывается столовая?", "Столовая открывается в семь.", "В восемь.", 0.0, "bad"),
    ("q4", "fr", "Qui a construit le pont ?", "Le pont date de 1901.", None, None, None),
    ("q5", "ru", "Сколько стоит обед?", "Обед стоит 300 рублей.", "300 рублей.", None, "good"),
]


class Numbers(IdGenerator):
    """Ids that count from 1."""

    def __init__(self) -> None:
        self._traces, self._spans = iter(range(1, 10**6)), iter(range(1, 10**6))

    def generate_trace_id(self) -> int:
        """Return the next id of a trace."""
        return next(self._traces) + (0xA << 120)

    def generate_span_id(self) -> int:
        """Return the next id of a span."""
        return next(self._spans) + (0xB << 56)


def spans() -> Iterator[ReadableSpan]:
    """Yield the spans of all items, in the order in which they ended."""
    kept = InMemorySpanExporter()
    resource = Resource({"service.name": "canteen-bot", "telemetry.sdk.language": "python"})
    provider = TracerProvider(resource=resource, id_generator=Numbers())
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("canteen")
    for number, (item, lang, question, document, answer, score, label) in enumerate(ITEMS):
        at = START + number * 10 * SECOND
        asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": question}]}], ensure_ascii=False)
        root = tracer.start_span("answer", start_time=at, attributes={"query_id": item, "lang": lang})
        below = set_span_in_context(root)
        retriever = tracer.start_span(
            "retrieve", below, start_time=at, attributes=_retrieved(number, question, document)
        )
        retriever.end(at + SECOND // 4)
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "model-a",
            "gen_ai.input.messages": asked,
            "http.request.header.authorization": "Bearer secret-of-the-caller",
        }
        chat = tracer.start_span("chat model-a", below, start_time=at + SECOND // 4, attributes=attributes)
        if answer is None:
            chat.set_status(Status(StatusCode.ERROR, "rate limit"))
            root.set_status(Status(StatusCode.ERROR, "rate limit"))
        else:
            said = [{"role": "assistant", "parts": [{"type": "text", "content": answer}], "finish_reason": "stop"}]
            chat.set_attribute("gen_ai.output.messages", json.dumps(said, ensure_ascii=False))
            chat.set_attribute("gen_ai.usage.input_tokens", 40 + number)
            chat.set_attribute("gen_ai.usage.output_tokens", 5)
        if label is not None:
            found = {"gen_ai.evaluation.name": "correctness", "gen_ai.evaluation.score.label": label}
            more = {} if score is None else {"gen_ai.evaluation.score.value": score}
            chat.add_event("gen_ai.evaluation.result", {**found, **more}, timestamp=at + SECOND)
        chat.end(at + (2 + number) * SECOND // 2)
        root.end(at + (2 + number) * SECOND // 2)
    yield from kept.get_finished_spans()


def _retrieved(number: int, question: str, document: str) -> dict[str, str]:
    if number % 2:
        return {"openinference.span.kind": "RETRIEVER", "input.value": question,
            "retrieval.documents.0.document.content": document}  # fmt: skip
    documents = json.dumps([{"id": f"d{number}", "score": 0.5, "content": document}], ensure_ascii=False)
    return {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": documents}


def main() -> None:
    """Write the files."""
    written = list(spans())
    lines = io.StringIO()
    FileSpanExporter(stream=lines).export(written[:6])
    FileSpanExporter(stream=lines).export(written[6:])
    _write("otlp.jsonl", lines.getvalue())
    _write("sdk.jsonl", "".join(span.to_json(indent=None) + "\n" for span in written))
    names = ("sdk", "exporter-otlp-json-file", "semantic-conventions")
    versions = {f"opentelemetry-{name}": version(f"opentelemetry-{name}") for name in names}
    _write("versions.json", json.dumps(versions, indent=2) + "\n")


def _write(name: str, text: str) -> None:
    (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
