from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from unit.formats.results.made import TOOLS, mean, parsed, read, written

FOLDER = TOOLS / "ragas"
FILES = [FOLDER / f"{system}{suffix}" for system in ("long", "short") for suffix in (".csv", ".json")]
METRICS = ["non_llm_string_similarity", "rouge_score(mode=fmeasure)", "exact_match"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_ragas_reports_the_same_means(path: Path) -> None:
    results = read(path)
    reported = parsed(FOLDER / "means.json")[path.stem]
    assert list(results.scales) == METRICS
    for metric in METRICS:
        failed = metric == "non_llm_string_similarity"
        value, count = mean(results, metric)
        assert value == pytest.approx(reported[metric], rel=1e-9)
        assert count == (17 if failed else 18)


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".csv"], ids=lambda path: path.name)
def test_every_value_is_there_and_a_failure_has_none(path: Path) -> None:
    results = read(path)
    with path.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    for row, cells in zip(results.rows, table, strict=True):
        assert (row.item, row.system, row.draw) == (cells["user_input"], "", 1)
        for metric in METRICS:
            value = row.values[metric]
            assert value is None if cells[metric] == "" else value == float(cells[metric])
    failed = [row for row in results.rows if row.error]
    assert [row.error for row in failed] == ["no non_llm_string_similarity"]
    assert failed[0].question == "Wie viele Schleusen hat der Kanal?"
    assert "1 of 18 samples lack a metric" in results.notes[1]


def test_ids_and_languages_are_taken_where_they_are_there(tmp_path: Path) -> None:
    head = "query_id,lang,user_input,response,faithfulness,note"
    text = f"{head}\nq1,zh,谁？,我。,0.5,gut\nq1,de,Wer?,Ich.,NaN,\nq1,de,Wer?,Du.,1,\n"
    results = read(written(tmp_path / "a.csv", text))
    assert [(row.item, row.lang, row.draw, row.values) for row in results.rows] == [
        ("q1", "zh", 1, {"faithfulness": 0.5}), ("q1", "de", 1, {"faithfulness": None}),
        ("q1", "de", 2, {"faithfulness": 1.0}),
    ]  # fmt: skip


def test_json_with_nan_is_read(tmp_path: Path) -> None:
    rows = [
        {"user_input": "Кто?", "response": "Я.", "rouge": 0.25},
        {"user_input": "Где?", "response": "", "rouge": math.nan},
    ]
    results = read(written(tmp_path / "a.jsonl", rows))
    assert [row.values["rouge"] for row in results.rows] == [0.25, None]


BROKEN = {
    "text": ("user_input,response,f\na,b,1\nc,d,good\n", ":3: 'f' must be a number"),
    "no question": ("user_input,response,f\na,b,1\n,d,1\n", ":3: 'user_input' must be a text"),
    "twice": ("user_input,response,f,f\na,b,1,1\n", ":1: two columns are called 'f'"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_table_is_one_error(case: str, tmp_path: Path) -> None:
    text, message = BROKEN[case]
    with pytest.raises(InputError, match=message):
        read(written(tmp_path / "a.csv", text))
