"""Answers in exports of Langfuse: traces, observations, scores, items of dataset runs and of experiments.

Source: the models of Langfuse's Python SDK, which its API's definition generates: 3.15.0 (`TraceWithFullDetails`,
`TraceWithDetails`, `ObservationsView`, `Score`, `DatasetRunItem`) and 5.0.4 (`ObservationV2`, `ScoreV3`,
`ExperimentItem`). A file may hold any of them, one a line or in a list (`data` of a page).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragaliq.errors import InputError, nearest
from ragaliq.formats.reading.fields import row_id, row_objects, row_text
from ragaliq.formats.results.rows import ResultColumns
from ragaliq.formats.traces.contents import answer_in, contexts_in, parsed, question_in, reference_in
from ragaliq.formats.traces.langfuse_scores import scores_in_columns, scores_of_records
from ragaliq.formats.traces.rows import Score, TraceRow, Traces
from ragaliq.formats.traces.values import Numbered, first_named, number_of, seconds_between, short_texts, time_of
from ragaliq.storage.files import Row

_RUN_ITEM, _EXPERIMENT, _SCORE, _OBSERVATION, _TRACE, _TABLE = (
    "run item", "experiment item", "score", "observation", "trace", "table row",
)  # fmt: skip
# What a kind of record has; the first that fits decides. Scores in one of the user's tables are columns of theirs.
_KEYS: Mapping[str, frozenset[str]] = {
    _RUN_ITEM: frozenset({"datasetRunName", "datasetItemId", "traceId"}),
    _EXPERIMENT: frozenset({"experimentItemId", "experimentName", "traceId"}),
    _SCORE: frozenset({"dataType", "name", "source"}),
    _OBSERVATION: frozenset({"traceId", "type", "startTime"}),
    _TABLE: frozenset({"id", "timestamp", "bookmarked"}),
    _TRACE: frozenset({"id", "timestamp", "htmlPath"}),
}
_LANGS = ("lang", "language", "locale")
_RETRIEVER, _GENERATION = "RETRIEVER", "GENERATION"
_NO_TRACE = "its trace is not in the file"
_NO_FIRST = "the trace's first observation is missing"


@dataclass(slots=True)
class _Records:
    """The records of one trace, each with its place."""

    trace: tuple[str, Row] | None = None
    item: tuple[str, Row] | None = None
    observations: dict[str, tuple[str, Row]] = field(default_factory=dict)
    scores: dict[str, tuple[str, Row]] = field(default_factory=dict)


def is_langfuse(row: Row) -> bool:
    """Return whether an object is a record of Langfuse, or a page of them."""
    data = row.get("data")
    if isinstance(data, list) and "meta" in row and data and isinstance(data[0], dict):
        return bool(_kind(data[0]))
    return bool(_kind(row))


def langfuse_traces(rows: Numbered, columns: ResultColumns, name: str) -> Traces:
    """Return the answers in records of Langfuse, one for each trace; `columns` names keys of their metadata.

    Raises:
        InputError: if a record is malformed or of no known kind, or the file holds no trace.
    """
    records: dict[str, _Records] = {}
    nowhere = 0
    tables = False
    for where, row in _unfolded(rows):
        kind = _kind(row)
        if not kind:
            raise InputError(f"{where}: no record of Langfuse, as those before it; remove it")
        trace = _trace_id(row, kind, where)
        if not trace:
            nowhere += 1
            continue
        tables |= kind == _TABLE
        _put(records.setdefault(trace, _Records()), kind, row, where)
    kept = {trace: held for trace, held in records.items() if held.trace or held.item or held.observations}
    if not kept:
        raise InputError(f"{name}: holds scores alone; add the traces, observations or run items that they are of")
    found = [_row(trace, held, columns) for trace, held in kept.items()]
    _check_named(found, columns, name)
    notes = list(_notes(found, nowhere, len(records) - len(kept), tables))
    return Traces("Langfuse", tuple(found), data=_data(kept.values()), notes=tuple(notes))


def _kind(row: Row) -> str:
    return next((kind for kind, keys in _KEYS.items() if keys <= row.keys()), "")


def _unfolded(rows: Numbered) -> Iterator[tuple[str, Row]]:
    """Yield the records of pages, and what a trace holds of observations and scores, beside it."""
    for where, row in rows:
        page = row_objects(row, "data", where) if "meta" in row and isinstance(row.get("data"), list) else None
        held = [(where, row)] if page is None else [(f"{where}: record {n}", one) for n, one in enumerate(page, 1)]
        for place, record in held:
            yield place, record
            kind = _kind(record)
            if kind not in (_TRACE, _EXPERIMENT):
                continue
            trace = record.get("id" if kind == _TRACE else "traceId")
            # A list of traces names its observations and scores by their ids alone.
            for key in ("observations", "scores"):
                inner = record.get(key)
                if isinstance(inner, list) and not all(isinstance(one, str) for one in inner):
                    inside = row_objects(record, key, place)
                    yield from ((place, {**one, "traceId": one.get("traceId") or trace}) for one in inside)


def _trace_id(row: Row, kind: str, where: str) -> str:
    """Return the trace that a record is of; empty for a score of a session or of a whole run."""
    if kind in (_TRACE, _TABLE):
        return row_id(row, "id", where)
    if kind != _SCORE or row.get("traceId") is not None:
        return row_id(row, "traceId", where)
    subject = row.get("subject")
    if not isinstance(subject, dict):
        return ""
    return row_text(subject, "id" if subject.get("kind") == "trace" else "traceId", where)


def _put(held: _Records, kind: str, row: Row, where: str) -> None:
    if kind in (_RUN_ITEM, _EXPERIMENT):
        held.item = _same(held.item, (where, row), "the run item of trace")
    elif kind in (_TRACE, _TABLE):
        held.trace = _same(held.trace, (where, row if kind == _TRACE else _cells(row)), "trace")
    else:
        place = held.scores if kind == _SCORE else held.observations
        # A list of scores repeats those that their traces hold.
        place.setdefault(row_id(row, "id", where), (where, row))


def _same(earlier: tuple[str, Row] | None, now: tuple[str, Row], what: str) -> tuple[str, Row]:
    if earlier and earlier[1] != now[1]:
        name = now[1].get("traceId") or now[1].get("id")
        raise InputError(f"{now[0]}: {what} '{name}' is there already, and differs; keep one of them")
    return earlier or now


def _cells(row: Row) -> Row:
    """Return a row of the table of traces with plain values, as a CSV file has them as JSON."""
    return {key: parsed(value) for key, value in row.items()}


def _row(trace: str, held: _Records, columns: ResultColumns) -> TraceRow:
    observations = sorted(
        held.observations.values(), key=lambda one: (row_text(one[1], "startTime", one[0]), one[1]["id"])
    )
    tops = [one for one in observations if one[1].get("isRootObservation") or not one[1].get("parentObservationId")]
    where, root = held.trace or (tops or observations or [held.item or ("", {})])[0]
    item_where, item = held.item or (where, {})
    sides = [(where, root), *([(item_where, item)] if item else []), *tops]
    metadata = _metadata(observations, item, root)
    named = {key: str(value) for key, value in metadata.items() if isinstance(value, str | int)}
    calls = [one for _, one in observations if one.get("type") == _GENERATION]
    asked, said = ([one for _, one in sides] + more for more in (calls, calls[::-1]))
    # Where the first observation is lost, each that is left is one step among others.
    lost = "" if held.trace or tops or _kind(item) == _EXPERIMENT else _NO_FIRST if observations else _NO_TRACE
    answer = "" if lost else _first(answer_in, said, "output")
    start, end = _times(sides)
    latency = next((taken for w, one in sides if (taken := number_of(one, "latency", w)) is not None), None)
    return TraceRow(
        where=where, trace=trace, span="" if held.trace else row_text(root, "id", where),
        item=_item(item, item_where, named, columns), system=_system(item, item_where, root, where, named, columns),
        lang=first_named(named, (columns.lang,) if columns.lang else _LANGS), answer=answer,
        question=_first(question_in, asked, "input"),
        reference=reference_in(item.get("expectedOutput", metadata.get("expectedOutput"))),
        contexts=_contexts(observations, root), scores=tuple(_scores(held, root, where)),
        error=lost or _error(sides, answer), start=start,
        seconds=seconds_between(start, end) if latency is None else latency,
        # Where Langfuse knows no price it writes 0.
        cost=next((cost for w, one in sides if (cost := number_of(one, "totalCost", w))), None),
        fields=short_texts(metadata),
    )  # fmt: skip


def _first(text_in: Callable[[Any], str], records: Sequence[Row], key: str) -> str:
    return next((text for one in records if (text := text_in(one.get(key))).strip()), "")


def _metadata(observations: list[tuple[str, Row]], item: Row, root: Row) -> dict[str, Any]:
    held = [one.get("metadata") for _, one in observations]
    held += [item.get("experimentItemMetadata"), item.get("metadata"), root.get("metadata")]
    return {key: value for one in held if isinstance(one, dict) for key, value in one.items()}


def _item(item: Row, where: str, named: Mapping[str, str], columns: ResultColumns) -> str:
    if columns.item:
        return named.get(columns.item, "")
    key = next((key for key in ("datasetItemId", "experimentItemId") if key in item), "")
    return row_id(item, key, where) if key else first_named(named, ("dataset_item_id", "item_id", "query_id"))


def _system(item: Row, item_where: str, root: Row, where: str, named: Mapping[str, str], columns: ResultColumns) -> str:
    """Return the run that a trace is of, else its name with its version or release."""
    if columns.system:
        return named.get(columns.system, "")
    run = row_text(item, "datasetRunName", item_where) or row_text(item, "experimentName", item_where)
    version = row_text(root, "version", where) or row_text(root, "release", where)
    return run or "/".join(filter(None, (row_text(root, "name", where), version)))


def _times(sides: list[tuple[str, Row]]) -> tuple[float | None, float | None]:
    starts = [time_of(one, key, where) for where, one in sides for key in ("startTime", "timestamp")]
    ends = [time_of(one, "endTime", where) for where, one in sides]
    return next((t for t in starts if t is not None), None), next((t for t in ends if t is not None), None)


def _contexts(observations: list[tuple[str, Row]], root: Row) -> tuple[str, ...] | None:
    """Return what the retrievers of a trace gave, else what its output names, equal texts once."""
    of_retrievers = [contexts_in(one.get("output"), True) for _, one in observations if one.get("type") == _RETRIEVER]
    found = [texts for texts in of_retrievers if texts is not None]
    if not found and (named := contexts_in(root.get("output"))) is not None:
        found = [named]
    return tuple(dict.fromkeys(text for texts in found for text in texts)) if found else None


def _error(sides: list[tuple[str, Row]], answer: str) -> str:
    """Return why a trace failed: one of its first observations did, or there is no answer and the table says so."""
    for where, one in sides:
        if one.get("level") == "ERROR" and ("bookmarked" not in one or not answer.strip()):
            return row_text(one, "statusMessage", where) or "an observation failed"
    return ""


def _scores(held: _Records, root: Row, where: str) -> Iterator[Score]:
    yield from scores_of_records(held.scores.values())
    if _kind(root) == _TABLE:
        yield from scores_in_columns(root, where)


def _data(records: Any) -> str:
    names = {str(held.item[1].get("experimentDatasetId") or "") for held in records if held.item} - {""}
    return names.pop() if len(names) == 1 else ""


def _check_named(rows: list[TraceRow], columns: ResultColumns, name: str) -> None:
    known = {key for row in rows for key in row.fields}
    for option, key in (("--id", columns.item), ("--system", columns.system), ("--lang-field", columns.lang)):
        if key and key not in known:
            raise InputError(f"{option} {key}: no metadata of {name} has it; {nearest(key, known)}")


def _notes(rows: list[TraceRow], nowhere: int, alone: int, tables: bool) -> Iterator[str]:
    if nowhere:
        yield f"{nowhere} scores of sessions or whole runs are left out"
    if alone:
        yield f"scores of {alone} traces that the file does not hold are left out"
    if tables:
        yield "the table of traces may lack scores of 0, which some versions of Langfuse leave out; export by its API"
    if rows and not any(row.scores for row in rows):
        yield "no trace has its scores here: a list of traces holds their ids alone; add the list of scores"
