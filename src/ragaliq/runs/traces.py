"""The calls of models that a run made: `traces.jsonl`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, fields, replace
from pathlib import Path
from threading import Lock
from typing import Self

from ragaliq.llm import LLMSession
from ragaliq.runs.shapes import TRACE
from ragaliq.storage.files import Row, parse_row, write_lines
from ragaliq.storage.journal import Journal, journal_lines
from ragaliq.storage.own_json import check_row
from ragaliq.storage.record_store import Key
from ragaliq.storage.redaction import redactor
from ragaliq.types import Condition, Trace

_condition: ContextVar[str] = ContextVar("condition", default="")


@contextmanager
def traced(path: Path, session: LLMSession) -> Iterator[None]:
    """Keep the calls that a session makes within the block, behind those that the file holds; then sort the file.

    The file is created with the first call. A session with `traced` false keeps none.
    """
    if not session.traced:
        yield
        return
    with TraceFile(path) as session.traces:
        try:
            yield
        finally:
            session.traces = None
    sort_traces(path)


@contextmanager
def asked_under(condition: Condition) -> Iterator[None]:
    """Name a condition in the traces of the calls within the block, also of those on threads that it waits for."""
    token = _condition.set(str(condition))
    try:
        yield
    finally:
        _condition.reset(token)


class TraceFile:
    """Appends traces to a file, one durable line each; secrets are redacted."""

    def __init__(self, path: Path) -> None:
        self._journal = Journal(path)
        self._is_open = False
        # An embedder's calls come from another thread than the judge's.
        self._lock = Lock()

    def __enter__(self) -> Self:
        """Open nothing yet: a run that calls no model has no such file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        with self._lock:
            self._journal.__exit__()
            self._is_open = False

    def append(self, trace: Trace) -> None:
        """Add a trace."""
        row = trace_to_row(replace(trace, condition=_condition.get()))
        with self._lock:
            if not self._is_open:
                self._journal.__enter__()
                self._is_open = True
            self._journal.append(row)

    def sync(self) -> None:
        """Wait until all traces are on disk."""
        self._journal.sync()


class ItemTraces:
    """The calls of a run itself that are about one item each, read from a file of traces one item at a time.

    Calls under other contexts (`Trace.condition`) are left out.
    """

    def __init__(self, path: Path, components: Collection[str]) -> None:
        """Note where the calls of some components stand; a missing file has none.

        Raises:
            InputError: if a line is no trace; the message names it.
        """
        self._path = path
        self._places: dict[Key, list[tuple[int, int]]] = {}
        for number, start, line in journal_lines(path):
            where = f"{path}:{number}"
            row = parse_row(line.decode("utf-8-sig"), where)
            check_row(row, TRACE, where)
            if row["component"] in components and row.get("query_id") and not row.get("condition"):
                self._places.setdefault((row.get("lang", ""), row["query_id"]), []).append((start, len(line)))

    def of(self, key: Key) -> tuple[Row, ...]:
        """Return the rows of an item's calls, in the order of the file."""
        places = self._places.get(key)
        if not places:
            return ()
        rows = []
        with self._path.open("rb") as file:
            for start, size in places:
                file.seek(start)
                rows.append(parse_row(file.read(size).decode("utf-8-sig"), str(self._path)))
        return tuple(rows)


def trace_to_row(trace: Trace) -> Row:
    """Return the line of `traces.jsonl`; `reasoning`, `error` and `condition` are left out where there is none."""
    # Not asdict, which copies the parameters of every call.
    row = {part.name: getattr(trace, part.name) for part in fields(trace)}
    row["usage"] = None if trace.usage is None else asdict(trace.usage)
    clean = redactor()
    row |= {key: clean(row[key]) for key in ("model", "raw_reply", "reasoning", "error") if row[key]}
    return {key: value for key, value in row.items() if value or key not in ("reasoning", "error", "condition")}


def sort_traces(path: Path) -> None:
    """Sort a file of traces by component, language, query, condition and request; equal requests stay in their order.

    Calls end in any order, so the order of the requests' hashes takes its place: the same input gives the same file.
    """
    places = []
    for number, start, line in journal_lines(path):
        row = parse_row(line.decode("utf-8-sig"), f"{path}:{number}")
        order = [str(row.get(key)) for key in ("component", "lang", "query_id")]
        order += [row.get("condition", ""), *(str(row.get(key)) for key in ("model", "turn", "request_hash"))]
        places.append((order, number, start, len(line)))
    if not places:
        return
    with path.open("rb") as file:

        def lines() -> Iterator[bytes]:
            for _, _, start, size in sorted(places):
                file.seek(start)
                yield file.read(size)

        write_lines(path, lines())
