"""Results of ragas: `EvaluationResult.to_pandas()` as CSV, Parquet, JSON records or JSON Lines.

Written after the files of version 0.4.3.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.results.rows import ResultFile, ResultRow
from ragaliq.formats.results.values import ID_NAMES, first_of, json_value, lang_of, plain_text, plain_texts, scale_of
from ragaliq.storage.files import Row

_SAMPLE = {
    "user_input", "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids",
    "response", "multi_responses", "reference", "rubrics", "persona_name", "query_style", "query_length",
    "synthesizer_name", "reference_tool_calls", "reference_topics",
}  # fmt: skip
# Numbers that people and pandas write beside the metrics.
_NO_METRICS = {"index", "latency", "latency_ms", "seconds", "duration", "cost", "tokens"}
_ROW_NUMBER = "Unnamed:"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
# How pandas, and people behind it, write that a metric failed; and truth values.
_WORDS: dict[str, Any] = {
    "": None, "nan": None, "none": None, "null": None, "inf": None, "-inf": None, "true": True, "false": False,
}  # fmt: skip


def is_ragas(row: Row) -> bool:
    """Return whether a row is a sample of ragas with a metric beside it."""
    return "user_input" in row and bool({"response", "retrieved_contexts"} & row.keys()) and bool(_columns([row]))


def read_ragas(rows: list[tuple[str, Row]], path: Path) -> ResultFile:
    """Return the samples with their metrics; a file is one system, called as the file.

    Metrics are all columns beside a sample's that hold numbers. An item is its id, if the samples have a column of the
    usual names, else the text of `user_input`. A metric without a number failed: ragas leaves it out of its mean.

    Raises:
        InputError: if a metric holds anything but numbers, or a sample has no `user_input`.
    """
    metrics = _columns([row for _, row in rows])
    draws: Counter[tuple[str, str]] = Counter()
    found = []
    for where, row in rows:
        values = {metric: json_value(_cell(row.get(metric)), metric, where) for metric in metrics}
        fields = plain_texts({key: value for key, value in row.items() if key not in metrics}, where)
        question = plain_text(row.get("user_input"))
        item = first_of(fields, ID_NAMES) or question
        if not item:
            raise InputError(f"{where}: 'user_input' must be a text; several turns need a column 'id'")
        lang = lang_of(fields)
        draws[item, lang] += 1
        failed = [metric for metric, value in values.items() if value is None]
        error = f"no {', '.join(failed)}" if failed else ""
        found.append(ResultRow(where, item, values, "", lang, error, question, draws[item, lang], fields=fields))
    scales = {metric: scale_of(row.values[metric] for row in found) for metric in metrics}
    notes = [f"metrics: {', '.join(metrics)}"]
    n_failed = sum(bool(row.error) for row in found)
    if n_failed:
        notes.append(f"{n_failed} of {len(found)} samples lack a metric: no value (ragas leaves them out of its means)")
    return ResultFile("ragas", tuple(found), scales, notes=tuple(notes))


def _columns(rows: list[Row]) -> list[str]:
    """Return the columns of metrics: they hold numbers, and nothing that is another kind of text in their first.

    The number of a row, which `to_csv()` writes without a name, is none.
    """
    names = dict.fromkeys(key for row in rows for key in row)
    others = {*_SAMPLE, *ID_NAMES, *_NO_METRICS}
    return [
        name
        for name in names
        if name.strip()
        and name.lower() not in others
        and not name.startswith(_ROW_NUMBER)
        and _is_metric([_cell(row.get(name)) for row in rows])
    ]


def _is_metric(cells: list[Any]) -> bool:
    # A metric may have failed for all samples: then its column is empty, and it is one all the same.
    there = [cell for cell in cells if cell is not None]
    return all(not isinstance(cell, str | list | dict) for cell in there[:1])


def _cell(value: Any) -> Any:
    """Return a cell of a table as JSON would hold it."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return float(text) if _NUMBER.fullmatch(text) else value
