"""A run folder: rows, resumption, and the refusal to mix or to overwrite."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import answered, hits, verdict, write_run_folder
from ragaliq.errors import InputError
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import (
    ANSWERS,
    RunAnswer,
    run_answer_from_row,
    run_answer_to_row,
    verdict_from_row,
    verdict_to_row,
)
from ragaliq.storage.files import write_jsonl
from ragaliq.types import Answer, AnswerOutcome, Item, Query, Refusal, Usage, Verdict, VerdictOutcome

JUDGE = {"kind": "offline", "model": "", "options": {}, "name": "offline", "prompt_hash": "h"}


def manifest(**changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": "",
        "data": {"name": "tiny", "version": "1", "path": "here", "hash": "aa"},
        "system": {"seed": 0, "top_k": 100, "reader": {"kind": "extractive"}},
        "judge": JUDGE,
        "expected": {"en": {"answerable": 2, "unanswerable": 0}},
        "versions": {"python": "3.11"},
    }
    return {**values, **changes}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_failures_are_told_from_grades_and_answers(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert [folder.verdicts().failed(verdict("q1", grade)) for grade in (None, 0, 5)] == [True, False, False]
    assert [folder.answers().failed(answered("q1", text)) for text in ("", "none", "Blue.")] == [True, False, False]


def test_an_answer_survives_its_row() -> None:
    query = Query("q1", "zh", "什么？")
    item = Item(query, "蓝色", False, aliases=("天蓝",))
    context = tuple(hits("one\ntwo", "three", lang="zh", scores=[0.1 + 0.2, 1e-17]))
    answer = Answer(query, "\ud800", AnswerOutcome.TRUNCATED, context, Usage(3, 4), "cut")
    row = run_answer_to_row(RunAnswer(item, answer))
    assert row["context"] == [
        {"doc_id": "d1", "score": 0.1 + 0.2, "rank": 1, "text": "one\ntwo"},
        {"doc_id": "d2", "score": 1e-17, "rank": 2, "text": "three"},
    ]
    assert (row["outcome"], row["usage"]) == ("truncated", {"prompt_tokens": 3, "completion_tokens": 4})
    back = run_answer_from_row(json.loads(json.dumps(row)))
    assert back.item == item
    assert run_answer_to_row(back) == row


def test_a_thought_is_kept_apart_and_only_where_there_is_one() -> None:
    plain = answered("q1", "It is blue.")
    assert "reasoning" not in run_answer_to_row(plain)
    thought = replace(plain, answer=replace(plain.answer, reasoning="Раз, два."))
    row = run_answer_to_row(thought)
    assert row.pop("reasoning") == "Раз, два." and row == run_answer_to_row(plain)
    assert run_answer_from_row({**row, "reasoning": "Раз, два."}).answer.reasoning == "Раз, два."


def test_what_was_cut_before_its_first_word_is_nothing_to_grade() -> None:
    for text, outcome, failed in [
        ("", AnswerOutcome.TRUNCATED, True),
        ("At", AnswerOutcome.TRUNCATED, False),
        ("", AnswerOutcome.EMPTY, True),
        ("", AnswerOutcome.ABSTAINED, False),
    ]:
        plain = answered("q1", text)
        cut = replace(plain, answer=replace(plain.answer, outcome=outcome))
        assert ANSWERS.header(cut).failed is cut.answer.failed is failed, (text, outcome)


def test_a_row_has_the_keys_of_the_interface() -> None:
    row = run_answer_to_row(answered("q1", "It is blue."))
    wanted = {"query_id", "lang", "question", "reference", "answer", "context", "outcome", "usage"}
    assert wanted <= row.keys()
    assert set(verdict_to_row(verdict("q1", 5))) == {
        "query_id", "lang", "grade", "outcome", "feedback", "judge", "prompt_hash", "attempts", "usage", "refuses",
    }  # fmt: skip


@pytest.mark.parametrize("grade", [0, 5, None])
def test_a_verdict_survives_its_row(grade: int | None) -> None:
    outcome = VerdictOutcome.REFUSED if grade is None else VerdictOutcome.SCORED
    record = Verdict("q1", "ru", grade, outcome, "нет", "openai:m", "h", 3, Usage(1, 0))
    assert verdict_from_row(json.loads(json.dumps(verdict_to_row(record)))) == record


def test_what_a_verdict_may_know_beside_its_grade_survives_its_row() -> None:
    plain = verdict("q1", 4)
    known = replace(
        plain, refuses=Refusal.PARTIAL, expected_grade=0.0, confidence=0.75, reasoning="Раз, два.", answer_hash="0a"
    )
    row = verdict_to_row(known)
    assert [row[key] for key in ("refuses", "expected_grade", "confidence", "reasoning", "answer_hash")] == [
        "partial", 0.0, 0.75, "Раз, два.", "0a",
    ]  # fmt: skip
    assert verdict_from_row(json.loads(json.dumps(row))) == known
    assert verdict_to_row(plain)["refuses"] is None


def test_a_row_of_an_earlier_version_says_nothing_of_refusing() -> None:
    row = verdict_to_row(verdict("q1", 4))
    del row["refuses"]
    assert verdict_from_row(row) == verdict("q1", 4)


def test_the_last_line_of_an_item_counts_and_rewriting_sorts(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    rows = [answered("q2", "", "en"), answered("q1", "a", "ru"), answered("q1", "b", "de"), answered("q2", "c", "en")]
    write_jsonl(folder.answers_file, map(run_answer_to_row, rows))
    assert folder.answers()["en", "q2"].answer.text == "c"
    folder.answers().rewrite()
    written = [json.loads(line) for line in folder.answers_file.read_text().splitlines()]
    assert [(row["lang"], row["query_id"], row["answer"]) for row in written] == [
        ("de", "q1", "b"), ("en", "q2", "c"), ("ru", "q1", "a"),
    ]  # fmt: skip
    write_jsonl(folder.verdicts_file, map(verdict_to_row, [verdict("q2", None), verdict("q1", 3), verdict("q2", 4)]))
    folder.verdicts().rewrite()
    assert [record.grade for record in folder.verdicts().values()] == [3, 4]
    assert len(folder.verdicts_file.read_bytes().splitlines()) == 2


@pytest.mark.parametrize(
    "change",
    [{"outcome": "answred"}, {"context": None}, {"context": [{"doc_id": "d"}]}, {"usage": {}}, {"question": ...}],
)
def test_a_row_of_another_shape_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    folder = RunFolder(tmp_path)
    row = {**run_answer_to_row(answered("q2", "b")), **change}
    row = {key: value for key, value in row.items() if value is not ...}
    write_jsonl(folder.answers_file, [run_answer_to_row(answered("q1", "a")), row])
    with pytest.raises(InputError, match=r"answers\.jsonl:2: not a row of this file"):
        folder.answers()


def test_a_verdict_that_is_no_grade_and_no_reason_is_named(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    write_jsonl(folder.verdicts_file, [{**verdict_to_row(verdict("q1", 5)), "outcome": "api_error"}])
    with pytest.raises(InputError, match=r"verdicts\.jsonl:1: not a row of this file"):
        folder.verdicts()


def test_the_last_timing_of_an_item_counts(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    timed = [("en", "q1", 9.0), ("en", "q2", 0.25), ("de", "q1", 2.0), ("en", "q1", 0.5)]
    write_jsonl(folder.timings_file, [{"lang": lang, "query_id": q, "seconds": s} for lang, q, s in timed])
    assert folder.seconds() == {("en", "q1"): 0.5, ("en", "q2"): 0.25, ("de", "q1"): 2.0}


def test_a_run_is_begun_and_gone_on_with(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    with folder.locked():
        folder.open(manifest(judge=None))
    assert folder.config()["judge"] is None
    longer = {"en": {"answerable": 5, "unanswerable": 1}, "zh": {"answerable": 5, "unanswerable": 1}}
    folder.open(manifest(expected=longer, name="renamed", versions={}))
    assert folder.config() == manifest(
        expected=longer, name="renamed", versions={}, earlier_versions=[{"python": "3.11"}]
    )
    # Another language goes beside the earlier ones; a call without a judge keeps the judge.
    folder.open(manifest(judge=None, expected={"de": {"answerable": 1, "unanswerable": 0}}))
    assert folder.config()["judge"] == JUDGE
    assert sorted(folder.config()["expected"]) == ["de", "en", "zh"]
    # Fewer queries take nothing away.
    folder.open(manifest(expected_nuggets={"en": 3, "zh": 1}))
    folder.open(manifest(expected_nuggets={"en": 1, "de": 2}))
    assert folder.config()["expected_nuggets"] == {"en": 3, "zh": 1, "de": 2}


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"system": {"seed": 0, "top_k": 5, "reader": {"kind": "extractive"}}}, "system.top_k: 100 then, 5 now"),
        (
            {"system": {"seed": 0, "top_k": 100, "reader": {"kind": "x"}}},
            "system.reader.kind: 'extractive' then, 'x' now",
        ),
        ({"data": {"name": "tiny", "version": "1", "path": "here", "hash": "bb"}}, "data: 'aa' then, 'bb' now"),
        ({"judge": {**JUDGE, "prompt_hash": "i"}}, "judge.prompt_hash: 'h' then, 'i' now"),
    ],
)
def test_another_configuration_is_refused_and_named(tmp_path: Path, changes: dict[str, Any], difference: str) -> None:
    folder = RunFolder(tmp_path)
    folder.open(manifest())
    write_jsonl(folder.answers_file, [run_answer_to_row(answered("q1", "Blue."))])
    before = contents(tmp_path)
    with pytest.raises(InputError) as caught:
        folder.open(manifest(**changes))
    assert f"another configuration ({difference}); give another folder with --out" in str(caught.value)
    assert contents(tmp_path) == before


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("text")
    before = contents(tmp_path)
    for fresh in (False, True):
        with pytest.raises(InputError, match="is neither empty nor a run; give another folder with --out"):
            RunFolder(tmp_path).open(manifest(), fresh)
    assert contents(tmp_path) == before


def test_fresh_removes_the_run_and_nothing_else(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path, [5, 4])
    for name in ("retrieval.en.trec", "report.html", "verdicts.regrading.jsonl", "notes.txt", "sources.trec"):
        (tmp_path / name).write_text("x")
    folder.open(manifest(), fresh=True)
    assert sorted(contents(tmp_path)) == ["config.json", "notes.txt", "sources.trec"]
    assert folder.config() == manifest()


def test_two_processes_do_not_write_the_same_run(tmp_path: Path) -> None:
    first, second = RunFolder(tmp_path / "run"), RunFolder(tmp_path / "run")
    with first.locked():
        with pytest.raises(InputError, match="another process is at work on this run"), second.locked():
            pass
        assert list(first.path.iterdir()) == []
    with second.locked():
        pass


@pytest.mark.parametrize(
    ("path", "message"), [("file", "is a file; give a folder"), ("file/run", r"file/run: cannot be written \(.+\); ")]
)
def test_a_file_is_no_run_folder(tmp_path: Path, path: str, message: str) -> None:
    (tmp_path / "file").write_text("text")
    with pytest.raises(InputError, match=message), RunFolder(tmp_path / path).locked():
        pass
    assert (tmp_path / "file").read_text() == "text"


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no run here \(config.json is missing\)"):
        RunFolder(tmp_path).config()
    foreign = '{"model_type": "bert"}'
    for text in ("[]", '{"expected": {}}', '{"expected": {}, "data": {}, "system": {}, "judge": null}', foreign):
        (tmp_path / "config.json").write_text(text)
        with pytest.raises(InputError, match=r"config\.json: not the configuration of a run"):
            RunFolder(tmp_path).config()
    with pytest.raises(
        InputError, match=r"not the configuration of a run .*'system' is missing.*; give another folder"
    ):
        RunFolder(tmp_path).open(manifest(), fresh=True)
    assert (tmp_path / "config.json").read_text() == foreign


def test_a_broken_timing_is_named(tmp_path: Path) -> None:
    (tmp_path / "timings.jsonl").write_text('{"lang": "en", "query_id": "q1", "seconds": 0.5}\n{}\n')
    with pytest.raises(InputError, match=r"timings\.jsonl:2"):
        RunFolder(tmp_path).seconds()


def test_a_judge_is_named_and_its_certificate_is_no_part_of_it(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.open(manifest(judge={**JUDGE, "certificate": {"n": 1}}))
    folder.open(manifest())
    write_jsonl(folder.answers_file, [run_answer_to_row(answered("q1", "Blue."))])
    other = {**JUDGE, "kind": "openai", "model": "m", "name": "openai:m", "certificate": {"n": 2}}
    with pytest.raises(InputError) as caught:
        folder.open(manifest(judge=other))
    assert f"(judge: {JUDGE['name']} then, openai:m now)" in str(caught.value)


def test_a_run_without_answers_gives_way_to_another_configuration(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.open(manifest())
    # As an index that did not fit its embedder leaves it.
    folder.answers_file.write_text("")
    (tmp_path / "retrieval.en.trec").write_text("q1 Q0 d1 1 1 x\n")
    other = manifest(system={"seed": 0, "top_k": 5, "reader": {"kind": "extractive"}})
    folder.open(other)
    assert folder.config() == other
    assert sorted(contents(tmp_path)) == ["config.json"]


@pytest.mark.parametrize("text", ["", " \n", "\0\0\0"])
def test_fresh_cures_a_blank_configuration(tmp_path: Path, text: str) -> None:
    folder = RunFolder(tmp_path)
    folder.config_file.write_text(text)
    with pytest.raises(InputError, match=r"config\.json: not valid JSON .*begin anew with --fresh"):
        folder.open(manifest())
    folder.open(manifest(), fresh=True)
    assert folder.config() == manifest()


def test_fresh_cures_a_broken_configuration_beside_answers_only(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path, [5])
    folder.config_file.write_text('{"system": [')
    folder.open(manifest(), fresh=True)
    assert sorted(contents(tmp_path)) == ["config.json"]
    folder.config_file.write_text("[1]")
    with pytest.raises(InputError, match="must be an object"):
        folder.open(manifest(), fresh=True)
    assert folder.config_file.read_text() == "[1]"


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"system": {"seed": 0, "reader": {}}}, "'system.reader.kind' is missing"),
        ({"system": {"seed": "0"}}, "'system.seed' must be a whole number"),
        ({"system": {"seed": True}}, "'system.seed' must be a whole number"),
        ({"system": {"seed": -1}}, "'system.seed' must be a whole number"),
        ({"expected": {"en": {"answerable": "2"}}}, r"'expected\.en\.answerable' must be a whole number"),
        ({"expected": {"en": {"answerable": 10**400}}}, r"'expected\.en\.answerable' must be"),
        ({"models": {"reader": 1}}, r"'models\.reader' must be a text"),
        ({"models": []}, "'models' must be an object"),
        ({"data": {"hash": "aa", "name": "\ud800", "version": "1"}}, r"'data\.name' must be a text"),
        ({"judge": {**JUDGE, "certificate": {"qwk": "x"}}}, r"'judge\.certificate\.qwk' must be a number"),
        ({"name": "\ud800"}, "half a surrogate pair"),
    ],
)
def test_a_value_of_another_kind_is_named(tmp_path: Path, change: dict[str, Any], place: str) -> None:
    folder = RunFolder(tmp_path)
    folder.config_file.write_text(json.dumps(manifest(**change)))
    with pytest.raises(InputError, match=rf"config\.json: not the configuration of a run \(.*{place}"):
        folder.config()


@pytest.mark.parametrize(
    "change", [{"in_language": "x"}, {"token_consistency": "1"}, {"usage": {"prompt_tokens": 1.5}}]
)
def test_an_answer_with_a_value_of_another_kind_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    folder = RunFolder(tmp_path)
    write_jsonl(folder.answers_file, [{**run_answer_to_row(answered("q1", "a")), **change}])
    with pytest.raises(InputError, match=rf"answers\.jsonl:1: not a row of this file \('{next(iter(change))}"):
        folder.answers()


@pytest.mark.parametrize("seconds", ["1" + "0" * 400, "1e999", '"1"', "-1e999", "true"])
def test_a_time_out_of_range_is_named(tmp_path: Path, seconds: str) -> None:
    (tmp_path / "timings.jsonl").write_text(f'{{"lang": "en", "query_id": "q1", "seconds": {seconds}}}\n')
    with pytest.raises(InputError, match=r"timings\.jsonl:1: not a row of this file \('seconds' must be a number\)"):
        RunFolder(tmp_path).seconds()


def test_a_vote_off_the_scale_is_named(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    draws = [{"judge": "m", "grade": 9, "outcome": "scored"}]
    write_jsonl(folder.verdicts_file, [{**verdict_to_row(verdict("q1", 5)), "draws": draws}])
    with pytest.raises(InputError, match=r"verdicts\.jsonl:1: not a row of this file \(vote of m"):
        folder.verdicts()


@pytest.mark.parametrize("config", ["", "[1]"])
@pytest.mark.parametrize("name", ["answers_file", "verdicts_file"])
@pytest.mark.parametrize("text", ['{"id": 1, "mine": true}\n', "notes\n"])
def test_fresh_leaves_the_rows_of_others(tmp_path: Path, config: str, name: str, text: str) -> None:
    folder = write_run_folder(tmp_path, [5])
    getattr(folder, name).write_text(text)
    folder.config_file.write_text(config)
    before = contents(tmp_path)
    with pytest.raises(InputError, match=r"s\.jsonl: would be replaced, but ragaliq did not write it; move it away"):
        folder.open(manifest(), fresh=True)
    assert contents(tmp_path) == before


def test_all_versions_that_worked_on_a_run_are_kept_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = RunFolder(tmp_path)
    calls: list[tuple[dict[str, str], list[dict[str, str]], str]] = [
        ({"ragaliq": "1"}, [], ""),
        ({"ragaliq": "2"}, [{"ragaliq": "1"}], "begun with ragaliq 1; what is there stays"),
        ({"ragaliq": "2"}, [{"ragaliq": "1"}], ""),
        ({"ragaliq": "1"}, [{"ragaliq": "2"}], "begun with ragaliq 2; "),
        ({"ragaliq": "3"}, [{"ragaliq": "2"}, {"ragaliq": "1"}], "begun with ragaliq 1; "),
    ]
    for versions, earlier, line in calls:
        folder.open(manifest(versions=versions))
        config, told = folder.config(), capsys.readouterr().err
        assert (config["versions"], config.get("earlier_versions", [])) == (versions, earlier)
        assert line in told and bool(line) == bool(told)


def test_a_smaller_limit_is_told_and_takes_nothing_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = RunFolder(tmp_path)
    folder.open(manifest(expected={"en": {"answerable": 3, "unanswerable": 1}}))
    folder.open(manifest(expected={"en": {"answerable": 1, "unanswerable": 0}, "de": {"answerable": 1}}))
    assert capsys.readouterr().err == (
        f"note: {tmp_path}: en: an earlier call took 4 queries, this one 1: all 4 count; --fresh, or another folder "
        "with --out, takes fewer\n"
    )
    assert folder.config()["expected"]["en"] == {"answerable": 3, "unanswerable": 1}


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a")
    (tmp_path / "bare").mkdir()
    write_run_folder(tmp_path / "runs" / "one", [5])
    cases = {
        "file": "is a file; give",
        "nosuch": "no such folder; give",
        "bare": "no run here (config.json is missing); give",
        "runs": "no run here (config.json is missing), but there is one in /runs/one; give",
    }
    for name, line in cases.items():
        with pytest.raises(InputError) as caught:
            RunFolder(tmp_path / name).config()
        assert line in str(caught.value).replace(str(tmp_path), "").removeprefix(f"/{name}: "), name
