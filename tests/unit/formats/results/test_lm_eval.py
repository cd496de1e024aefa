from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.results.rows import Scale
from unit.formats.results.made import TOOLS, mean, parsed, read, written

FOLDER = TOOLS / "lm_eval"
FILES = sorted(FOLDER.glob("*/samples_*.jsonl"))


def sample(number: int, **more: Any) -> dict[str, Any]:
    return {
        "doc_id": number, "doc": {"question": f"Вопрос {number}?"}, "resps": [["да"]], "filtered_resps": ["да"],
        "filter": "none", "metrics": ["acc"], "acc": 1.0, **more,
    }  # fmt: skip


_COUNTS: dict[str, Any] = {"n-samples": {"qa": {"original": 9, "effective": 3}}}


def beside(folder: Path, samples: list[dict[str, Any]], task: str = "qa", **results: Any) -> Path:
    written(folder / "results_2026-01-02T03-04-05.6.json", {"model_name": "m/small", **results})
    return written(folder / f"samples_{task}_2026-01-02T03-04-05.6.jsonl", samples)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_the_harness_reports_the_same_means(path: Path) -> None:
    results = read(path)
    told = parsed(next(path.parent.glob("results_*.json")))
    (reported,) = told["results"].values()
    assert results.tool == "lm-eval 0.4.13"
    assert {row.system for row in results.rows} == {path.parent.name}
    assert results.scales
    for metric in results.scales:
        key = metric if "," in metric else f"{metric},none"
        value, count = mean(results, metric)
        assert value == pytest.approx(reported[key], abs=1e-12)
        assert count == 12


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_every_sample_is_there(path: Path) -> None:
    results = read(path)
    samples = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    several = len({one["filter"] for one in samples}) > 1
    for one in samples:
        (row,) = (r for r in results.rows if (r.item, r.lang) == (one["doc"]["query_id"], one["doc"]["lang"]))
        for metric in one["metrics"]:
            if metric != "chrf":
                assert row.values[f"{metric},{one['filter']}" if several else metric] == one[metric]
        assert row.question == one["doc"]["question"]
    assert len(results.rows) == 12
    assert {row.lang for row in results.rows} == {"de", "en", "es", "fr", "ru", "zh"}


def test_a_metric_of_the_corpus_is_left_out_and_named() -> None:
    results = read(next((FOLDER / "long").glob("samples_*")))
    assert list(results.scales) == ["exact_match,whole", "exact_match,digits"]
    assert sum("left out, it has no value for each item" in note for note in results.notes) == 2


def test_direction_number_and_version_come_from_the_results_beside(tmp_path: Path) -> None:
    path = beside(
        tmp_path,
        [sample(0, acc=3.5), sample(1, acc=2)],
        higher_is_better={"qa": {"acc": False}},
        versions={"qa": 2},
        **_COUNTS,
    )
    results = read(path)
    assert results.scales == {"acc": Scale(None, None, True)}
    assert (results.rows[0].system, results.data, results.n_expected) == ("m/small", "qa 2", 3)
    assert "3 of the task's 9 documents were evaluated" in results.notes


def test_without_results_the_folder_names_the_system(tmp_path: Path) -> None:
    (tmp_path / "Модель").mkdir()
    rows = [sample(0, metrics=["word_perplexity"], word_perplexity=12.5)]
    results = read(written(tmp_path / "Модель" / "samples_x_2026-01-02T03-04-05.6.jsonl", rows))
    assert (results.rows[0].system, results.rows[0].item) == ("Модель", "0")
    assert results.scales["word_perplexity"].less_is_better
    assert "no results_DATE.json beside it" in results.notes[0]


def test_a_language_ends_the_name_of_the_task(tmp_path: Path) -> None:
    results = read(beside(tmp_path, [sample(0), sample(1)], "xquad_zh", versions={"xquad_zh": 1}))
    assert ({row.lang for row in results.rows}, results.data) == ({"zh"}, "xquad 1")
    assert "language zh: from the task's name, xquad_zh" in results.notes


def test_nan_and_null_are_no_values(tmp_path: Path) -> None:
    path = beside(tmp_path, [sample(0), sample(1, acc=None), sample(2, acc=float("nan"))])
    assert [(row.values["acc"], row.error) for row in read(path).rows] == [
        (1, ""),
        (None, "no value"),
        (None, "no value"),
    ]


def test_lists_are_their_mean_where_the_harness_reports_it(tmp_path: Path) -> None:
    rows = [sample(0, acc=[1, 0]), sample(1, acc=[1, 1])]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    results = read(beside(tmp_path / "a", rows, results={"qa": {"acc,none": 0.75}}))
    assert [row.values["acc"] for row in results.rows] == [0.5, 1.0]
    with pytest.raises(InputError, match="no metric has a value for each item"):
        read(beside(tmp_path / "b", rows, results={"qa": {"acc,none": 0.9}}))


def test_a_document_twice_is_two_draws(tmp_path: Path) -> None:
    rows = read(beside(tmp_path, [sample(0), sample(0, acc=0.0)])).rows
    assert [(row.item, row.draw, row.values["acc"]) for row in rows] == [("0", 1, 1.0), ("0", 2, 0.0)]


BROKEN = {
    "another row": ([sample(0), {"a": 1}], ":2: not a sample of lm-eval"),
    "metrics": ([sample(0, metrics="acc")], ":1: 'metrics' must be a list of names"),
    "huge": ([sample(0, acc=10**400)], ":1: 'acc' is too large a number"),
    "doc_id": ([sample(0, doc_id=None)], ":1: not a sample of lm-eval"),
    "texts": ([sample(0, acc="yes")], "no metric has a value for each item"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_one_error(case: str, tmp_path: Path) -> None:
    rows, message = BROKEN[case]
    with pytest.raises(InputError, match=message):
        read(beside(tmp_path, rows))
