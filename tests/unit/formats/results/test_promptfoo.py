from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import InputError
from unit.formats.results.made import TOOLS, mean, parsed, read, written

PATH = TOOLS / "promptfoo" / "results.json"


@pytest.fixture
def value() -> Any:
    return parsed(PATH)


def change(value: Any, path: Path, **changes: Any) -> Path:
    """Write the file with its first result changed."""
    value["results"]["results"][0].update(changes)
    return written(path, value)


def test_every_result_is_there(value: Any) -> None:
    results = read(PATH)
    for row, result in zip(results.rows, value["results"]["results"], strict=True):
        assert (row.item, row.lang) == (result["vars"]["id"], result["vars"]["lang"])
        assert (row.system, row.question) == (result["provider"]["label"], result["vars"]["question"])
        if result["failureReason"] == 2:
            assert row.values == dict.fromkeys(("score", "pass", "near", "rouge"))
            assert row.error == "HTTP 503: no answer after 3 attempts"
        else:
            assert row.values == {"score": result["score"], "pass": result["success"], **result["namedScores"]}
            assert row.error == ""
            assert row.seconds == result["latencyMs"] / 1000
    assert results.tool == "promptfoo 0.121.20"
    assert results.notes == ("1 of 24 results are errors: no value (promptfoo scores them 0)",)


def test_promptfoo_reports_the_same_sums(value: Any) -> None:
    results = read(PATH)
    for prompt in value["results"]["prompts"]:
        of = prompt["metrics"]
        n = of["testPassCount"] + of["testFailCount"]
        passed, n_passed = mean(results, "pass", prompt["provider"])
        assert (round(passed * n_passed), n_passed) == (of["testPassCount"], n)
        score, _ = mean(results, "score", prompt["provider"])
        assert score * n == pytest.approx(of["score"])
        for name, total in of["namedScores"].items():
            named, n_named = mean(results, name, prompt["provider"])
            assert named * n_named == pytest.approx(total)
            assert n_named == of["namedScoresCount"][name]


def test_a_grader_that_failed_gives_no_value(value: Any, tmp_path: Path) -> None:
    parts = [{"pass": False, "score": 0, "reason": "429 too many", "metadata": {"graderError": True}}]
    grading = {"pass": False, "score": 0, "reason": "429 too many", "componentResults": parts}
    path = change(value, tmp_path / "a.json", gradingResult=grading, score=0, success=False, failureReason=1)
    row = read(path).rows[0]
    assert (row.values["score"], row.error) == (None, "grader failed: 429 too many")


def test_several_prompts_are_systems_of_one_provider(value: Any, tmp_path: Path) -> None:
    more = copy.deepcopy(value["results"]["results"])
    for result in more:
        result["prompt"]["label"] = "Antworte kurz.\n{{question}}"
        result["promptIdx"] += 2
    value["results"]["results"] += more
    rows = read(written(tmp_path / "a.json", value)).rows
    assert {row.system for row in rows} == {
        "long, prompt 1", "short, prompt 1", "long, {{question}}", "short, {{question}}"
    }  # fmt: skip
    assert {row.draw for row in rows} == {1}


def test_without_ids_the_variables_are_the_item_and_repeats_are_draws(value: Any, tmp_path: Path) -> None:
    for result in value["results"]["results"]:
        del result["vars"]["id"], result["vars"]["lang"]
    value["results"]["results"] += copy.deepcopy(value["results"]["results"][:1])
    rows = read(written(tmp_path / "a.json", value)).rows
    assert rows[0].item == "How many locks does the canal have?"
    assert [row.draw for row in rows if row.item == rows[0].item and row.system == rows[0].system] == [1, 2]


def test_a_cached_answer_has_no_time(value: Any, tmp_path: Path) -> None:
    assert read(change(value, tmp_path / "a.json", response={"output": "16", "cached": True})).rows[0].seconds is None


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "score": ({"score": "1"}, "result 1: 'score' must be a number"),
    "huge": ({"score": 10**400}, "result 1: 'score' is too large a number"),
    "vars": ({"vars": None}, "result 1: 'vars' must be an object"),
    "provider": ({"provider": 7}, "result 1: 'provider' must name a provider"),
    "named": ({"namedScores": [1]}, "result 1: 'namedScores' must be an object"),
    "surrogate": ({"vars": {"id": "\ud800"}}, "result 1: 'id' holds half a surrogate pair"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_result_is_one_error(case: str, value: Any, tmp_path: Path) -> None:
    changes, message = BROKEN[case]
    value["results"]["results"][0].update(changes)
    import json

    path = tmp_path / "a.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read(path)


def test_no_result_at_all_is_an_error(value: Any, tmp_path: Path) -> None:
    value["results"]["results"] = []
    with pytest.raises(InputError, match="holds no result"):
        read(written(tmp_path / "a.json", value))
    value["results"]["results"] = [7]
    with pytest.raises(InputError, match="result 1: an object is expected"):
        read(written(tmp_path / "a.json", value))
