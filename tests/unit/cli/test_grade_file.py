"""`ragaliq grade-file`: the same rows with grades, gone on with after any stop, refused where it does not fit."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, between_fences, sound_reply
from ragaliq.cli import main
from unit.cli.endpoint import alone, judge_server

ADDED = ["grade", "outcome", "feedback", "judge", "prompt_hash"]
ROWS: list[dict[str, Any]] = [
    {"id": 1, "lang": "en", "question": "When does it open?", "reference": "At 7.", "answer": "At seven."},
    {"lang": "de", "answer": "Um 8 Uhr.", "reference": "Um 8 Uhr.", "question": "Wann schließt sie?", "note": None},
    {"lang": "zh", "question": "几点开门？", "reference": "7点。", "answer": "七点。", "model": {"name": "甲"}},
    {"lang": "ru", "question": "Когда?", "reference": "В семь.", "answer": "  "},
    # The same as the second row.
    {"lang": "de", "answer": "Um 8 Uhr.", "reference": "Um 8 Uhr.", "question": "Wann schließt sie?", "note": None},
]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone(monkeypatch, tmp_path)
    write(ROWS)


def write(rows: list[dict[str, Any]], path: str = "in.jsonl") -> None:
    Path(path).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def read(path: str = "out.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def grade(*options: str) -> int:
    return main(["grade-file", "in.jsonl", "--out", "out.jsonl", "--min-coverage", "0", "--no-controls", *options])


def four(request: dict[str, Any], number: int) -> Scripted:
    return Scripted("Feedback: fine. [RESULT] 4")


def test_rows_keep_everything_and_gain_a_grade(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(four) as server:
        assert grade("--judge", "openai:j", "--concurrency", "1") == 0
        # The fifth row is the second again, and a blank answer is not worth a call.
        assert len(server.requests) == 3
    found = read()
    assert [{key: row[key] for key in row if key not in ADDED} for row in found] == ROWS
    assert [list(row) for row in found] == [[*row, *ADDED] for row in ROWS]
    assert [row["grade"] for row in found] == [4, 4, 4, None, 4]
    assert [row["outcome"] for row in found] == ["scored"] * 3 + ["no_answer", "scored"]
    assert found[0]["feedback"] == "fine." and {row["judge"] for row in found} == {"openai:j"}
    said = capsys.readouterr()
    assert said.out == "out.jsonl: 4 of 5 rows have a grade\n" and "1 no_answer" in said.err


def test_the_coverage_gate(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade-file", "in.jsonl", "--out", "out.jsonl"]) == 1
    assert "less than --min-coverage 0.95" in capsys.readouterr().err
    assert grade("--min-coverage", "0.8") == 0


def test_a_finished_file_is_not_graded_again_and_a_longer_one_goes_on() -> None:
    with judge_server(four) as server:
        options = ("--judge", "openai:j", "--no-cache")
        assert grade(*options) == 0
        before, asked = Path("out.jsonl").read_bytes(), len(server.requests)
        assert asked == 4
        assert grade(*options) == 0
        assert Path("out.jsonl").read_bytes() == before and len(server.requests) == asked
        more = {"lang": "es", "question": "¿Cuándo?", "reference": "A las 7.", "answer": "A las 7."}
        write([more, *ROWS, ROWS[0]])
        assert grade(*options) == 0
        assert len(server.requests) == asked + 2
    assert [row["question"] for row in read()] == [row["question"] for row in [more, *ROWS, ROWS[0]]]


def test_calls_that_failed_are_tried_again_and_nothing_else() -> None:
    broken = True

    def reply(request: dict[str, Any], number: int) -> Scripted:
        question = between_fences(request["messages"][1]["content"], "QUESTION")
        return Scripted("no", status=400) if broken and "schließt" in question else four(request, number)

    with judge_server(reply) as server:
        options = ("--judge", "openai:j", "--no-cache", "--concurrency", "1")
        assert grade(*options) == 0
        assert [row["outcome"] for row in read()] == ["scored", "api_error", "scored", "no_answer", "api_error"]
        broken, asked = False, len(server.requests)
        assert grade(*options) == 0
        assert len(server.requests) == asked + 2
    assert [row["grade"] for row in read()] == [4, 4, 4, None, 4]


def test_a_later_grade_stands_for_a_failed_call() -> None:
    """A kill may leave the row of a failed call before the row of the same command's second try."""
    write(ROWS[:1])
    with judge_server(four) as server:
        options = ("--judge", "openai:j", "--no-cache")
        assert grade(*options) == 0
        (scored,) = read()
        write([{**scored, "grade": None, "outcome": "api_error"}, scored], "out.jsonl")
        asked = len(server.requests)
        assert grade(*options) == 0
        assert len(server.requests) == asked and read() == [scored]


@pytest.mark.parametrize("seed", range(5))
def test_whatever_a_kill_leaves_is_gone_on_with(seed: int) -> None:
    drawn = random.Random(seed)
    texts = ["blue", "blue", "red", "green", "red", "red"]
    rows = [{"lang": "en", "question": "Which?", "reference": "Blue.", "answer": text} for text in texts]
    write(rows)
    lock, asked = threading.Lock(), []

    def reply(request: dict[str, Any], number: int) -> Scripted:
        with lock:
            asked.append(number)
        return Scripted(f"[RESULT] {between_fences(request['messages'][1]['content'], 'ANSWER TO GRADE').count('e')}")

    with judge_server(reply):
        assert grade("--judge", "openai:j", "--no-cache") == 0
        whole = Path("out.jsonl").read_bytes()
        lines = whole.splitlines(keepends=True)
        drawn.shuffle(lines)
        kept = drawn.randrange(len(lines))
        # A journal in the order in which rows came, its last line torn.
        Path("out.jsonl").write_bytes(b"".join(lines[:kept]) + lines[kept][: drawn.randrange(len(lines[kept]) - 1)])
        before = len(asked)
        assert grade("--judge", "openai:j", "--no-cache") == 0
        assert len(asked) - before == len(rows) - kept
    assert Path("out.jsonl").read_bytes() == whole


def test_an_endpoint_that_is_gone_keeps_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_LINK", "http://127.0.0.1:9/v1")
    assert grade("--judge", "openai:j") == 3
    with judge_server(four):
        assert grade("--judge", "openai:j") == 0
    assert [row["grade"] for row in read()] == [4, 4, 4, None, 4]


def test_another_input_or_judge_is_refused_unless_it_begins_anew(capsys: pytest.CaptureFixture[str]) -> None:
    assert grade() == 0
    before = Path("out.jsonl").read_bytes()
    write(ROWS[1:])
    assert grade() == 2
    assert "out.jsonl:1: is no row of this input" in capsys.readouterr().err
    write(ROWS)
    Path("out.jsonl").write_bytes(before.replace(b'"judge": "offline"', b'"judge": "openai:j"'))
    assert grade() == 2
    assert "graded by 'openai:j'" in capsys.readouterr().err
    assert grade("--fresh") == 0 and Path("out.jsonl").read_bytes() == before


def test_a_file_that_is_no_output_is_never_touched(capsys: pytest.CaptureFixture[str]) -> None:
    for fresh in [(), ("--fresh",)]:
        write(ROWS, "out.jsonl")
        before = Path("out.jsonl").read_bytes()
        assert grade(*fresh) == 2, fresh
        assert "out.jsonl:1: is no graded row" in capsys.readouterr().err, fresh
        assert main(["grade-file", "in.jsonl", "--out", "in.jsonl", *fresh]) == 2, fresh
        assert main(["grade-file", "in.jsonl", "--out", ".", *fresh]) == 2, fresh
        assert Path("out.jsonl").read_bytes() == before and read("in.jsonl") == ROWS, fresh


def test_a_malformed_row_is_named_before_any_call(capsys: pytest.CaptureFixture[str]) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"lang": "en", "question": "a?", "answer": "b"}, "'reference' is missing or no text"),
        ({"lang": "en", "question": "a?", "reference": "b", "answer": None}, "'answer' is missing or no text"),
        ({"lang": "en", "question": " ", "reference": "b", "answer": "c"}, "'question' is blank"),
        ({**ROWS[0], "grade": 4}, "has a key 'grade' already"),
        ({**ROWS[0], "aliases": "x"}, "'aliases' must be a list of texts"),
        ({**ROWS[0], "answer": "\ud800"}, "half a surrogate pair"),
        ({**ROWS[0], "aliases": ["b", "\ud800"]}, "'aliases' holds half a surrogate pair"),
    ]
    for row, said in cases:
        Path("in.jsonl").write_text(f"{json.dumps(ROWS[0])}\n\n{json.dumps(row)}\n")
        with judge_server(four) as server:
            assert grade("--judge", "openai:j") == 2, row
            assert server.requests == [] and not Path("out.jsonl").exists(), row
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("ragaliq: in.jsonl:3: ") and said in line, row


def test_a_text_without_a_line_end_is_not_taken_for_a_torn_row(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ["a note without a line end", "\n{'no': 'JSON'", '{"lang": "it", "question']:
        for fresh in [(), ("--fresh",)]:
            Path("out.jsonl").write_text(text)
            assert grade(*fresh) == 2, text
            assert "out.jsonl: is no file of graded rows" in capsys.readouterr().err, text
            assert Path("out.jsonl").read_text() == text, text


def test_the_torn_first_row_of_a_kill_is_gone_on_with() -> None:
    for length in [1, 30, 130]:
        assert grade() == 0, length
        whole = Path("out.jsonl").read_bytes()
        Path("out.jsonl").write_bytes(whole[:length])
        assert grade() == 0 and Path("out.jsonl").read_bytes() == whole, length


def test_a_number_that_json_cannot_hold_is_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.jsonl").write_text(json.dumps(ROWS[0])[:-1] + ', "x": 1e400}\n')
    assert grade() == 2 and not Path("out.jsonl").exists()
    assert capsys.readouterr().err == "ragaliq: in.jsonl:1: holds a number too great to be written again; fix it\n"


def test_two_processes_do_not_grade_into_one_file(capsys: pytest.CaptureFixture[str]) -> None:
    fcntl = pytest.importorskip("fcntl")
    with Path("out.jsonl").open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert grade() == 2
        assert "another process is at work on this file" in capsys.readouterr().err
    assert grade() == 0


@pytest.mark.parametrize("fresh", [(), ("--fresh",)])
@pytest.mark.parametrize("out", ["device", "in.jsonl/out.jsonl"])
def test_an_output_that_is_no_file_is_wrong_input(
    out: str, fresh: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    # A link, so that nothing but the link could be lost.
    Path("device").symlink_to("/dev/null")
    assert main(["grade-file", "in.jsonl", "--out", out, *fresh]) == 2
    assert f"--out {out}: " in capsys.readouterr().err and Path("device").is_symlink()


def test_an_empty_or_missing_input(capsys: pytest.CaptureFixture[str]) -> None:
    write([])
    assert grade() == 2 and "no rows" in capsys.readouterr().err
    assert main(["grade-file", "nowhere.jsonl", "--out", "out.jsonl"]) == 2


def test_aliases_are_references_too() -> None:
    row = {"lang": "en", "question": "Which colour has the boat?", "reference": "Turquoise."}
    row["answer"] = "Blueish green."
    write([row, {**row, "aliases": ["Blueish green."]}])
    assert grade() == 0
    plain, aliased = read()
    assert aliased["grade"] == 5 and plain["grade"] is not None and plain["grade"] < 5


GATED = ["grade-file", "in.jsonl", "--out", "out.jsonl", "--min-coverage", "0", "--judge", "openai:j", "--no-cache"]


def test_a_judge_has_to_pass_its_controls_first(capsys: pytest.CaptureFixture[str]) -> None:
    write(ROWS[:1])
    assert main([*GATED[:-3], "--judge", "offline"]) == 0
    before = Path("out.jsonl").read_bytes()
    with judge_server(lambda request, number: sound_reply(request, neighbour=5)) as server:
        assert main([*GATED, "--fresh"]) == 1
        assert len(server.requests) == 35 and Path("out.jsonl").read_bytes() == before
        assert "judge 'openai:j' fails them (neighbour in en" in capsys.readouterr().err.splitlines()[-1]
    with judge_server(lambda request, number: sound_reply(request)) as server:
        assert main([*GATED, "--fresh"]) == 0
        assert len(server.requests) == 35 + 1 and read()[0]["judge"] == "openai:j"
        # A pass is remembered beside the file; another language has its own to pass.
        write([ROWS[0], {**ROWS[0], "id": 2}])
        assert main(GATED) == 0 and len(server.requests) == 35 + 2
        write([ROWS[0], {**ROWS[0], "id": 2}, ROWS[2]])
        assert main(GATED) == 0 and len(server.requests) == 35 + 2 + 70 + 1
        assert main(GATED) == 0 and len(server.requests) == 35 + 2 + 70 + 1
    assert json.loads(Path("out.jsonl.controls.json").read_text(encoding="utf-8"))["langs"] == ["en", "zh"]


def test_a_file_of_somebody_elses_is_not_overwritten_by_controls(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.jsonl.controls.json").write_text('{"mine": 1}')
    with judge_server(lambda request, number: sound_reply(request)) as server:
        assert main(GATED) == 2 and server.requests == []
    assert "is no file of controls" in capsys.readouterr().err
    assert Path("out.jsonl.controls.json").read_text() == '{"mine": 1}'


def test_another_temperature_is_another_judge(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(four):
        assert grade("--judge", "openai:j") == 0
        assert grade("--judge", "openai:j", "--judge-temperature", "0.7") == 2
    assert "graded by 'openai:j' " in capsys.readouterr().err


@pytest.mark.parametrize(("judge", "noted"), [("offline", True), ("openai:j", False), ("panel:openai:j+offline", True)])
def test_what_the_offline_judge_was_never_measured_in_is_noted(
    judge: str, noted: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    arabic = {"lang": "ar", "question": "متى يفتح؟", "reference": "في الساعة السابعة.", "answer": "في السابعة."}
    write([*ROWS, arabic, {**arabic, "lang": "xx"}, {**ROWS[2], "lang": "zh-CN"}])
    with judge_server(four):
        assert grade("--judge", judge) == 0
    said = capsys.readouterr().err
    assert ("note: the offline judge was never measured in ar, xx; " in said) == noted
    ways = "in ar by meaning (sentence encoder) and by English words; in xx by English words alone; "
    assert (f"note: no abstention phrases for ar, xx: refusals are recognised {ways}" in said) == noted
    assert said.count("note: ") == 2 * noted
