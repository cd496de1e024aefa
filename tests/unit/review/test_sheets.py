"""What is up for review, and what of it is seen."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.review.page import sheet_to_json
from ragaliq.review.sampling import Place
from ragaliq.review.sheets import Choice, make_sheets, sheets_at
from ragaliq.review.sources.runs import Runs
from ragaliq.review.values import ReviewTask
from ragaliq.runs.rows import run_answer_to_row
from ragaliq.storage.files import write_jsonl
from ragaliq.types import AnswerOutcome
from unit.review.small import ALPHA, BETA, FEEDBACK, MODEL, QUESTIONS, SAME, answered, session, write_run, write_runs


def test_a_run_or_a_folder_of_runs(tmp_path: Path) -> None:
    write_runs(tmp_path)
    assert Runs(tmp_path).names == (ALPHA, BETA)
    assert Runs(tmp_path / BETA).names == (BETA,)
    with pytest.raises(InputError, match=r"neither a run .* nor a folder of runs"):
        Runs(tmp_path / "nothing")


def test_the_same_words_are_one_sheet_that_counts_for_both(tmp_path: Path) -> None:
    sheets = make_sheets(Runs(write_runs(tmp_path)), ReviewTask.GRADE, Choice())
    shared = [sheet for sheet in sheets if sheet.answer == SAME]
    # 6 languages: one answer alike, two of each system's own.
    assert len(sheets) == 6 * (1 + 2 * 2)
    assert len(shared) == 6
    assert all({place.run for place in sheet.places} == {ALPHA, BETA} for sheet in shared)
    assert sum(len(sheet.places) for sheet in sheets) == 6 * 3 * 2


def test_the_same_answer_from_another_context_is_the_same_sheet(tmp_path: Path) -> None:
    one = answered("fr", "q1", SAME)
    write_run(tmp_path / ALPHA, [one])
    write_run(tmp_path / BETA, [replace(one, answer=replace(one.answer, context=()))])
    (sheet,) = make_sheets(Runs(tmp_path), ReviewTask.GRADE, Choice())
    assert [place.run for place in sheet.places] == [ALPHA, BETA]


def test_what_was_not_drawn_is_not_judged_along(tmp_path: Path) -> None:
    """Else answers that systems share were judged more often: a run's labels would be no random sample."""
    runs = Runs(write_runs(tmp_path))
    for seed in range(10):
        sheets = make_sheets(runs, ReviewTask.GRADE, Choice(sample=5, seed=seed))
        assert sum(len(sheet.places) for sheet in sheets) == 5


def test_failed_and_unanswerable_answers_are_left_out(tmp_path: Path) -> None:
    write_run(
        tmp_path,
        [
            answered("en", "q1", "At 09:15."),
            answered("en", "q2", "", AnswerOutcome.ERROR),
            answered("ru", "q3", "", AnswerOutcome.EMPTY),
            answered("zh", "q4", "不知道。", AnswerOutcome.ABSTAINED),
            answered("de", "q5", "Um 9.", answerable=False),
        ],
    )
    sheets = make_sheets(Runs(tmp_path), ReviewTask.GRADE, Choice())
    assert {sheet.query_id for sheet in sheets} == {"q1", "q4"}


def test_languages_are_chosen(tmp_path: Path) -> None:
    runs = Runs(write_runs(tmp_path))
    sheets = make_sheets(runs, ReviewTask.GRADE, Choice(langs=("zh", "ru")))
    assert {sheet.lang for sheet in sheets} == {"zh", "ru"}
    with pytest.raises(InputError, match=r"--lang xx: no answers .* known: de, en, es, fr, ru, zh"):
        make_sheets(runs, ReviewTask.GRADE, Choice(langs=("zh", "xx")))


def test_nothing_to_judge_is_said(tmp_path: Path) -> None:
    write_run(tmp_path, [answered("en", "q1", "", AnswerOutcome.ERROR)])
    with pytest.raises(InputError, match="nothing to judge"):
        make_sheets(Runs(tmp_path), ReviewTask.GRADE, Choice())


def test_the_id_is_a_hash_of_what_is_shown(tmp_path: Path) -> None:
    write_runs(tmp_path)
    place = Place(ALPHA, "ru", "q2")
    (before,) = sheets_at(Runs(tmp_path), ReviewTask.GRADE, [place])
    assert Runs(tmp_path).sheet(ReviewTask.GRADE, place) == before
    rows = [run_answer_to_row(answered("ru", "q2", "В десять."))]
    write_jsonl(tmp_path / ALPHA / "answers.jsonl", rows)
    (after,) = sheets_at(Runs(tmp_path), ReviewTask.GRADE, [place])
    assert after.sheet_id != before.sheet_id
    assert sheets_at(Runs(tmp_path), ReviewTask.GRADE, [Place(ALPHA, "ru", "gone"), Place("gone", "ru", "q2")]) == ()


def test_the_reviewer_is_told_nothing_of_the_system(tmp_path: Path) -> None:
    with session(write_runs(tmp_path)) as own:
        seen = "".join(json.dumps(sheet_to_json(own, sheet), ensure_ascii=False) for sheet in own.sheets)
    for secret in (ALPHA, BETA, MODEL, FEEDBACK, "hidden-doc", "query_id", "places"):
        assert secret not in seen
    assert all(question in seen for question, _ in QUESTIONS.values())


class TestRetrieved:
    """ReviewTask `lgtm`, on a run of the small benchmark."""

    def test_the_first_ten_chunks_come_whole_from_the_benchmark(self, small: Path, small_run: Path) -> None:
        sheets = make_sheets(Runs(small_run, small), ReviewTask.LGTM, Choice(langs=("zh",)))
        assert len(sheets) == 7
        one = next(sheet for sheet in sheets if sheet.query_id == "q1")
        ranked = [line.split() for line in (small_run / "retrieval.zh.trec").read_text().splitlines()]
        expected = [cells[2] for cells in ranked if cells[0] == "q1"][:10]
        rows = [json.loads(line) for line in (small / "corpus" / "zh.jsonl").read_text().splitlines()]
        texts = {row["doc_id"]: row["text"] for row in rows}
        assert len(expected) == 10
        assert one.passages == tuple(texts[doc_id] for doc_id in expected)
        assert (one.reference, one.answer) == ("", "")

    def test_another_version_of_the_benchmark_is_refused(self, tmp_path: Path, small: Path) -> None:
        write_run(tmp_path, [answered("zh", "q001", "九点。")], {"hash": "old"})
        (tmp_path / "retrieval.zh.trec").write_text("q001 Q0 arrival-01 1 1.0 t\n")
        with pytest.raises(InputError, match=r"made with another version of .*small; name that one with --data"):
            make_sheets(Runs(tmp_path, small), ReviewTask.LGTM, Choice())

    def test_without_the_benchmark_it_says_what_to_name(self, tmp_path: Path) -> None:
        write_run(tmp_path, [answered("zh", "q001", "九点。")])
        with pytest.raises(InputError, match=r"retrieval\.zh\.trec: is missing, .* leave that run or language out"):
            make_sheets(Runs(tmp_path), ReviewTask.LGTM, Choice())
        (tmp_path / "retrieval.zh.trec").write_text("q001 Q0 arrival-01 1 1.0 t\n")
        with pytest.raises(InputError, match="benchmark nowhere, which is not there; name it with --data DIR"):
            make_sheets(Runs(tmp_path), ReviewTask.LGTM, Choice())
