"""Exports of LangSmith, whose fixtures its SDK's models wrote (studies/other_tools/langsmith)."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from langsmith.schemas import Run

from ragaliq.errors import InputError
from ragaliq.formats.results.rows import ResultColumns
from ragaliq.formats.traces.rows import Score
from ragaliq.storage.files import Row
from unit.formats.traces.records import EXPORTS, traces_of


def runs() -> list[Row]:
    text = (EXPORTS / "langsmith" / "runs.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def item(number: int) -> str:
    return str(UUID(int=number))


def test_runs_with_feedback() -> None:
    rows = traces_of(*runs()).rows
    assert [(row.item, row.lang, row.system) for row in rows] == [
        (item(1), "fr", ""), (item(2), "zh", ""), (item(3), "ru", ""), (item(4), "fr", ""),
    ]  # fmt: skip
    first, last = rows[0], rows[3]
    assert (first.question, first.answer) == ("À quelle heure ouvre la cantine ?", "À sept heures.")
    assert (first.contexts, first.seconds, first.cost) == (("La cantine ouvre à sept heures.",), 1.0, 0.002)
    assert set(first.scores) == {
        Score("helpful", 1.0, "app", truth=True), Score("correctness", 0.9), Score("tone", None),
    }  # fmt: skip
    assert (last.answer, last.error) == ("", "RateLimitError('slow down')")
    assert first.fields == {"question": "À quelle heure ouvre la cantine ?", "lang": "fr"}


def test_a_run_of_the_installed_models() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    child = Run(id=UUID(int=2), trace_id=UUID(int=1), parent_run_id=UUID(int=1), name="m", run_type="llm",
        start_time=start, inputs={"messages": [{"role": "user", "content": "几点开门？"}]},
        outputs={"choices": [{"message": {"role": "assistant", "content": "七点。"}}]})  # fmt: skip
    root = Run(id=UUID(int=1), trace_id=UUID(int=1), name="bot", run_type="chain", start_time=start,
        end_time=start + timedelta(seconds=2), inputs={}, child_runs=[child], session_id=UUID(int=9))  # fmt: skip
    (row,) = traces_of(json.loads(root.model_dump_json())).rows
    assert (row.trace, row.span, row.seconds) == (item(1), item(1), 2.0)
    assert (row.question, row.answer) == ("几点开门？", "七点。")


def test_a_trace_without_its_first_run_is_an_error_and_counts() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    shared: dict[str, Any] = {"trace_id": UUID(int=1), "parent_run_id": UUID(int=1), "start_time": start}
    find = Run(id=UUID(int=2), name="find", run_type="retriever", inputs={"query": "Где?"},
               outputs={"documents": [{"page_content": "Там."}]}, **shared)  # fmt: skip
    chat = Run(
        id=UUID(int=3), name="m", run_type="llm", inputs={"question": "Где?"}, outputs={"output": "Там."}, **shared
    )
    left = [json.loads(run.model_dump_json()) for run in (find, chat)]
    found = traces_of(*runs(), *left).rows
    assert len(found) == len(traces_of(*runs()).rows) + 1
    assert (found[-1].answer, found[-1].error) == ("", f"the trace's first run '{UUID(int=1)}' is missing")
    # A run of an example is the first of its trace, wherever that stands.
    chat = Run(id=UUID(int=3), name="m", run_type="llm", inputs={"question": "Где?"}, outputs={"output": "Там."},
               reference_example_id=UUID(int=9), **shared)  # fmt: skip
    (row,) = traces_of(json.loads(chat.model_dump_json())).rows
    assert (row.item, row.answer, row.error) == (str(UUID(int=9)), "Там.", "")


def test_several_sessions_are_several_systems() -> None:
    rows = runs()
    rows[0]["session_id"] = item(77)
    assert {row.system for row in traces_of(*rows).rows} == {item(9), item(77)}
    for row in rows:
        row["session_name"] = "canteen"
    assert {row.system for row in traces_of(*rows).rows} == {"canteen"}


def test_the_rows_of_an_experiment() -> None:
    with (EXPORTS / "langsmith" / "experiment.csv").open(encoding="utf-8", newline="") as file:
        rows: list[Any] = list(csv.DictReader(file))
    found = traces_of(*rows).rows
    assert [(row.item, row.lang, row.answer, row.reference) for row in found] == [
        (item(1), "fr", "À sept heures.", "À 7 h."),
        (item(2), "zh", "七点。", "7点。"),
        (item(3), "ru", "В восемь.", "В 7 часов."),
        (item(4), "fr", "", "Eiffel."),
    ]
    assert [row.scores for row in found][:2] == [
        (Score("correctness", 0.9), Score("tone", None)), (Score("correctness", 1.0), Score("tone", None)),
    ]  # fmt: skip
    assert [row.error for row in found][2:] == ["", "RateLimitError('slow down')"]


def test_cells_of_an_experiment() -> None:
    row = {"example_id": "e", "id": "r", "inputs.q": "Qui ?", "outputs.output": "Lui.", "feedback.ok": "True",
        "outputs.documents": "[{'page_content': 'Un.'}]", "feedback.n": "", "execution_time": "1.5"}  # fmt: skip
    (found,) = traces_of(row).rows
    assert (found.question, found.contexts, found.seconds) == ("Qui ?", ("Un.",), 1.5)
    assert found.scores == (Score("ok", 1.0, truth=True),)


def test_inputs_and_metadata_may_be_named() -> None:
    (first, *_) = traces_of(*runs(), columns=ResultColumns(item="question", system="lang")).rows
    assert (first.item, first.system) == ("À quelle heure ouvre la cantine ?", "fr")
    with pytest.raises(InputError, match=r"--id case: no input or metadata of f has it"):
        traces_of(*runs(), columns=ResultColumns(item="case"))


RUN = {"id": "r", "run_type": "chain", "start_time": "2026-01-01T00:00:00", "inputs": {"q": "Qui ?"}}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**RUN, "start_time": "hier"}, "f:2: 'start_time' must be a time"),
        ({**RUN, "inputs": "Qui ?"}, "f:2: 'inputs' must be an object, not 'Qui"),
        ({**RUN, "feedback_stats": {"q": {"avg": "haut"}}}, "f:2: feedback 'q': 'avg' must be a finite number"),
        ({**RUN, "child_runs": ["x"]}, "f:2: 'child_runs' must be a list of objects"),
        ({**RUN, "id": "first", "inputs": {}}, "f:2: run 'first' is there already, and differs"),
        ({**RUN, "id": 1.5}, "f:2: 'id' must be a text or a whole number"),
        ({"id": "x", "run_id": "first", "key": "q", "score": "haut"}, "f:2: 'q' must be a finite number"),
        ({"question": "Qui ?"}, "f:2: no run, feedback or experiment row of LangSmith"),
    ],
)
def test_what_is_malformed_is_one_line(row: Row, message: str) -> None:
    with pytest.raises(InputError, match=message):
        traces_of({**RUN, "id": "first"}, row)


def test_feedback_alone_is_no_file_of_runs() -> None:
    with pytest.raises(InputError, match="f: holds feedback alone"):
        traces_of({"id": "x", "run_id": "y", "key": "q", "score": 1})
