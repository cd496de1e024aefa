from __future__ import annotations

import json
from pathlib import Path

import pytest

from fakes import chat_server, sound_reply
from ragaliq.benchmark.convert.own_writer import write_benchmark
from ragaliq.cli import main
from ragaliq.judge.controls.exam import exam_json, exam_result, worst_kinds
from ragaliq.report.markdown.controls import render_exam
from ragaliq.types import ExamAnswer, Item, Query, Verdict, VerdictOutcome
from unit.benchmark.small_collection import FULL


def answer(number: int, kind: str, least: int, most: int, lang: str = "de") -> ExamAnswer:
    return ExamAnswer(f"q{number}-{kind}", Item(Query(f"q{number}", lang, "?"), "ja"), kind, "x", least, most)


def verdict(grade: int | None) -> Verdict:
    outcome = VerdictOutcome.API_ERROR if grade is None else VerdictOutcome.SCORED
    return Verdict("q", "de", grade, outcome, "", "j", "h")


ANSWERS = [
    answer(1, "paraphrase", 5, 5),
    answer(2, "paraphrase", 5, 5),
    answer(1, "near_miss", 1, 2),
    answer(2, "near_miss", 1, 2),
    answer(3, "near_miss", 1, 2, "zh"),
    answer(1, "abstention", 0, 0),
    answer(1, "wrong_language", 5, 5),
]
GRADES = [5, 3, 2, 4, None, 0, 1]


def test_the_cells_by_hand() -> None:
    result = exam_result(ANSWERS, [verdict(grade) for grade in GRADES])
    paraphrase, near = result.cells["paraphrase", "de"], result.cells["near_miss", "all"]
    assert (paraphrase.n, paraphrase.within, paraphrase.bias, paraphrase.mae) == (2, 0.5, -1.0, 1.0)
    # 2 is intended, 4 is 2 above the nearest intended grade, the third has none.
    assert (near.n, near.n_graded, near.within, near.bias, near.mae) == (3, 2, 0.5, 1.0, 1.0)
    assert result.cells["near_miss", "zh"].within is None
    whole = result.cells["all", "all"]
    # Five graded answers without the wrong language; three are as intended.
    assert (whole.n, whole.n_graded, whole.within, whole.bias) == (6, 5, 0.6, 0.0)
    assert ("near_miss", "ru") not in result.cells
    assert result.langs() == ["de", "zh", "all"]


def test_agreement_leaves_the_wrong_language_out_and_takes_the_nearest_grade() -> None:
    found = exam_result(ANSWERS, [verdict(grade) for grade in GRADES]).agreement
    assert found["de"]["n"] == found["all"]["n"] == 5
    assert found["zh"] == {"n": 0, "qwk": None, "weight_kappa": None, "refusal_f1": None}
    perfect = exam_result(ANSWERS, [verdict(grade) for grade in (5, 5, 1, 2, 2, 0, 0)]).agreement
    assert perfect["all"]["qwk"] == perfect["all"]["refusal_f1"] == 1.0


def test_the_worst_kinds_come_first_and_perfect_ones_not_at_all() -> None:
    result = exam_result(ANSWERS, [verdict(grade) for grade in (5, 3, 3, 4, 5, 0, 1)])
    assert worst_kinds(result) == ["near_miss", "paraphrase"]


def test_it_is_shown_with_what_has_no_grade() -> None:
    result = exam_result(ANSWERS, [verdict(grade) for grade in GRADES])
    shown = render_exam(result)
    assert "| near_miss      | 0.50 | — (0/1)" not in shown
    assert "0.50 (2/3)" in shown and "Worst kinds: near_miss, paraphrase." in shown
    assert exam_json(result)["cells"][0] == {
        "kind": "paraphrase", "lang": "de", "n": 2, "n_graded": 2, "within": 0.5, "bias": -1.0, "mae": 1.0,
    }  # fmt: skip


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError):
        exam_result(ANSWERS, [verdict(5)])


def examined(tmp_path: Path, *rows: dict[str, object]) -> str:
    """A benchmark with an exam, in German."""
    write_benchmark({FULL.lang: FULL}, tmp_path / "b")
    path = tmp_path / "b" / "exam" / f"{FULL.lang}.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(tmp_path / "b")


def row(query: int, kind: str, text: str, least: int, most: int) -> dict[str, object]:
    query_id = FULL.queries[query].query_id
    return {
        "exam_id": f"{query_id}-{kind}",
        "query_id": query_id,
        "kind": kind,
        "answer": text,
        "grades": [least, most],
    }


def test_judge_controls_asks_the_exam_of_a_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reference = FULL.references["q1"]
    data = examined(
        tmp_path, row(0, "paraphrase", reference, 5, 5), row(0, "abstention", "Dazu finde ich nichts.", 5, 5)
    )
    main(["judge-controls", "--data", data, "--format", "json", "--out", str(tmp_path / "o.json")])
    told = json.loads(capsys.readouterr().out)
    cells = {cell["kind"]: cell for cell in told["exam"]["cells"]}
    # Of the offline judge: a copy of the reference is 5; an abstention never is.
    assert cells["paraphrase"]["within"] == 1.0 and cells["abstention"]["within"] == 0.0
    assert told["exam"]["worst"] == ["abstention"]
    assert json.loads((tmp_path / "o.json").read_text(encoding="utf-8")) == told
    main(["judge-controls", "--data", data])
    assert "Exam: answers with an intended grade" in capsys.readouterr().out


def test_a_bad_exam_is_told_before_the_first_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = examined(tmp_path, row(0, "near_miss", "x", 2, 1))
    with chat_server(lambda request, number: sound_reply(request)) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
        assert main(["judge-controls", "--judge", "openai:j", "--data", data]) == 2
    assert server.requests == []
    assert f"exam/{FULL.lang}.jsonl:1: 'grades' is [least, most]" in capsys.readouterr().err
