"""`ragaliq grade`: the same rows with grades, gone on with after any stop, refused where it does not fit."""

from __future__ import annotations

import csv
import json
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, between_fences, sound_reply
from ragaliq.cli import main
from ragaliq.formats.answers.reading import read_answer_rows
from unit.cli.endpoint import alone, judge_server

ADDED = ["grade", "outcome", "feedback", "refuses", "judge", "prompt_hash"]
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
    return main(["grade", "in.jsonl", "--out", "out.jsonl", "--min-coverage", "0", "--no-controls", *options])


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
    de, _, ru = (line.split("|")[3].strip() for line in said.out.splitlines()[2:7] if line[2:4] in ("de", "en", "ru"))
    assert (de, ru) == ("2/2", "0/1") and said.out.endswith("\n\ngraded: out.jsonl\n") and "1 no_answer" in said.err


def test_the_coverage_gate(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "in.jsonl", "--out", "out.jsonl"]) == 1
    assert "out.jsonl: ru: less than --min-coverage 0.95" in capsys.readouterr().err
    assert grade("--min-coverage", "0") == 0


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
    assert "graded with judge 'openai:j', not 'offline'" in capsys.readouterr().err
    assert grade("--fresh") == 0 and Path("out.jsonl").read_bytes() == before


def test_a_file_that_is_no_output_is_never_touched(capsys: pytest.CaptureFixture[str]) -> None:
    for fresh in [(), ("--fresh",)]:
        write(ROWS, "out.jsonl")
        before = Path("out.jsonl").read_bytes()
        assert grade(*fresh) == 2, fresh
        assert "out.jsonl:1: is no graded row" in capsys.readouterr().err, fresh
        assert main(["grade", "in.jsonl", "--out", "in.jsonl", *fresh]) == 2, fresh
        assert main(["grade", "in.jsonl", "--out", ".", *fresh]) == 2, fresh
        assert Path("out.jsonl").read_bytes() == before and read("in.jsonl") == ROWS, fresh


def test_a_malformed_row_is_named_before_any_call(capsys: pytest.CaptureFixture[str]) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({**ROWS[0], "question": ["a?"]}, "'question' holds a list, not a text"),
        ({**ROWS[0], "lang": "Gelbisch"}, "'lang' is no language: 'Gelbisch'"),
        ({**ROWS[0], "grade": 4}, "has a column 'grade' already"),
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
    assert main(["grade", "in.jsonl", "--out", out, *fresh]) == 2
    assert f"--out {out}: " in capsys.readouterr().err and Path("device").is_symlink()


def test_an_empty_or_missing_input(capsys: pytest.CaptureFixture[str]) -> None:
    write([])
    assert grade() == 2 and "holds no row" in capsys.readouterr().err
    assert main(["grade", "nowhere.jsonl", "--out", "out.jsonl"]) == 2


def test_aliases_are_references_too() -> None:
    row = {"lang": "en", "question": "Which colour has the boat?", "reference": "Turquoise."}
    row["answer"] = "Blueish green."
    write([row, {**row, "aliases": ["Blueish green."]}])
    assert grade() == 0
    plain, aliased = read()
    assert aliased["grade"] == 5 and plain["grade"] is not None and plain["grade"] < 5


GATED = ["grade", "in.jsonl", "--out", "out.jsonl", "--min-coverage", "0", "--judge", "openai:j", "--no-cache"]


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
    assert "graded with judge 'openai:j', not 'openai:j@0.7'" in capsys.readouterr().err


@pytest.mark.parametrize(("judge", "noted"), [("offline", True), ("openai:j", False), ("panel:openai:j+offline", True)])
def test_what_the_offline_judge_was_never_measured_in_is_noted(
    judge: str, noted: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    arabic = {"lang": "ar", "question": "متى يفتح؟", "reference": "في الساعة السابعة.", "answer": "في السابعة."}
    write([*ROWS, arabic, {**arabic, "lang": "sw"}, {**ROWS[2], "lang": "zh-CN"}])
    with judge_server(four):
        assert grade("--judge", judge) == 0
    said = capsys.readouterr().err
    assert ("note: the offline judge was never measured in ar, sw; " in said) == noted
    ways = "in ar by meaning (sentence encoder) and by English words; in sw by English words alone; "
    assert (f"note: no abstention phrases for ar, sw: refusals are recognised {ways}" in said) == noted
    assert said.count("note: ") == 2 * noted


TABLE = [
    ["id", "user_input", "response", "ground_truth", "retrieved_contexts"],
    ["1", "When does it open?", "At seven.", "At seven.", "['The canteen opens at seven.', 'It rains.']"],
    ["2", "When does it open?", "At seven.", "At seven.", "['The canteen opens at seven.', 'It rains.']"],
    ["3", "Wann schließt die Kantine am Abend?", "Um neun Uhr.", "", ""],
    ["4", "几点开门？", "", "七点。", '["七点开门。"]'],
    ["4", "几点开门？", "", "七点。", '["七点开门。"]'],
]  # fmt: skip


def table(path: str, rows: list[list[str]] = TABLE, **form: Any) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, **form).writerows(rows)


def cells(path: str, **form: Any) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, **form))


def test_a_csv_of_answers_is_graded_and_checked(capsys: pytest.CaptureFixture[str]) -> None:
    table("in.csv")
    assert main(["grade", "in.csv", "--out", "out.csv", "--min-coverage", "0"]) == 0
    graded = cells("out.csv")
    assert [[row[name] for name in TABLE[0]] for row in graded] == TABLE[1:]
    assert [row["lang"] for row in graded] == ["en", "en", "de", "zh", "zh"]
    assert [row["grade"] for row in graded] == ["5", "5", "", "", ""]
    assert [row["outcome"] for row in graded] == ["scored", "scored", "no_reference", "no_answer", "no_answer"]
    assert [row["check_outcome"] for row in graded] == ["scored", "scored", "no_contexts", "no_answer", "no_answer"]
    support = json.loads(graded[0]["support"])
    assert [one["context"] for one in support] == [0] and graded[0]["supported_share"] in ("0.0", "1.0")
    said = capsys.readouterr()
    assert "columns: question = user_input, answer = response, reference = ground_truth" in said.err
    assert "- 1 of 5 rows are without a reference, so without a grade" in said.out
    assert "out.csv: without a grade or a check: 2 no_answer" in said.err
    # Nothing of the work is left, and the same command does nothing more.
    assert sorted(path.name for path in Path().glob("out*")) == ["out.csv"]
    before = Path("out.csv").read_bytes()
    assert main(["grade", "in.csv", "--out", "out.csv", "--min-coverage", "0"]) == 0
    assert Path("out.csv").read_bytes() == before


@pytest.mark.parametrize("out", ["csv", "tsv", "json", "jsonl", pytest.param("parquet", marks=pytest.mark.hub)])
def test_every_format_goes_on_where_it_was(out: str) -> None:
    out = f"out.{out}"
    table("in.csv")
    broken = True

    def reply(request: dict[str, Any], number: int) -> Scripted:
        question = between_fences(request["messages"][1]["content"], "QUESTION")
        return Scripted("no", status=400) if broken and "open" in question else four(request, number)

    with judge_server(reply) as server:
        command = ["grade", "in.csv", "--out", out, "--judge", "openai:j", "--no-controls", "--no-cache",
                   "--min-coverage", "0", "--check", "none"]  # fmt: skip
        assert main(command) == 0
        asked = len(server.requests)
        broken = False
        assert main(command) == 0 and len(server.requests) == asked + 2
        assert main(command) == 0 and len(server.requests) == asked + 2
        assert main([*command, "--fresh"]) == 0 and len(server.requests) == asked + 4
    read = read_answer_rows(Path(out)).rows
    assert [row["grade"] and int(row["grade"]) for _, row in read[:2]] == [4, 4]
    assert [row["grade"] or None for _, row in read[2:]] == [None] * 3


def test_a_killed_table_goes_on_from_its_journal() -> None:
    table("in.csv")
    command = ["grade", "in.csv", "--out", "out.csv", "--min-coverage", "0"]
    assert main(command) == 0
    whole = Path("out.csv").read_bytes()
    rows = [{**row, "grade": int(row["grade"]) if row["grade"] else None, "support": None} for row in cells("out.csv")]
    write(rows[:3], "out.csv.jsonl")
    for left in (whole, b""):
        Path("out.csv").write_bytes(left) if left else Path("out.csv").unlink()
        write(rows[:2], "out.csv.jsonl")
        assert main(command) == 0 and not Path("out.csv.jsonl").exists()
        assert [row["grade"] for row in cells("out.csv")] == ["5", "5", "", "", ""]


def test_a_table_of_somebody_elses_is_never_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    table("in.csv")
    for fresh in [(), ("--fresh",)]:
        table("out.csv")
        before = Path("out.csv").read_bytes()
        assert main(["grade", "in.csv", "--out", "out.csv", *fresh]) == 2
        assert "is no graded row; name another --out" in capsys.readouterr().err
        assert Path("out.csv").read_bytes() == before and not Path("out.csv.jsonl").exists()


def test_semicolons_and_marks_stay(capsys: pytest.CaptureFixture[str]) -> None:
    table("in.csv", delimiter=";")
    Path("in.csv").write_bytes(b"\xef\xbb\xbf" + Path("in.csv").read_bytes())
    assert main(["grade", "in.csv", "--out", "out.csv", "--min-coverage", "0"]) == 0
    assert Path("out.csv").read_bytes().startswith(b"\xef\xbb\xbfid;user_input;")
    assert [row["id"] for row in cells("out.csv", delimiter=";")] == ["1", "2", "3", "4", "4"]


def test_columns_by_the_users_word(capsys: pytest.CaptureFixture[str]) -> None:
    table("in.csv", [["q", "a", "gold"], ["When?", "At seven.", "At seven."]])
    assert main(["grade", "in.csv", "--out", "out.csv"]) == 2
    assert "It has 'q', 'a', 'gold'; name it: --map question=COLUMN,answer=COLUMN" in capsys.readouterr().err
    assert main(["grade", "in.csv", "--out", "out.csv", "--map", "question=q,answer=a", "--map", "reference=gold"]) == 0
    assert main(["grade", "in.csv", "--out", "out.csv", "--map", "question"]) == 2
    assert "--map question: write ROLE=COLUMN" in capsys.readouterr().err


def test_graded_tables_are_aggregated_and_compared(capsys: pytest.CaptureFixture[str]) -> None:
    for name, answer in (("a", "At seven."), ("b", "I do not know.")):
        rows = [[str(number), f"Question {number}?", answer, "At seven.", ""] for number in range(3)]
        table(f"{name}.csv", [TABLE[0], *rows])
        assert main(["grade", f"{name}.csv", "--out", f"{name}.graded.csv"]) == 0
    capsys.readouterr()
    assert main(["aggregate", "a.graded.csv", "--format", "json"]) == 0
    (figures,) = json.loads(capsys.readouterr().out)
    assert (figures["lang"], figures["n"], figures["weighted_score"]) == ("en", 3, 1.0)
    assert main(["compare", "a.graded.csv", "b.graded.csv", "--format", "json"]) == 0


@pytest.mark.hub
def test_a_graded_parquet_file_is_aggregated() -> None:
    table("in.csv")
    assert main(["grade", "in.csv", "--out", "out.parquet", "--min-coverage", "0"]) == 0
    assert main(["aggregate", "out.parquet"]) == 0
    assert main(["report", "out.parquet", "--out", "report", "--min-coverage", "0"]) == 0
    report = Path("report/results.md").read_text(encoding="utf-8")
    # Nobody was asked about the row without a reference.
    assert "## en" in report and "## zh" in report and "## de" not in report


def test_what_ones_own_judge_raises_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code = "class Judge:\n    def grade(self, item, answer):\n        raise RuntimeError('no luck today')\n"
    Path("my_judge.py").write_text(code)
    table("in.csv")
    assert main(["grade", "in.csv", "--out", "out.csv", "--judge", "python:my_judge:Judge", "--check", "none"]) == 1
    assert "2 api_error (RuntimeError: no luck today), 2 no_answer" in capsys.readouterr().err


def test_a_column_of_languages_is_not_written_over_another(capsys: pytest.CaptureFixture[str]) -> None:
    table("in.csv", [["question", "answer", "reference", "lang", "locale"], ["Why?", "So.", "So.", "python", "en"]])
    assert main(["grade", "in.csv", "--out", "out.csv", "--map", "lang=locale"]) == 2
    assert "has a column 'lang' already, which the grading writes; rename it" in capsys.readouterr().err


def test_what_fresh_threw_away_does_not_come_back_after_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    table("in.csv", TABLE[:3])
    command = ["grade", "in.csv", "--out", "out.csv", "--judge", "openai:j", "--no-controls", "--no-cache",
               "--min-coverage", "0", "--check", "none"]  # fmt: skip
    with judge_server(lambda request, number: Scripted("[RESULT] 2")):
        assert main(command) == 0
    monkeypatch.setenv("JUDGE_API_LINK", "http://127.0.0.1:9/v1")
    assert main([*command, "--fresh"]) == 3
    with judge_server(four):
        assert main(command) == 0
    assert [row["grade"] for row in cells("out.csv")][:2] == ["4", "4"]
