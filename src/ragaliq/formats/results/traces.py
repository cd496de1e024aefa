"""Results in traces: the scores of each answer that a system gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragaliq.formats.results.rows import ResultColumns, ResultFile, ResultRow
from ragaliq.formats.traces.reading import read_traces
from ragaliq.formats.traces.rows import TraceRow
from ragaliq.formats.traces.scores import metrics_of
from ragaliq.formats.traces.values import Numbered, short_reason
from ragaliq.text.language_names import language_code


def trace_results(rows: Numbered, columns: ResultColumns, name: str) -> ResultFile:
    """Return the results in records of a tracing program; `name` is the file's, for errors.

    An item goes by its id, else by its question, else by its trace. Several answers of one system to an item are
    numbered in order of time.

    Raises:
        InputError: if a record is malformed, or there is no answer.
    """
    traces = read_traces(rows, columns, name)
    metrics = metrics_of(traces.rows)
    items = [row.item or row.question or row.trace for row in traces.rows]
    results = tuple(
        ResultRow(
            where=row.where, item=item, values=values, system=row.system, lang=_lang(row),
            error=short_reason(row.error), question=row.question, draw=draw, seconds=row.seconds, cost=row.cost,
            fields=row.fields,
        )
        for row, item, values, draw in zip(traces.rows, items, metrics.values, _draws(traces.rows, items), strict=True)
    )  # fmt: skip
    notes = (*traces.notes, *_named_by(traces.rows), *metrics.notes)
    return ResultFile(traces.tool, results, metrics.scales, data=traces.data, notes=notes)


def _lang(row: TraceRow) -> str:
    """Return the code of a row's language; a name that is none of a language unchanged."""
    return language_code(row.lang) or row.lang


def _draws(rows: Sequence[TraceRow], items: Sequence[str]) -> list[int]:
    """Return which of a system's answers to its item each row is, from 1 in order of time."""
    order = sorted(range(len(rows)), key=lambda place: (rows[place].start or 0.0, rows[place].trace, rows[place].span))
    seen: Counter[tuple[str, str, str]] = Counter()
    draws = [0] * len(rows)
    for place in order:
        key = (rows[place].system, _lang(rows[place]), items[place])
        seen[key] += 1
        draws[place] = seen[key]
    return draws


def _named_by(rows: Sequence[TraceRow]) -> list[str]:
    by_question = sum(not row.item and bool(row.question) for row in rows)
    by_trace = sum(not row.item and not row.question for row in rows)
    notes = [f"{by_question} answers name no item: their question is its id; --id names another"] if by_question else []
    return [*notes, *([f"{by_trace} answers name no item and no question: no other answer pairs"] if by_trace else [])]
