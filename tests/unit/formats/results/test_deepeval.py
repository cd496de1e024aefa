from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import InputError
from unit.formats.results.made import TOOLS, parsed, read, written

FILES = [TOOLS / "deepeval" / f"{system}.json" for system in ("long", "short")]


@pytest.fixture
def value() -> Any:
    return parsed(FILES[0])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_score_is_there_and_deepeval_lists_the_same(path: Path) -> None:
    results, told = read(path), parsed(path)
    for row, case in zip(results.rows, told["testCases"], strict=True):
        assert (row.item, row.lang) == (case["metadata"]["query_id"], case["metadata"]["lang"])
        assert row.system == path.stem
        assert row.values == {metric["name"]: metric.get("score") for metric in case["metricsData"]}
    for metric in told["metricsScores"]:
        values = [row.values[metric["metric"]] for row in results.rows]
        assert [value for value in values if value is not None] == metric["scores"]
        assert values.count(None) == metric["errors"]
    (failed,) = (row for row in results.rows if row.error)
    assert failed.error == "Similarity: ConnectionError: no answer after 3 attempts"
    assert failed.values["Similarity"] is None
    assert results.notes == ("1 of 18 test cases have an error: no value",)


def test_a_score_beside_an_error_is_no_value(value: Any, tmp_path: Path) -> None:
    value["testCases"][0]["metricsData"][0] |= {"score": 0.0, "error": "429\nTraceback"}
    row = read(written(tmp_path / "a.json", value)).rows[0]
    assert (row.values["Similarity"], row.error) == (None, "Similarity: 429")


def test_a_case_without_metrics_has_no_value_for_any(value: Any, tmp_path: Path) -> None:
    value["testCases"][0]["metricsData"] = None
    row = read(written(tmp_path / "a.json", value)).rows[0]
    assert (row.values, row.error) == ({"Similarity": None, "Exact Match": None}, "no metric was measured")


def test_less_is_better_where_scores_above_the_threshold_fail(value: Any, tmp_path: Path) -> None:
    for case, score in zip(value["testCases"], (0.0, 0.2, 0.9), strict=False):
        case["metricsData"].append({"name": "Bias", "score": score, "threshold": 0.5, "success": score <= 0.5})
    scales = read(written(tmp_path / "a.json", value)).scales
    assert [scale.less_is_better for scale in scales.values()] == [False, False, True]


def test_names_by_place_are_no_ids(value: Any, tmp_path: Path) -> None:
    for number, case in enumerate(value["testCases"]):
        del case["metadata"]
        case["name"] = f"test_case_{number}"
    row = read(written(tmp_path / "a.json", value)).rows[0]
    assert row.item == row.question == "In which city does the Danube Festival take place?"


BROKEN: dict[str, tuple[Any, str]] = {
    "score": ({"metricsData": [{"name": "a", "score": "1"}]}, "test case 1: 'a' must be a number"),
    "name": ({"metricsData": [{"score": 1}]}, "test case 1: 'name' must be a text"),
    "twice": ({"metricsData": [{"name": "a", "score": 1}] * 2}, "test case 1: two metrics are called 'a'"),
    "list": ({"metricsData": {}}, "test case 1: 'metricsData' must be a list"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_case_is_one_error(case: str, value: Any, tmp_path: Path) -> None:
    changes, message = BROKEN[case]
    value["testCases"][0].update(changes)
    with pytest.raises(InputError, match=message):
        read(written(tmp_path / "a.json", value))


@pytest.mark.parametrize("cases", [[], [7], [{"name": "a", "metricsData": None}]])
def test_no_case_no_object_and_no_metric_are_errors(cases: list[Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"test case|metric"):
        read(written(tmp_path / "a.json", {"testCases": cases}))
