"""Spans of OpenTelemetry, as its file exporter (OTLP JSON) and its Python SDK (`to_json`) write them.

Sources: OpenTelemetry protocol 1.x, JSON encoding (`resourceSpans`, `resourceLogs`; ids in hexadecimal, 64-bit numbers
as texts, enumerations as numbers); opentelemetry-sdk 1.45.2, `ReadableSpan.to_json`. Protocol buffers' JSON encoding,
with names of enumerations and ids in base64, is read as well: an id is only compared with others of its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.reading.fields import row_id, row_objects, row_text
from ragaliq.formats.traces.values import Numbered, number_of, object_of, time_of
from ragaliq.storage.files import Row, check_unicode

_ERRORS = (2, "2", "STATUS_CODE_ERROR", "ERROR", "StatusCode.ERROR")
_DEEPEST = 20
# The bit of a span's flags that says that its parent is of another program (`SpanFlags` of the protocol).
_REMOTE = 0x200


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a span, or a log record that names the span."""

    name: str
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Span:
    """One step of a trace.

    Attributes:
        parent: id of the span that it is part of; empty for the first of a trace.
        from_elsewhere: whether that is known to be one of another program.
        start, end: seconds since 1970; None where the span has none.
        error: what its status says of a failure; empty where it did not fail.
        resource: attributes of the program.
    """

    where: str
    trace: str
    id: str
    parent: str
    name: str
    start: float | None
    end: float | None
    error: str
    attributes: Mapping[str, Any]
    events: tuple[Event, ...]
    resource: Mapping[str, Any]
    from_elsewhere: bool = False


def is_spans(row: Row) -> bool:
    """Return whether an object is a batch of OTLP, or a span of the Python SDK."""
    if "resourceSpans" in row or "resourceLogs" in row:
        return True
    context = row.get("context")
    return isinstance(context, dict) and {"trace_id", "span_id"} <= context.keys() and "attributes" in row


def read_spans(rows: Numbered) -> list[Span]:
    """Return the spans of a file in its order; each carries the log records that name it as events.

    A span that is there twice with the same content counts once, as exporters send again what may have been lost.

    Raises:
        InputError: if one is malformed, or there twice with different content; with the line.
    """
    spans: dict[tuple[str, str], Span] = {}
    logs: list[tuple[str, str, Event]] = []
    for where, row in rows:
        if not is_spans(row):
            raise InputError(f"{where}: no span and no batch of spans, as the lines before it; remove it")
        for span in _of_row(row, where):
            earlier = spans.setdefault((span.trace, span.id), span)
            if replace(earlier, where=span.where) != span:
                raise InputError(f"{span.where}: span '{span.id}' is there already, and differs; keep one of them")
        logs += _logs(row, where)
    for trace, name, event in logs:
        if (span_of := spans.get((trace, name))) is not None:
            spans[trace, name] = replace(span_of, events=(*span_of.events, event))
    return list(spans.values())


def _of_row(row: Row, where: str) -> Iterator[Span]:
    if "context" in row:
        yield _sdk_span(row, where)
        return
    for batch in row_objects(row, "resourceSpans", where):
        resource = _attributes(object_of(batch, "resource", where), where)
        for scope in row_objects(batch, "scopeSpans", where):
            for number, span in enumerate(row_objects(scope, "spans", where), start=1):
                yield _otlp_span(span, resource, f"{where}: span {number}")


def _logs(row: Row, where: str) -> Iterator[tuple[str, str, Event]]:
    """Yield the log records that are events of a span: its trace, its id, the event."""
    for batch in row_objects(row, "resourceLogs", where):
        for scope in row_objects(batch, "scopeLogs", where):
            for record in row_objects(scope, "logRecords", where):
                ids = row_text(record, "traceId", where), row_text(record, "spanId", where)
                attributes = _attributes(record, where)
                name = row_text(record, "eventName", where) or str(attributes.get("event.name", ""))
                yield *ids, Event(name, attributes)


def _otlp_span(span: Row, resource: Mapping[str, Any], where: str) -> Span:
    status = object_of(span, "status", where)
    events = tuple(
        Event(row_text(event, "name", where), _attributes(event, where)) for event in row_objects(span, "events", where)
    )
    times = (number_of(span, key, where) for key in ("startTimeUnixNano", "endTimeUnixNano"))
    start, end = (nanoseconds / 1e9 if nanoseconds else None for nanoseconds in times)
    return Span(
        where, row_id(span, "traceId", where), row_id(span, "spanId", where), row_text(span, "parentSpanId", where),
        row_text(span, "name", where), start, end,
        _error(status.get("code"), row_text(status, "message", where), events), _attributes(span, where), events,
        resource, bool(int(number_of(span, "flags", where) or 0) & _REMOTE),
    )  # fmt: skip


def _sdk_span(span: Row, where: str) -> Span:
    context, status = object_of(span, "context", where), object_of(span, "status", where)
    events = tuple(
        Event(row_text(event, "name", where), _plain(object_of(event, "attributes", where), where))
        for event in row_objects(span, "events", where)
    )
    return Span(
        where, row_id(dict(context), "trace_id", where), row_id(dict(context), "span_id", where),
        row_text(span, "parent_id", where), row_text(span, "name", where),
        time_of(span, "start_time", where), time_of(span, "end_time", where),
        _error(status.get("status_code"), row_text(status, "description", where), events),
        _plain(object_of(span, "attributes", where), where), events,
        _plain(object_of(object_of(span, "resource", where), "attributes", where), where),
    )  # fmt: skip


def _error(code: Any, message: str, events: Sequence[Event]) -> str:
    """Return why a span failed: its status, else the exception it records."""
    if code not in _ERRORS:
        return ""
    raised = next((event.attributes for event in events if event.name == "exception"), {})
    return message or str(raised.get("exception.message") or raised.get("exception.type") or "the span failed")


def _attributes(owner: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Return the attributes of a span, an event or a resource of OTLP as plain values."""
    pairs = row_objects(dict(owner), "attributes", where)
    return {row_text(pair, "key", where): _value(pair.get("value"), where) for pair in pairs}


def _value(value: Any, where: str, depth: int = 0) -> Any:
    """Return an OTLP value, an object with one key that names its type, as a plain one."""
    if value is None or value == {}:
        return None
    if not isinstance(value, dict) or len(value) != 1 or depth > _DEEPEST:
        raise InputError(f"{where}: an attribute's value must be an object such as {{'stringValue': …}}; fix it")
    (kind, held), place = next(iter(value.items())), f"{where}: '{next(iter(value))}'"
    if kind == "stringValue":
        return row_text(value, kind, where)
    if held in ("NaN", "Infinity", "-Infinity") and kind == "doubleValue":
        return None
    if kind in ("intValue", "doubleValue"):
        number = number_of(value, kind, where)
        return int(held) if kind == "intValue" and number is not None and number.is_integer() else number
    if kind == "boolValue" and isinstance(held, bool):
        return held
    if kind == "bytesValue":
        return None
    inner = object_of(value, kind, where)
    if kind == "arrayValue":
        return [_value(one, where, depth + 1) for one in row_objects(dict(inner), "values", place)]
    if kind == "kvlistValue":
        pairs = row_objects(dict(inner), "values", place)
        return {row_text(pair, "key", where): _value(pair.get("value"), where, depth + 1) for pair in pairs}
    raise InputError(f"{where}: an attribute's value is of an unknown type '{kind}'; fix it")


def _plain(attributes: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    for key, value in attributes.items():
        if isinstance(value, str):
            check_unicode(value, key, where)
    return attributes
