"""Records of tracing programs for tests: spans in both forms, and where the exports of the programs' models are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragaliq.formats.results.rows import ResultColumns
from ragaliq.formats.traces.reading import read_traces
from ragaliq.formats.traces.rows import Traces
from ragaliq.storage.files import Row

EXPORTS = Path(__file__).resolve().parents[4] / "studies" / "other_tools"


def span(name: str, parent: str = "", trace: str = "t", second: int = 0, **more: Any) -> Row:
    """A span as the SDK writes it; `more` are its attributes, with `__` for a dot."""
    attributes = {key.replace("__", "."): value for key, value in more.items()}
    return {
        "name": name, "context": {"trace_id": trace, "span_id": name}, "parent_id": parent or None,
        "start_time": f"2026-01-01T00:00:{second:02}Z", "end_time": f"2026-01-01T00:00:{second + 1:02}Z",
        "status": {"status_code": "UNSET"}, "attributes": attributes, "events": [], "links": [],
        "resource": {"attributes": {"service.name": "bot"}},
    }  # fmt: skip


def evaluation(name: str, **more: Any) -> Row:
    """An event that scores an answer."""
    attributes = {"gen_ai.evaluation.name": name, **{key.replace("__", "."): value for key, value in more.items()}}
    return {"name": "gen_ai.evaluation.result", "timestamp": "2026-01-01T00:00:01Z", "attributes": attributes}


def traces_of(*rows: Row, columns: ResultColumns | None = None) -> Traces:
    """Read rows as the lines of a file."""
    return read_traces([(f"f:{n}", row) for n, row in enumerate(rows, 1)], columns or ResultColumns(), "f")
