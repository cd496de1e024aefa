from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ragaliq.benchmark.convert.own_writer import write_benchmark
from ragaliq.benchmark.exam import load_exam
from ragaliq.benchmark.load import load_benchmark
from ragaliq.errors import InputError
from unit.benchmark.small_collection import CHUNKS, FULL


def bench(tmp_path: Path, rows: Sequence[object]) -> Path:
    write_benchmark({FULL.lang: FULL}, tmp_path / "b")
    path = tmp_path / "b" / "exam" / f"{FULL.lang}.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path / "b"


def row(folder_query: str, kind: str = "near_miss", **other: object) -> dict[str, object]:
    exam_id = f"{folder_query}-{kind}"
    return {"exam_id": exam_id, "query_id": folder_query, "kind": kind, "answer": "так", "grades": [1, 2], **other}


QUERIES = [query.query_id for query in FULL.queries]


def test_an_exam_is_read_with_its_items(tmp_path: Path) -> None:
    folder = bench(tmp_path, [row(QUERIES[0])])
    (answer,) = load_exam(folder, load_benchmark(folder))
    assert (answer.text, answer.least, answer.most, answer.kind) == ("так", 1, 2, "near_miss")
    assert answer.item.query.query_id == QUERIES[0]


def test_a_limit_spreads_over_the_queries(tmp_path: Path) -> None:
    rows = [row(query, kind) for query in QUERIES for kind in ("near_miss", "other")]
    folder = bench(tmp_path, rows)
    benchmark = load_benchmark(folder)
    assert len(load_exam(folder, benchmark)) == 2 * len(QUERIES)
    one = load_exam(folder, benchmark, 1)
    assert [answer.exam_id for answer in one] == [f"{QUERIES[0]}-near_miss", f"{QUERIES[0]}-other"]


def test_a_language_without_its_exam_does_not_vanish(tmp_path: Path) -> None:
    other = replace(
        FULL,
        lang="ru",
        chunks=lambda: (replace(chunk, lang="ru") for chunk in CHUNKS),
        items=tuple(replace(item, query=replace(item.query, lang="ru")) for item in FULL.items),
        nuggets=(),
    )
    write_benchmark({"de": FULL, "ru": other}, tmp_path / "b")
    (tmp_path / "b" / "exam").mkdir()
    (tmp_path / "b" / "exam" / "de.jsonl").write_text(json.dumps(row(QUERIES[0])) + "\n", encoding="utf-8")
    assert len(load_exam(tmp_path / "b", load_benchmark(tmp_path / "b", ["de"]))) == 1
    with pytest.raises(InputError, match=r"exam/ru\.jsonl: missing, and other languages have an exam; .* --lang"):
        load_exam(tmp_path / "b", load_benchmark(tmp_path / "b"))


def test_no_exam_is_none(tmp_path: Path) -> None:
    write_benchmark({FULL.lang: FULL}, tmp_path / "b")
    assert load_exam(tmp_path / "b", load_benchmark(tmp_path / "b")) == ()


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    cases = [
        ([row(QUERIES[0], grades=[2, 1])], "'grades' is [least, most]"),
        ([row(QUERIES[0], grades=[True, 1])], "'grades' is [least, most]"),
        ([row(QUERIES[0], grades=[5, 6])], "'grades' is [least, most]"),
        ([row(QUERIES[0], "all")], "'kind' is 'all'"),
        ([row("no-such")], "'no-such' is no query"),
        ([row(QUERIES[0], lang="xx")], "'lang' is 'xx' in a file for"),
        ([row(QUERIES[0]), row(QUERIES[0])], "stands already in line"),
        ([{**row(QUERIES[0]), "answer": 3}], "'answer' must be of type str"),
    ]
    for number, (rows, said) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        folder = bench(place, rows)
        with pytest.raises(InputError) as error:
            load_exam(folder, load_benchmark(folder))
        assert said in str(error.value) and f"exam/{FULL.lang}.jsonl:{len(rows)}" in str(error.value), rows
