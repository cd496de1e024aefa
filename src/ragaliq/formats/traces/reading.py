"""Which tracing program wrote a file, and the answers in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from ragaliq.errors import InputError, checked_types
from ragaliq.formats.results.rows import ResultColumns
from ragaliq.formats.traces.langfuse import is_langfuse, langfuse_traces
from ragaliq.formats.traces.langsmith import is_langsmith, langsmith_traces
from ragaliq.formats.traces.opentelemetry import opentelemetry_traces
from ragaliq.formats.traces.rows import Traces
from ragaliq.formats.traces.spans import is_spans
from ragaliq.formats.traces.values import Numbered
from ragaliq.storage.files import Row, parse_json

# Keys of records inside records.
_INNER = ("child_runs", "observations", "scores")
_BLANKS = re.compile(r"\s*")
_PROGRAMS: tuple[tuple[Callable[[Row], bool], Callable[[Numbered, ResultColumns, str], Traces]], ...] = (
    (is_spans, opentelemetry_traces),
    (is_langfuse, langfuse_traces),
    (is_langsmith, langsmith_traces),
)


def json_document(text: str, name: str) -> Any:
    """Return the JSON value of a file's text; spans one below the other, as the SDK prints them, are a list.

    Raises:
        InputError: if it is neither.
    """
    try:
        return parse_json(text, name, constants=True)
    except InputError:
        values = _several(text)
        if not is_trace(values):
            raise
        return values


def is_trace(value: Any) -> bool:
    """Return whether a JSON value, or the first of its list, is a record of a tracing program."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and any(fits(first) for fits, _ in _PROGRAMS)


def trace_records(value: Any, name: str) -> Numbered:
    """Return the records of a JSON document, each with its place: those of its list, or the document itself."""
    if not isinstance(value, list):
        return [(name, value)]
    # What is no object has no keys, so the reader refuses it with its place.
    return [(f"{name}: record {n}", one if isinstance(one, dict) else {}) for n, one in enumerate(value, start=1)]


def read_traces(rows: Numbered, columns: ResultColumns, name: str) -> Traces:
    """Return the answers in records whose first is one of a tracing program; `name` is the file's, for errors.

    Raises:
        InputError: if a record is malformed, or there is no answer.
    """
    read = next(read for fits, read in _PROGRAMS if fits(rows[0][1]))
    with checked_types(name):
        return read([(where, _with_text_ids(row)) for where, row in rows], columns, name)


def _with_text_ids(row: Row) -> Row:
    """Return a record, and those in it, with ids as texts: some exporters write numbers, and others their texts."""
    return {key: _text_id(key, value) for key, value in row.items()}


def _text_id(key: str, value: Any) -> Any:
    if key in _INNER and isinstance(value, list):
        return [_with_text_ids(one) if isinstance(one, dict) else one for one in value]
    is_id = key.lower() == "id" or key.endswith(("_id", "Id"))
    return str(value) if is_id and isinstance(value, int) and not isinstance(value, bool) else value


def _several(text: str) -> list[Any]:
    """Return the consecutive JSON values of a text; none if something else is between them."""
    decoder, values, place = json.JSONDecoder(), [], 0
    text = text.strip()
    try:
        while place < len(text):
            value, end = decoder.raw_decode(text, place)
            values.append(value)
            place = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
    except (ValueError, RecursionError):
        return []
    return values
