"""Exports of Langfuse, whose fixtures its SDK's models wrote (studies/other_tools/langfuse)."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.results.rows import ResultColumns
from ragaliq.formats.traces.rows import Score
from ragaliq.storage.files import Row
from unit.formats.traces.records import EXPORTS, traces_of


def lines(name: str) -> list[Row]:
    return [json.loads(line) for line in (EXPORTS / "langfuse" / name).read_text(encoding="utf-8").splitlines()]


def test_traces_with_observations_scores_and_run_items() -> None:
    found = traces_of(*lines("traces_v3.jsonl"))
    assert [(row.item, row.lang, row.system, row.error) for row in found.rows] == [
        ("i1", "fr", "canteen-2026", ""),
        ("i2", "zh", "canteen-2026", ""),
        ("i3", "ru", "canteen-2026", ""),
        ("i4", "fr", "canteen-2026", "rate limit"),
    ]
    first, second = found.rows[:2]
    assert (first.question, first.answer) == ("Quand ouvre la cantine ?", "À sept heures.")
    assert (first.contexts, first.seconds, first.cost) == (("La cantine ouvre à sept heures.",), 1.5, 0.002)
    assert set(first.scores) == {
        Score("quality", 0.9, "EVAL"),
        Score("quality", 1.0, "ANNOTATION"),
        Score("helpful", 1.0, "API", truth=True),
        # A category's number is 0 where nobody has numbered it, so it is no value.
        Score("tone", None, "EVAL"),
    }
    assert [score.value for score in second.scores if score.name == "quality"] == [0.6, 0.8]
    # The token in the metadata is no field.
    assert first.fields == {"lang": "fr"}


def test_records_in_any_order_say_the_same() -> None:
    rows = lines("traces_v3.jsonl")
    turned = {row.trace: row for row in traces_of(*reversed(rows)).rows}
    for row in traces_of(*rows).rows:
        other = turned[row.trace]
        assert (row.item, row.answer, row.contexts, set(row.scores)) == (
            other.item, other.answer, other.contexts, set(other.scores),
        )  # fmt: skip


def test_an_experiment_is_a_page_of_items() -> None:
    page = json.loads((EXPORTS / "langfuse" / "experiment_v5.json").read_text(encoding="utf-8"))
    found = traces_of(page)
    assert found.data == "canteen"
    assert [(row.item, row.lang, row.question, row.answer, row.reference) for row in found.rows] == [
        ("i1", "fr", "À quelle heure ouvre la cantine ?", "À sept heures.", "À 7 h."),
        ("i2", "zh", "食堂几点开门？", "七点。", "7点。"),
        ("i3", "ru", "Когда открывается столовая?", "", "В 7 часов."),
    ]
    assert [row.scores for row in found.rows] == [
        (Score("quality", 0.9, "EVAL"),),
        (Score("quality", 1.0, "EVAL"),),
        (),
    ]
    assert [(row.seconds, row.error) for row in found.rows] == [(1.0, ""), (2.0, ""), (3.0, "an observation failed")]


def test_observations_beside_scores_of_the_third_version() -> None:
    found = traces_of(*lines("observations_v5.jsonl"))
    assert [set(row.scores) for row in found.rows] == [
        {Score("quality", 0.9, "EVAL"), Score("helpful", 0.0, "EVAL", truth=True)},
        {Score("quality", 1.0, "EVAL"), Score("helpful", 1.0, "EVAL", truth=True)},
        set(),
    ]
    assert [(row.span, row.lang, row.error) for row in found.rows] == [
        ("o0", "fr", ""), ("o1", "zh", ""), ("o2", "ru", "rate limit"),
    ]  # fmt: skip
    assert found.notes == ("1 scores of sessions or whole runs are left out",)


def test_a_trace_without_its_first_observation_is_an_error_and_counts() -> None:
    rows = [row for row in lines("traces_v3.jsonl") if "observations" in row]
    inner = [one for row in rows for one in row["observations"] if one.get("parentObservationId")]
    assert inner
    found = traces_of(*inner).rows
    assert len(found) == len({one["traceId"] for one in inner})
    assert {(row.answer, row.error) for row in found} == {("", "the trace's first observation is missing")}


def table() -> list[Row]:
    """Rows of the table of traces, as its export has them: scores are columns with lists."""
    common = {"timestamp": "2026-01-01T00:00:00.000Z", "name": "bot", "bookmarked": False, "tags": [], "latency": 2.5}
    return [
        {**common, "id": "a", "input": "几点开门？", "output": "七点。", "metadata": {"lang": "zh"}, "level": "ERROR",
            "quality": [0.5, 1.0], "tone": ["calme"], "totalCost": 0},
        {**common, "id": "b", "input": "Qui ?", "output": None, "metadata": {}, "level": "ERROR", "quality": None,
            "tone": None, "totalCost": 0.1},
    ]  # fmt: skip


def as_csv(rows: list[Row]) -> list[Row]:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    cell: dict[str, Any]
    for cell in rows:
        writer.writerow({k: "" if v is None else v if isinstance(v, str) else json.dumps(v) for k, v in cell.items()})
    return list(csv.DictReader(io.StringIO(text.getvalue())))


@pytest.mark.parametrize("rows", [table(), as_csv(table())], ids=["json", "csv"])
def test_the_table_of_traces(rows: list[Row]) -> None:
    found = traces_of(*rows)
    first, second = found.rows
    assert set(first.scores) == {Score("quality", 0.5), Score("quality", 1.0), Score("tone", None)}
    # A step failed on the way to an answer; without an answer the trace failed. A price of 0 is one not known.
    assert (first.error, first.lang, first.seconds, first.cost) == ("", "zh", 2.5, None)
    assert (second.error, second.scores, second.cost) == ("an observation failed", (), 0.1)
    assert any("may lack scores of 0" in note for note in found.notes)


def test_lists_of_ids_and_missing_traces_are_told() -> None:
    trace = {"id": "a", "timestamp": "2026-01-01T00:00:00Z", "htmlPath": "/a", "scores": ["s1"], "observations": ["o1"]}
    score = {"id": "s", "traceId": "z", "name": "q", "dataType": "NUMERIC", "value": 1, "source": "API"}
    item = {"id": "r", "datasetRunName": "run", "datasetItemId": "i9", "traceId": "y"}
    found = traces_of(trace, score, item)
    assert [(row.trace, row.item, row.error) for row in found.rows] == [
        ("a", "", ""), ("y", "i9", "its trace is not in the file"),
    ]  # fmt: skip
    assert found.notes == (
        "scores of 1 traces that the file does not hold are left out",
        "no trace has its scores here: a list of traces holds their ids alone; add the list of scores",
    )
    with pytest.raises(InputError, match="f: holds scores alone"):
        traces_of(score)


def test_metadata_may_be_named() -> None:
    rows = [row for row in lines("traces_v3.jsonl") if "htmlPath" in row][:1]
    rows[0]["metadata"] |= {"case": 7, "variant": "B"}
    (row,) = traces_of(*rows, columns=ResultColumns(item="case", system="variant")).rows
    assert (row.item, row.system) == ("7", "B")
    assert traces_of(*rows).rows[0].system == "canteen/1"
    with pytest.raises(InputError, match=r"--lang-field tongue: no metadata of f has it"):
        traces_of(*rows, columns=ResultColumns(lang="tongue"))


SCORE = {"id": "s", "traceId": "trace-0", "name": "q", "dataType": "NUMERIC", "value": 1, "source": "API"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**SCORE, "dataType": "STARS"}, "f:9: score of an unknown type 'STARS'; known: BOOLEAN"),
        ({**SCORE, "value": "haut"}, "f:9: 'value' must be a finite number, not 'haut'"),
        ({**SCORE, "dataType": "BOOLEAN", "value": 2}, "f:9: value of the truth value 'q' must be true, false"),
        ({**SCORE, "name": None}, "f:9: 'name' must be a text"),
        ({"question": "Qui ?"}, "f:9: no record of Langfuse"),
        ({"data": ["x"], "meta": {}}, "f:9: 'data' must be a list of objects"),
        ({"id": "trace-0", "timestamp": "hier", "htmlPath": ""}, "f:9: trace 'trace-0' is there already, and differs"),
        ({"id": "n", "timestamp": "hier", "htmlPath": ""}, "f:9: 'timestamp' must be a time"),
        ({"id": "n", "timestamp": None, "htmlPath": "", "scores": [1]}, "f:9: 'scores' must be a list of objects"),
        ({"id": "n", "timestamp": None, "htmlPath": "", "latency": True}, "f:9: 'latency' must be a finite number"),
        (
            {"id": "r", "datasetRunName": "other", "datasetItemId": "i1", "traceId": "trace-0"},
            "f:9: the run item of trace 'trace-0' is there already, and differs",
        ),
    ],
)
def test_what_is_malformed_is_one_line(row: Row, message: str) -> None:
    with pytest.raises(InputError, match=message):
        traces_of(*lines("traces_v3.jsonl"), row)
