"""Spans: both JSON forms of OpenTelemetry read alike, anything malformed is one line."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.traces.spans import is_spans, read_spans
from ragaliq.storage.files import Row
from unit.formats.traces.records import span


def otlp(**more: Any) -> Row:
    one = {
        "traceId": "0a", "spanId": "0b", "name": "x",
        "startTimeUnixNano": "1000000000", "endTimeUnixNano": "2500000000",
        "attributes": [{"key": "n", "value": {"intValue": "7"}}], "status": {}, **more,
    }  # fmt: skip
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": [one]}]}]}


def read(*rows: Row) -> list[Any]:
    return read_spans([(f"f:{n}", row) for n, row in enumerate(rows, 1)])


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"stringValue": "七"}, "七"),
        ({"intValue": "-7"}, -7),
        ({"intValue": 7}, 7),
        ({"doubleValue": 0.5}, 0.5),
        ({"doubleValue": "NaN"}, None),
        ({"boolValue": False}, False),
        ({"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": "1"}]}}, ["a", 1]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": True}}]}}, {"k": True}),
        ({"bytesValue": "AAE="}, None),
        ({}, None),
    ],
)
def test_values_of_attributes(value: Row, plain: Any) -> None:
    (found,) = read(otlp(attributes=[{"key": "k", "value": value}]))
    assert found.attributes == {"k": plain} and type(found.attributes["k"]) is type(plain)


def test_times_parents_and_errors() -> None:
    (found,) = read(otlp(status={"code": 2, "message": "délai dépassé"}, parentSpanId="0c"))
    assert (found.start, found.end, found.parent, found.error) == (1.0, 2.5, "0c", "délai dépassé")
    for code in ("STATUS_CODE_ERROR", 2):
        raised = {"name": "exception", "attributes": [{"key": "exception.type", "value": {"stringValue": "Timeout"}}]}
        assert read(otlp(status={"code": code}, events=[raised]))[0].error == "Timeout"
    assert read(otlp(status={"code": 1, "message": "x"}))[0].error == ""
    assert read(otlp(startTimeUnixNano="0"))[0].start is None


def test_a_log_record_is_an_event_of_its_span() -> None:
    record = {"traceId": "0a", "spanId": "0b", "eventName": "e", "attributes": [{"key": "k", "value": {"intValue": 1}}]}
    other = {**record, "spanId": "0d"}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record, other]}]}]}
    (found,) = read(logs, otlp())
    assert [(event.name, event.attributes) for event in found.events] == [("e", {"k": 1})]


def test_a_span_sent_twice_counts_once() -> None:
    assert len(read(otlp(), otlp(), span("a"), span("a"))) == 2
    with pytest.raises(InputError, match=r"f:2: span 1: span '0b' is there already, and differs"):
        read(otlp(), otlp(name="y"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (otlp(traceId=None), r"f:1: span 1: 'traceId' must be a text"),
        (otlp(attributes={"k": 1}), r"f:1: span 1: 'attributes' must be a list of objects"),
        (otlp(attributes=[{"key": "k", "value": "七"}]), r"f:1: span 1: an attribute's value must be an object"),
        (otlp(attributes=[{"key": "k", "value": {"floatValue": 1}}]), r"'floatValue' must be an object"),
        (otlp(attributes=[{"key": "k", "value": {"floatValue": {}}}]), r"unknown type 'floatValue'"),
        (otlp(attributes=[{"key": "k", "value": {"intValue": "sept"}}]), r"'intValue' must be a finite number"),
        (otlp(attributes=[{"key": "k", "value": {"stringValue": "\ud800"}}]), r"half a surrogate pair"),
        (otlp(startTimeUnixNano="hier"), r"'startTimeUnixNano' must be a finite number, not 'hier'"),
        (otlp(events=["x"]), r"'events' must be a list of objects"),
        ({"resourceSpans": {}}, r"f:1: 'resourceSpans' must be a list of objects"),
        ({**span("a"), "start_time": "hier"}, r"f:1: 'start_time' must be a time"),
        ({**span("a"), "start_time": 5}, r"f:1: 'start_time' must be a time"),
        ({**span("a"), "attributes": []}, r"f:1: 'attributes' must be an object, not a list"),
        ({**span("a"), "status": "OK"}, r"f:1: 'status' must be an object"),
        ({**span("a"), "context": {"trace_id": 1.5, "span_id": "a"}}, r"f:1: 'trace_id' must be a text"),
        ({"question": "Quand ?"}, r"f:1: no span and no batch of spans"),
    ],
)
def test_what_is_malformed_is_one_line(row: Row, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(row)
    assert "\n" not in str(caught.value)


def test_deep_values_are_refused() -> None:
    value: Row = {"stringValue": "x"}
    for _ in range(500):
        value = {"arrayValue": {"values": [value]}}
    with pytest.raises(InputError):
        read(otlp(attributes=[{"key": "k", "value": value}]))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a JSON value: what holds it, and the key."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


@given(st.data())
def test_a_damaged_span_is_read_or_refused(data: st.DataObject) -> None:
    events = [{"name": "e", "attributes": [{"key": "k", "value": {"arrayValue": {"values": [{"intValue": "1"}]}}}]}]
    row = copy.deepcopy(data.draw(st.sampled_from([otlp(events=events, parentSpanId="0c"), span("a", "b", n=1)])))
    holder, key = data.draw(st.sampled_from(places(row)))
    if data.draw(st.booleans()):
        holder[key] = data.draw(ANYTHING)
    elif isinstance(holder, dict):
        del holder[key]
    if is_spans(row):
        try:
            found = read(row)
        except InputError as error:
            assert str(error).startswith("f:1")
        else:
            assert all(isinstance(one.trace, str) and one.id for one in found)
