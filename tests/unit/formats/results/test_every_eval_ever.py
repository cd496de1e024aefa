"""Files of Every Eval Ever: what its own converter wrote, and made ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.results.every_eval_ever import read_instances
from ragaliq.formats.results.reading import read_results
from ragaliq.formats.results.rows import ResultColumns, ResultFile, Scale
from ragaliq.storage.files import Row, read_jsonl, write_json, write_jsonl

# Written by `studies/other_tools/every_eval_ever/convert.py`.
CONVERTED = Path(__file__).resolve().parents[4] / "studies" / "other_tools" / "every_eval_ever" / "inspect.json"
SAMPLES = CONVERTED.with_name("inspect_samples.jsonl")


def read(path: Path) -> ResultFile:
    file = read_results(path, ResultColumns())
    assert file is not None
    return file


def test_what_its_converter_wrote_is_read_without_loss() -> None:
    file = read(CONVERTED)
    assert file.tool == "Every Eval Ever 0.3.0 (inspect_ai inspect_ai:0.3.285)"
    # Two results of one name; so they go by their ids.
    assert file.scales == {"match:accuracy": Scale(0, 1), "length_ratio:mean": Scale()}
    assert (file.data, file.n_expected, len(file.rows)) == ("facts", 15, 30)
    values = {(row.item, str(row.draw), name): value for row in file.rows for name, value in row.values.items()}
    instances = [row for _, row in read_jsonl(SAMPLES)]
    for one in instances:
        key = (one["sample_id"], one["metadata"]["epoch"], one["evaluation_result_id"])
        if one["evaluation_result_id"] is not None:
            assert values.pop(key) == (None if one["error"] else one["evaluation"]["score"])
    # The sample that inspect left without a score, and the one that failed, have no row for this result.
    assert values == {(*key, "length_ratio:mean"): None for key in (("es-8", "1"), ("es-8", "2"), ("de-4", "1"))} | {
        key: None for key in values if key[0] == "de-4" and key[1] == "1"
    }
    failed = next(row for row in file.rows if (row.item, row.draw) == ("de-4", 1))
    assert failed.error == "RuntimeError('the search index is gone')"
    assert next(row for row in file.rows if row.item == "es-8").error == "not scored"


def test_samples_alone_are_read_and_say_so(tmp_path: Path) -> None:
    path = tmp_path / "x_samples.jsonl"
    path.write_bytes(SAMPLES.read_bytes())
    file = read(path)
    assert [note.removeprefix(str(path)) for note in file.notes] == [
        ": its aggregate x.json is not beside it, so neither range nor names of the metrics are known"
    ]
    assert "match:accuracy" in file.scales
    assert read(SAMPLES) == read(CONVERTED)


def instance(sample: str, score: Any, **more: Any) -> Row:
    names = {"evaluation_id": "e", "model_id": "org/m", "evaluation_name": "qa", "evaluation_result_id": "r"}
    row = {**names, "sample_id": sample, "input": {"raw": "Wie?", "reference": []}, "evaluation": {"score": score}}
    return {**row, **more}


def aggregate(*results: Row, **more: Any) -> Row:
    return {"schema_version": "0.3.0", "evaluation_id": "e", "evaluation_results": list(results), **more}


def result(**config: Any) -> Row:
    return {"evaluation_result_id": "r", "evaluation_name": "qa", "metric_config": {"metric_name": "f", **config}}


def written(folder: Path, value: Row, rows: list[Row]) -> ResultFile:
    write_json(folder / "a.json", value)
    write_jsonl(folder / "a_samples.jsonl", rows)
    return read(folder / "a.json")


SCALES = [
    ({"score_type": "continuous", "min_score": 1, "max_score": 7, "lower_is_better": True}, Scale(1, 7, True)),
    ({"score_type": "continuous", "min_score": "-Infinity", "max_score": "Infinity"}, Scale()),
    ({"score_type": "binary"}, Scale(0, 1)),
    ({"score_type": "levels", "level_names": ["a", "b", "c"], "has_unknown_level": True}, Scale(0, 2)),
    ({}, Scale()),
]


@pytest.mark.parametrize(("config", "scale"), SCALES)
def test_the_range_is_that_of_the_schema(config: Row, scale: Scale, tmp_path: Path) -> None:
    file = written(tmp_path, aggregate(result(**config)), [instance("q", 1), instance("p", -1)])
    assert file.scales == {"f": scale}
    # -1 is the unknown level only where the metric has one.
    assert [row.values["f"] for row in file.rows] == [1.0, None if "has_unknown_level" in config else -1.0]


def test_errors_have_no_value_whatever_the_score_beside_them_says(tmp_path: Path) -> None:
    rows = [instance("q", 0.0, error="timeout\nafter 3 tries"), instance("p", 0.0), instance("r", None)]
    file = written(tmp_path, aggregate(result()), rows)
    assert [(row.item, row.values["f"], row.error) for row in file.rows] == [
        ("q", None, "timeout"), ("p", 0.0, ""), ("r", None, "not scored"),
    ]  # fmt: skip


def test_several_results_of_a_sample_are_one_answer_and_repeats_are_draws(tmp_path: Path) -> None:
    other = {**result(metric_name="g"), "evaluation_result_id": "r2"}
    rows = [instance("q", 1), instance("q", 0.5, evaluation_result_id="r2"), instance("q", 0), instance("p", 1)]
    file = written(tmp_path, aggregate(result(), other), rows)
    assert [(row.item, row.draw, row.values) for row in file.rows] == [
        ("q", 1, {"f": 1.0, "g": 0.5}), ("q", 2, {"f": 0.0, "g": None}), ("p", 1, {"f": 1.0, "g": None}),
    ]  # fmt: skip


def test_language_keeps_an_item_one_and_evaluation_tells_items_apart(tmp_path: Path) -> None:
    langs = [instance("q", 1, evaluation_name=f"qa_{lang}", metadata={"lang": lang}) for lang in ("ru", "zh")]
    file = written(tmp_path, aggregate(result()), langs)
    assert [(row.item, row.lang) for row in file.rows] == [("q", "ru"), ("q", "zh")]
    subjects = [instance("1", 1, evaluation_name=name) for name in ("physics", "law")]
    file = written(tmp_path, aggregate(result()), subjects)
    assert [row.item for row in file.rows] == ["physics/1", "law/1"]


def test_judge_data_time_and_number_of_samples(tmp_path: Path) -> None:
    judges = {"llm_scoring": {"judges": [{"model_info": {"id": "org/j"}}, {"model_info": {"name": "k"}}]}}
    source = {"source_data": {"dataset_name": "xquad", "samples_number": 9}}
    value = aggregate({**result(**judges), **source}, eval_library={"name": "lib", "version": "2"})
    row = instance("q", 1, performance={"latency_ms": 1500, "generation_time_ms": 500}, metadata={"topic": "a"})
    file = written(tmp_path, value, [row])
    assert (file.judge, file.data, file.n_expected) == ("org/j + k", "xquad", 9)
    assert file.tool == "Every Eval Ever 0.3.0 (lib 2)"
    (row,) = file.rows  # type: ignore[assignment]
    assert (row.seconds, row.fields, row.question, row.system) == (1.5, {"topic": "a"}, "Wie?", "org/m")  # type: ignore[attr-defined]


def test_broken_files_are_refused_in_one_line(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", aggregate(detailed_evaluation_results={"file_path": "data/b/c/d/e_samples.jsonl"}))
    with pytest.raises(InputError, match=r"a\.json: has aggregates alone; put its e_samples\.jsonl beside it"):
        read(tmp_path / "a.json")
    with pytest.raises(InputError, match=r"a_samples\.jsonl: holds no sample"):
        written(tmp_path, aggregate(), [])
    with pytest.raises(InputError, match="'evaluation_results' is not a list"):
        written(tmp_path, {**aggregate(), "evaluation_results": 1}, [instance("q", 1)])
    with pytest.raises(InputError, match=r"a_samples\.jsonl:2: 'model_id' is missing"):
        written(tmp_path, aggregate(), [instance("q", 1), instance("p", 1, model_id=None)])
    with pytest.raises(InputError, match=r"a_samples\.jsonl:1: 'evaluation' is missing"):
        written(tmp_path, aggregate(), [instance("q", 1, evaluation=[])])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["epoch", "raw", "lang"]), inner),
    max_leaves=8,
)
ROW_KEYS = ["metadata", "performance", "error", "input", "evaluation_result_id", "evaluation", "sample_id"]


@given(st.lists(st.dictionaries(st.sampled_from(ROW_KEYS), JSON), min_size=1, max_size=4))
def test_any_row_is_read_or_refused(changes: list[Row]) -> None:
    rows = [(f"f:{number}", instance(str(number), 1, **change)) for number, change in enumerate(changes)]
    try:
        file = read_instances(rows, Path("f.jsonl"))
    except InputError:
        return
    assert {row.item for row in file.rows} == {row["sample_id"] for _, row in rows}
    assert json.dumps([dict(row.values) for row in file.rows], allow_nan=False)
