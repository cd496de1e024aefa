"""Answers in traces, as rows of a file of answers."""

from __future__ import annotations

from ragaliq.formats.results.rows import ResultColumns
from ragaliq.formats.traces.reading import read_traces
from ragaliq.formats.traces.rows import TraceRow
from ragaliq.formats.traces.values import Numbered
from ragaliq.storage.files import Row


def trace_answers(rows: Numbered, name: str) -> tuple[tuple[tuple[str, Row], ...], tuple[str, ...]]:
    """Return one row for each answer in records of a tracing program, with its place, and notes; `name` is the file's.

    A row has question, answer and the ids of trace and span; reference, contexts, language, system and item (as
    `query_id`) are columns if some trace has them. Nothing else is taken: attributes may hold secrets.

    Raises:
        InputError: if a record is malformed, or there is no answer.
    """
    traces = read_traces(rows, ResultColumns(), name)
    whole = [_row(row) for row in traces.rows]
    filled = {key for row in whole for key, value in row.items() if value not in (None, "")}
    kept = [key for key in whole[0] if key in filled or key in ("question", "answer")]
    placed = zip(traces.rows, whole, strict=True)
    return tuple((trace.where, {key: row[key] for key in kept}) for trace, row in placed), traces.notes


def _row(trace: TraceRow) -> Row:
    return {
        "trace_id": trace.trace,
        "span_id": trace.span,
        "system": trace.system,
        "query_id": trace.item,
        "lang": trace.lang,
        "question": trace.question,
        "reference": trace.reference,
        "contexts": None if trace.contexts is None else list(trace.contexts),
        "answer": trace.answer,
    }
