"""The calls of models that a build made: `DIR/build/traces.jsonl`, one line a request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragaliq.llm import LLMSession
from ragaliq.runs.traces import sort_traces, traced
from ragaliq.storage.files import write_lines
from ragaliq.storage.journal import journal_lines, read_journal


@contextmanager
def traced_build(path: Path, session: LLMSession) -> Iterator[None]:
    """Keep the calls that a session makes within the block; for equal requests of an item, only the last reply.

    So a build that was killed and resumed leaves the same traces as one that was not.
    """
    try:
        with traced(path, session):
            yield
    finally:
        _last_of_each(path)


def _last_of_each(path: Path) -> None:
    last: dict[tuple[str, ...], tuple[bool, int]] = {}
    for number, row in read_journal(path):
        replied = not row.get("error")
        # Two items may ask the same, such as chunks with one text; each keeps its own trace.
        key = tuple(str(row.get(part)) for part in ("component", "lang", "query_id", "request_hash"))
        if key not in last or replied >= last[key][0]:
            last[key] = replied, number
    wanted = {number for _, number in last.values()}
    lines = [line for number, _, line in journal_lines(path) if number in wanted]
    if lines:
        write_lines(path, lines)
        sort_traces(path)
