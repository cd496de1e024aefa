"""Files of tools with a part of another type: one line, no traceback, and no key in a reason."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import RagaliqError
from ragaliq.formats.results.reading import read_results
from ragaliq.formats.results.rows import ResultColumns

FILES = Path(__file__).parents[4] / "studies" / "other_tools"
NAMES = ("inspect/first.json", "promptfoo/results.json", "deepeval/long.json", "ragas/long.json")
BAD: tuple[Any, ...] = (5, "x", None, [], {}, [5], {"a": 5}, True, -1, 10**400)


def paths_of(value: Any, depth: int = 6) -> Iterator[tuple[str | int, ...]]:
    """Yield where the parts of a JSON value are; of a list the first alone."""
    inner = value.items() if isinstance(value, dict) else list(enumerate(value))[:1] if isinstance(value, list) else ()
    for key, part in inner:
        yield (key,)
        if depth:
            yield from ((key, *rest) for rest in paths_of(part, depth - 1))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_part_of_another_type_is_one_line(name: str, tmp_path: Path) -> None:
    value = json.loads((FILES / name).read_text(encoding="utf-8"))
    path = tmp_path / "log.json"
    read = refused = 0
    for place, keys in enumerate(paths_of(value)):
        changed = copy.deepcopy(value)
        part = changed
        for key in keys[:-1]:
            part = part[key]
        part[keys[-1]] = BAD[place % len(BAD)]
        path.write_text(json.dumps(changed), encoding="utf-8")
        try:
            read_results(path, ResultColumns())
            read += 1
        except RagaliqError as error:
            assert "\n" not in str(error)
            refused += 1
    assert read and read + refused > 3


@pytest.mark.parametrize(
    ("name", "keys", "bad"),
    [
        ("promptfoo/results.json", ("results", "results", 0, "gradingResult", "componentResults"), 5),
        ("promptfoo/results.json", ("results", "results", 0, "testCase", "assert"), 5),
        ("inspect/first.json", ("eval", "scorers"), 5),
    ],
)
def test_a_number_in_the_place_of_a_list_is_no_traceback(
    name: str, keys: tuple[str | int, ...], bad: object, tmp_path: Path
) -> None:
    value = json.loads((FILES / name).read_text(encoding="utf-8"))
    part = value
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = bad
    path = tmp_path / "log.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    try:
        assert read_results(path, ResultColumns()) is not None
    except RagaliqError as error:
        assert str(path) in str(error)


def test_keys_are_no_part_of_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("id,score,error\nq1,1,\nq2,,401 invalid key sk-proj-abcdefghijklmnop1234567890\n", encoding="utf-8")
    results = read_results(path, ResultColumns())
    assert results is not None and [row.error for row in results.rows] == ["", "401 invalid key ***"]


def test_runs_with_numbers_as_ids_keep_their_feedback(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    run = {"id": 7, "run_type": "chain", "name": "bot", "inputs": {"question": "问题"}, "outputs": {"answer": "回答"},
           "start_time": "2026-01-31T12:00:00Z", "trace_id": 7, "session_id": 1, "dotted_order": ""}  # fmt: skip
    feedback = {"id": 9, "run_id": 7, "key": "helpful", "score": 1.0}
    path.write_text("".join(json.dumps(row) + "\n" for row in (run, feedback)), encoding="utf-8")
    results = read_results(path, ResultColumns())
    assert results is not None and [dict(row.values) for row in results.rows] == [{"helpful": 1.0}]
