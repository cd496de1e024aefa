"""Answers in exports of LangSmith: runs, feedback, and the rows of experiments.

Source: langsmith 0.15.0: `schemas.Run` and `schemas.Feedback`, `types.Run` (its API's second version), and the columns
of `ExperimentResults.to_pandas` and `Client.get_test_results`. A file may hold runs and feedback together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragaliq.errors import InputError, nearest
from ragaliq.formats.reading.fields import row_id, row_objects, row_text
from ragaliq.formats.results.rows import ResultColumns
from ragaliq.formats.traces.contents import answer_in, contexts_in, question_in, reference_in
from ragaliq.formats.traces.rows import Score, TraceRow, Traces
from ragaliq.formats.traces.values import (
    Numbered,
    first_named,
    number_of,
    object_of,
    seconds_between,
    short_texts,
    time_of,
)
from ragaliq.storage.files import Row

_RUN, _FEEDBACK = frozenset({"id", "run_type", "start_time"}), frozenset({"run_id", "key", "score"})
_LANGS = ("lang", "language", "locale")
_RETRIEVER, _SPEAKING = "retriever", ("llm", "chain", "prompt", "parser")
# ResultColumns of an experiment's rows are named by their side: `outputs.answer`, `feedback.correctness`.
_SIDES = ("inputs.", "input.", "outputs.", "reference.", "feedback.")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of every run: columns, whether the file holds several sessions, the feedback by run."""

    columns: ResultColumns
    several: bool
    feedback: Mapping[str, Sequence[Score]]


def is_langsmith(row: Row) -> bool:
    """Return whether an object is a run, a feedback, or a row of an experiment."""
    return _is_run(row) or row.keys() >= _FEEDBACK or _is_experiment(row)


def langsmith_traces(rows: Numbered, columns: ResultColumns, name: str) -> Traces:
    """Return the answers in runs, one for each trace, or in the rows of an experiment, one for each row.

    `columns` names keys of inputs or metadata that hold item, system and language.

    Raises:
        InputError: if a record is malformed or of no known kind, or the file holds no run.
    """
    runs: dict[str, tuple[str, Row]] = {}
    feedback: dict[str, tuple[str, Row]] = {}
    found: list[TraceRow] = []
    for where, row in _unfolded(rows):
        if _is_run(row):
            earlier = runs.setdefault(row_id(row, "id", where), (where, row))
            if earlier[1] != row:
                raise InputError(f"{where}: run '{row['id']}' is there already, and differs; keep one of them")
        elif row.keys() >= _FEEDBACK:
            feedback.setdefault(row_id(row, "id", where), (where, row))
        elif _is_experiment(row):
            found.append(_experiment_row(row, columns, where))
        else:
            raise InputError(f"{where}: no run, feedback or experiment row of LangSmith, as those before it; remove it")
    several = len({_session(run) for _, run in runs.values()}) > 1
    found += _of_runs(list(runs.values()), _Asked(columns, several, _by_run(feedback.values())))
    if not found:
        raise InputError(f"{name}: holds feedback alone; add the runs that it is of")
    _check_named(found, columns, name)
    lost = sum(not row.answer and not row.error for row in found)
    notes = (f"{lost} of {len(found)} traces record no answer",) if lost else ()
    return Traces("LangSmith", tuple(found), notes=notes)


def _is_run(row: Row) -> bool:
    return row.keys() >= _RUN and "inputs" in row


def _is_experiment(row: Row) -> bool:
    return "example_id" in row and any(key.startswith(("outputs.", "feedback.")) for key in row)


def _unfolded(rows: Numbered) -> Iterator[tuple[str, Row]]:
    """Yield each record, and the runs that lie inside another, whatever their depth."""
    waiting = list(reversed(rows))
    while waiting:
        where, row = waiting.pop()
        children = row_objects(row, "child_runs", where) if _is_run(row) else []
        yield where, {key: value for key, value in row.items() if key != "child_runs"} if children else row
        for child in reversed(children):
            ids = {"trace_id": row.get("trace_id"), "parent_run_id": row.get("id")}
            waiting.append((where, {**child, **{key: child.get(key) or ids[key] for key in ids}}))


def _by_run(feedback: Any) -> dict[str, list[Score]]:
    """Return the scores by the run that they are of."""
    found: dict[str, list[Score]] = {}
    for where, row in feedback:
        source = object_of(row, "feedback_source", where)
        score = _score(row_id(row, "key", where), row.get("score"), row_text(source, "type", where), where)
        if row.get("run_id") is not None:
            found.setdefault(row_id(row, "run_id", where), []).append(score)
    return found


def _score(name: str, value: Any, source: str, where: str) -> Score:
    if isinstance(value, bool):
        return Score(name, float(value), source, truth=True)
    return Score(name, number_of({name: value}, name, where), source)


def _of_runs(runs: Sequence[tuple[str, Row]], asked: _Asked) -> Iterator[TraceRow]:
    """Yield one answer for each trace: that of its first run, with the runs below it."""
    traces: dict[str, list[tuple[str, Row]]] = {}
    for where, run in runs:
        traces.setdefault(row_text(run, "trace_id", where) or row_id(run, "id", where), []).append((where, run))
    for trace, members in traces.items():
        members.sort(key=lambda one: (time_of(one[1], "start_time", one[0]) or 0.0, one[1]["id"]))
        ids = {run["id"] for _, run in members}
        tops = [one for one in members if _parent(one[1]) not in ids]
        # Where the first run is lost, each that is left is one step among others; an example names the first alone.
        whole = [one for one in tops if not _parent(one[1]) or one[1].get("reference_example_id")]
        row = _row(trace, (whole or tops or members)[0], members, asked)
        yield row if whole or not tops else replace(row, answer="", error=f"the trace's first run '{trace}' is missing")


def _parent(run: Row) -> Any:
    above = run.get("parent_run_ids")
    return run.get("parent_run_id") or (above[-1] if isinstance(above, list) and above else None)


def _row(trace: str, root: tuple[str, Row], members: Sequence[tuple[str, Row]], asked: _Asked) -> TraceRow:
    where, run = root
    columns = asked.columns
    extra = object_of(run, "extra", where)
    metadata = {**object_of(extra, "metadata", where), **object_of(run, "metadata", where)}
    inputs = object_of(run, "inputs", where)
    named = {key: str(value) for key, value in {**inputs, **metadata}.items() if isinstance(value, str | int)}
    speaking = [one for at, one in reversed(members) if row_text(one, "run_type", at) in _SPEAKING]
    start, end = time_of(run, "start_time", where), time_of(run, "end_time", where)
    return TraceRow(
        where=where, trace=trace, span=row_id(run, "id", where),
        item=named.get(columns.item, "") if columns.item else row_text(run, "reference_example_id", where),
        system=_system(run, named, asked), lang=first_named(named, (columns.lang,) if columns.lang else _LANGS),
        question=question_in(inputs) or _first(question_in, [one.get("inputs") for _, one in members]),
        answer=answer_in(run.get("outputs")) or _first(answer_in, [one.get("outputs") for one in speaking]),
        reference=reference_in(run.get("reference_outputs")), contexts=_contexts(run, members),
        scores=tuple(_scores(members, asked.feedback)), error=_error(run, where), start=start,
        seconds=seconds_between(start, end), cost=number_of(run, "total_cost", where),
        fields=short_texts({**inputs, **metadata}),
    )  # fmt: skip


def _error(run: Row, where: str) -> str:
    failed = "the run failed" if run.get("status") == "error" else ""
    return row_text(run, "error", where) or row_text(run, "error_preview", where) or failed


def _session(run: Row) -> str:
    names = (run.get(key) for key in ("session_name", "session_id", "project_id"))
    return next((name for name in names if isinstance(name, str) and name), "")


def _system(run: Row, named: Mapping[str, str], asked: _Asked) -> str:
    """Return the name of the session; its id only tells several apart, and else the file's name says more."""
    if asked.columns.system:
        return named.get(asked.columns.system, "")
    name = run.get("session_name")
    return name if isinstance(name, str) and name else _session(run) if asked.several else ""


def _contexts(run: Row, members: Sequence[tuple[str, Row]]) -> tuple[str, ...] | None:
    """Return what the retrievers of a trace gave, else what its output names, equal texts once."""
    of_retrievers = [contexts_in(one.get("outputs"), True) for _, one in members if one.get("run_type") == _RETRIEVER]
    found = [texts for texts in of_retrievers if texts is not None]
    if not found and (named := contexts_in(run.get("outputs"))) is not None:
        found = [named]
    return tuple(dict.fromkeys(text for texts in found for text in texts)) if found else None


def _scores(members: Sequence[tuple[str, Row]], feedback: Mapping[str, Sequence[Score]]) -> Iterator[Score]:
    """Yield the feedback on the runs of a trace: each where it is in the file, else its mean in the run."""
    for where, run in members:
        single = feedback.get(run["id"], ())
        yield from single
        known = {score.name for score in single}
        for name, stats in object_of(run, "feedback_stats", where).items():
            if name not in known and isinstance(stats, dict):
                yield Score(name, number_of(stats, "avg", f"{where}: feedback '{name}'"), n=_count(stats))


def _count(stats: Mapping[str, Any]) -> int:
    n = stats.get("n")
    return n if isinstance(n, int) and not isinstance(n, bool) else 1


def _experiment_row(row: Row, columns: ResultColumns, where: str) -> TraceRow:
    """Return the answer in a row of an experiment, whose columns are named by their side."""
    sides: dict[str, dict[str, Any]] = {side: {} for side in _SIDES}
    for key, value in row.items():
        side = next((side for side in _SIDES if key.startswith(side)), "")
        if side:
            sides[side][key.removeprefix(side)] = _cell(value)
    inputs, outputs = {**sides["inputs."], **sides["input."]}, sides["outputs."]
    named = {key: str(value) for key, value in inputs.items() if isinstance(value, str | int)}
    run = row_text(row, "id", where)
    return TraceRow(
        where=where, trace=run, span=run,
        item=named.get(columns.item, "") if columns.item else row_text(row, "example_id", where),
        system=named.get(columns.system, ""), lang=first_named(named, (columns.lang,) if columns.lang else _LANGS),
        question=question_in(inputs), answer=answer_in(outputs), reference=reference_in(sides["reference."]),
        contexts=contexts_in(outputs), error=row_text(row, "error", where),
        scores=tuple(_experiment_scores(sides["feedback."], where)),
        seconds=number_of(row, "execution_time", where), fields=short_texts(inputs),
    )  # fmt: skip


def _experiment_scores(feedback: Mapping[str, Any], where: str) -> Iterator[Score]:
    for name, value in sorted(feedback.items()):
        if isinstance(value, str) and value.casefold() in ("true", "false"):
            yield Score(name, float(value.casefold() == "true"), truth=True)
        elif value not in (None, ""):
            yield _score(name, None if isinstance(value, str) and not _is_number(value) else value, "", where)


def _cell(value: Any) -> Any:
    """Return a cell's list or object, which a table holds as Python writes it."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _first(text_in: Any, values: Sequence[Any]) -> str:
    return next((text for text in map(text_in, values) if text.strip()), "")


def _check_named(rows: Sequence[TraceRow], columns: ResultColumns, name: str) -> None:
    known = {key for row in rows for key in row.fields}
    for option, key in (("--id", columns.item), ("--system", columns.system), ("--lang-field", columns.lang)):
        if key and key not in known:
            raise InputError(f"{option} {key}: no input or metadata of {name} has it; {nearest(key, known)}")
