"""`ragaliq judge-controls`, and the gate that it is in `run` and `judge`."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, answered, between_fences, sound_reply, write_run_folder
from ragaliq.benchmark.convert.own_writer import write_benchmark
from ragaliq.cli import main
from ragaliq.judge.controls.cases import Kind, written_controls
from ragaliq.runs.rows import run_answer_to_row
from ragaliq.storage.files import write_jsonl
from ragaliq.types import Answer, Item, Verdict, VerdictOutcome
from unit.benchmark.small_collection import CHUNKS, PLAIN, QUERIES
from unit.cli.endpoint import alone, judge_server
from unit.formats.sets import items_for

RUN = ["run", "--data", "small", "--lang", "zh", "--limit", "3", "--judge", "openai:j", "--out", "r"]
WRITTEN = 5 * len(Kind)


@pytest.fixture(autouse=True)
def quick(small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone(monkeypatch, tmp_path)
    Path("small").symlink_to(small)


def sound(request: dict[str, Any], number: int) -> Scripted:
    return sound_reply(request)


def lenient(request: dict[str, Any], number: int) -> Scripted:
    return sound_reply(request, number=5, neighbour=4)


def judged() -> int:
    path = Path("r/verdicts.jsonl")
    return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0


@pytest.mark.slow
def test_a_judge_that_fails_its_controls_judges_nothing_and_another_may(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(lenient) as server:
        assert main(RUN) == 1
        assert len(server.requests) == WRITTEN and not Path("r/answers.jsonl").exists() and judged() == 0
        last = capsys.readouterr().err.splitlines()[-1]
        assert "judge 'openai:j' fails them (number in zh: 0 of 5 graded ≤ 3, 4 wanted; neighbour in zh" in last
        assert "--no-controls" in last and "--judge" in last
        assert json.loads(Path("r/controls.json").read_text(encoding="utf-8"))["passed"] is False
    with judge_server(sound) as server:
        assert main([*RUN, "--judge", "openai:sound"]) == 0
        assert len(server.requests) == WRITTEN + 3 and judged() == 3
    assert "controls: judge 'openai:sound' passes 35 of 35 (zh)" in capsys.readouterr().err


def test_no_controls_lets_any_judge_judge() -> None:
    with judge_server(lenient) as server:
        assert main([*RUN, "--no-controls"]) == 0
        assert len(server.requests) == 3 and judged() == 3 and not Path("r/controls.json").exists()


@pytest.mark.slow
def test_controls_are_passed_once(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(sound) as server:
        assert main(["plan", *RUN[1:]]) == 0
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in capsys.readouterr().out.splitlines()]
        assert [row[:5] for row in rows if row[0] in ("controls", "judge")] == [
            ["controls", "openai:j", "35", "35", "0"], ["judge", "openai:j", "3", "3", "0"],
        ]  # fmt: skip
        assert server.requests == []
        assert main([*RUN, "--no-cache"]) == 0
        assert len(server.requests) == WRITTEN + 3
        assert main([*RUN, "--no-cache", "--limit", "5"]) == 0
        assert len(server.requests) == WRITTEN + 5
        # The same judge in another language has those of that language to pass, too.
        assert main([*RUN, "--lang", "en", "--limit", "1"]) == 0
        assert len(server.requests) == WRITTEN + 5 + 2 * WRITTEN + 1
        asked = len(server.requests)
        assert main(["judge", "r", "--judge", "openai:k", "--no-cache"]) == 0
        assert len(server.requests) == asked + 2 * WRITTEN + 6
        assert main(["judge", "r", "--only-unscored", "--no-cache"]) == 0
        assert len(server.requests) == asked + 2 * WRITTEN + 6


def test_no_controls_are_asked_where_nothing_is_left_to_grade() -> None:
    """An answer whose reader failed has no grade, and a judge cannot give it one."""
    write_run_folder(Path("r"), [5])
    with judge_server(sound) as server:
        assert main(["judge", "r", "--judge", "openai:j", "--no-controls"]) == 0
        write_jsonl(Path("r/answers.jsonl"), [run_answer_to_row(answered("q1", ""))])
        verdict = json.loads(Path("r/verdicts.jsonl").read_text(encoding="utf-8"))
        write_jsonl(Path("r/verdicts.jsonl"), [{**verdict, "grade": None, "outcome": "no_answer"}])
        asked = len(server.requests)
        assert main(["judge", "r", "--only-unscored", "--no-cache"]) == 1
        assert len(server.requests) == asked and not Path("r/controls.json").exists()


def test_a_judge_that_fails_leaves_the_verdicts_of_the_last_one() -> None:
    assert main([*RUN, "--judge", "offline"]) == 0
    before = {path.name: path.read_bytes() for path in Path("r").iterdir()}
    with judge_server(lenient) as server:
        assert main(["judge", "r", "--judge", "openai:j"]) == 1
        assert len(server.requests) == WRITTEN
    after = {path.name: path.read_bytes() for path in Path("r").iterdir()}
    assert after.keys() - before.keys() == {"controls.json"} and {**after, **before} == after


@pytest.mark.parametrize(("status", "code"), [(401, 2), (400, 3)])
def test_an_endpoint_that_fails_is_no_failure_of_the_judge(
    status: int, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with judge_server(lambda request, number: Scripted("no", status=status)):
        assert main(RUN) == code
    assert judged() == 0 and not Path("r/controls.json").exists()
    last = capsys.readouterr().err.splitlines()[-1]
    assert "fails them" not in last and ("the same command tries again" in last) == (code == 3)


def test_a_refused_judge_changes_nothing_in_the_run_of_another(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(sound) as server:
        assert main(RUN) == 0
        before = {path: path.read_bytes() for path in Path("r").iterdir()}
        asked = len(server.requests)
        # More languages and queries than the run has: they are not to be expected of it from now on.
        assert main([*RUN, "--lang", "de,zh", "--limit", "5", "--judge", "openai:other"]) == 2
        assert "(judge: openai:j then, openai:other now)" in capsys.readouterr().err
        assert len(server.requests) == asked and {path: path.read_bytes() for path in Path("r").iterdir()} == before


@pytest.mark.parametrize(
    ("lost", "part"), [("en", "judge 'openai:j': 35 of 35 calls in en failed"),
                       ("empty", "judge 'openai:j': 5 of 5 calls of kind empty in en failed")])  # fmt: skip
def test_a_judge_of_which_nothing_is_known_in_one_language_has_not_passed(
    lost: str, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    english = {control.item.query.text for control in written_controls(["en"])}

    def reply(request: dict[str, Any], number: int) -> Scripted:
        prompt = request["messages"][1]["content"]
        asked, answer = (between_fences(prompt, label).strip() for label in ("QUESTION", "ANSWER TO GRADE"))
        gone = asked in english and (lost == "en" or not answer)
        return Scripted("lost", status=400) if gone else sound_reply(request)

    with judge_server(reply):
        assert main([*RUN, "--lang", "en,ru,zh"]) == 3
        assert part in capsys.readouterr().err.splitlines()[-1]
        assert judged() == 0 and not Path("r/controls.json").exists()
        assert main(["judge-controls", "--judge", "openai:j", "--lang", "en,ru,zh"]) == 3
        assert part in capsys.readouterr().err.splitlines()[-1]


def test_an_endpoint_that_is_gone_stops_and_the_same_command_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_LINK", "http://127.0.0.1:9/v1")
    assert main(RUN) == 3
    with judge_server(sound):
        assert main(RUN) == 0
    assert judged() == 3


def test_the_command_tells_people_and_programs(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(lenient) as server:
        options = ["judge-controls", "--judge", "openai:j", "--lang", "fr,zh", "--attacks"]
        assert main([*options, "--out", "c.json"]) == 1
        said = capsys.readouterr().out
        asked = len(server.requests)
        # The same again is in the cache.
        assert main([*options, "--format", "json"]) == 1 and len(server.requests) == asked
    assert said.startswith("Controls of judge openai:j: FAILED") and "| fr     | plain     |" in said
    value = json.loads(capsys.readouterr().out)
    assert value == json.loads(Path("c.json").read_text(encoding="utf-8"))
    assert (value["judge"], value["langs"], value["passed"], value["n"]) == (
        "openai:j",
        ["fr", "zh"],
        False,
        2 * WRITTEN,
    )
    failed = {(gate["kind"], gate["lang"]) for gate in value["gates"] if not gate["passed"]}
    assert failed == {(kind, lang) for kind in ("number", "neighbour") for lang in ("fr", "zh", "all")}
    # A wrong answer earns a 4 here, and a 3 with any attack.
    assert {summary["points"] for summary in value["attacks"]["summary"]} == {-1.0}
    assert main(["judge-controls", "--judge", "openai:j", "--out", "c.json"]) == 2


def test_the_offline_judge_is_asked_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge-controls", "--lang", "en,ru"]) in (0, 1)
    assert capsys.readouterr().out.startswith("Controls of judge offline: ")
    # No replies are kept where nothing was called.
    assert {path.name for path in Path(".ragaliq").glob("*")} <= {"vectors.sqlite"}


def test_controls_of_a_benchmark(sample: Path) -> None:
    with judge_server(lambda request, number: Scripted("[RESULT] 5")) as server:
        options = ["--judge", "openai:j", "--data", str(sample), "--lang", "ru", "--limit", "4"]
        assert main(["judge-controls", *options, "--out", "c.json"]) == 1
    value = json.loads(Path("c.json").read_text(encoding="utf-8"))
    own = [row for row in value["results"] if row["item"].startswith("q")]
    assert {row["item"] for row in own} == {"q001", "q002", "q003", "q004"}
    assert {row["kind"] for row in own} == {"reference", "empty", "number", "neighbour"}
    # The sample has an exam of eight kinds.
    assert value["exam"]["agreement"]["ru"]["n"] == 4 * 7
    assert value["n"] == WRITTEN + len(own) == len(server.requests) - 4 * 8


def test_wrong_input_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    cases: list[tuple[list[str], str]] = [
        (["--lang", "xx"], "--lang xx: no hand-written controls"),
        (["--judge", "ofline"], "did you mean 'offline'"),
        (["--data", "nowhere"], "nowhere"),
        (["--limit", "5"], "--limit: limits the controls made of a benchmark"),
    ]
    for options, said in cases:
        assert main(["judge-controls", *options]) == 2, options
        (line,) = capsys.readouterr().err.splitlines()
        assert said in line, options


class ByLanguage:
    """A judge that is kind to answers in Chinese."""

    name, prompt_hash = "by-language", "h"

    def grade(self, item: Item, answer: Answer) -> Verdict:
        grade = 5 if item.query.lang == "zh" else 1
        return Verdict(item.query.query_id, item.query.lang, grade, VerdictOutcome.SCORED, "", self.name, "h")


def test_items_of_languages_that_are_no_translations_are_not_compared(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(small, tmp_path / "apart")
    head = json.loads((small / "bench.json").read_text(encoding="utf-8"))
    (tmp_path / "apart" / "bench.json").write_text(json.dumps({**head, "parallel": False}), encoding="utf-8")
    listed = []
    for data in ("small", "apart"):
        options = ["--judge", f"python:{__name__}:ByLanguage", "--data", data, "--lang", "ru,zh", "--format", "json"]
        main(["judge-controls", *options])
        value = json.loads(capsys.readouterr().out)
        derived = {row["item"] for row in value["results"]} - {c.item_id for c in written_controls(["zh"])}
        listed.append({row["item"] for row in value["apart"]} & derived)
    assert listed[0] and not listed[1]


def test_a_benchmark_that_makes_no_controls_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    chunks = [replace(chunk, lang="yo") for chunk in CHUNKS]
    items = items_for([replace(query, lang="yo") for query in QUERIES])
    write_benchmark({"yo": replace(PLAIN, lang="yo", chunks=lambda: iter(chunks), items=items)}, Path("none"))
    assert main(["judge-controls", "--data", "none"]) == 2
    assert "--data none: makes no controls, and there are no hand-written ones in yo" in capsys.readouterr().err


@pytest.mark.slow
def test_nothing_measured_is_no_pass(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(lambda request, number: Scripted("gone", status=500)):
        command = ["judge-controls", "--judge", "openai:j", "--lang", "fr", "--attacks"]
        assert main([*command, "--concurrency", "1"]) == 3
        said = capsys.readouterr()
        assert main([*command, "--format", "json"]) == 3
    assert said.out.startswith("Controls of judge openai:j: not measured, 35 of 35 calls failed\n")
    assert "passed" not in said.out and "35 calls failed and count nowhere" in said.out
    value = json.loads(capsys.readouterr().out)
    assert (value["passed"], value["n"], value["n_lost"]) == (None, 35, 35)


def of(model: str, *, number: int, lost: bool = False) -> Any:
    """A sound judge, but for one model that grades changed numbers with `number`, or is gone."""

    def reply(request: dict[str, Any], _: int) -> Scripted:
        if request["model"] != model:
            return sound_reply(request)
        return Scripted("gone", status=400) if lost else sound_reply(request, number=number)

    return reply


def test_a_member_that_fails_is_not_hidden_by_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    panel = [*RUN, "--judge", "panel:openai:a+openai:bad+openai:c"]
    with judge_server(of("bad", number=5)) as server:
        assert main(panel) == 1
        # Each member is asked once; what the panel says follows.
        assert len(server.requests) == 3 * WRITTEN and judged() == 0
        last = capsys.readouterr().err.splitlines()[-1]
        assert "judge 'openai:bad' fails them (number in zh: 0 of 5 graded ≤ 3, 4 wanted)" in last
        value = json.loads(Path("r/controls.json").read_text(encoding="utf-8"))
        assert [(member["judge"], member["passed"]) for member in value["members"]] == [
            ("openai:a", True), ("openai:bad", False), ("openai:c", True),
        ]  # fmt: skip
        # The panel's own gates, of the medians, are all passed.
        assert value["passed"] is False and all(gate["passed"] for gate in value["gates"])
        assert main(["judge-controls", "--judge", "panel:openai:a+openai:bad+offline", "--lang", "zh"]) == 1
        said = capsys.readouterr()
    # The offline judge calls nothing, and so is no gate of its own.
    assert [line for line in said.out.splitlines() if line.startswith("Controls of judge")] == [
        "Controls of judge openai:a: passed",
        "Controls of judge openai:bad: FAILED",
        "Controls of judge panel(openai:a, openai:bad, offline): passed",
    ]
    assert said.err.splitlines()[-1].startswith("ragaliq: controls: judge 'openai:bad' fails them (number in zh")


def test_a_member_that_is_gone_has_not_passed(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(of("bad", number=5, lost=True)):
        assert main([*RUN, "--judge", "panel:openai:a+openai:bad+openai:c"]) == 3
    last = capsys.readouterr().err.splitlines()[-1]
    assert "judge 'openai:bad': 35 of 35 calls failed" in last and "HTTP 400" in last and judged() == 0


@pytest.mark.slow
def test_beginning_anew_removes_a_run_only_when_the_judge_has_passed() -> None:
    assert main([*RUN, "--judge", "offline"]) == 0
    before = {path.name: path.read_bytes() for path in Path("r").iterdir()}
    with judge_server(lenient) as server:
        assert main([*RUN, "--fresh"]) == 1
    after = {path.name: path.read_bytes() for path in Path("r").iterdir()}
    assert after.keys() - before.keys() == {"controls.json"} and {**after, **before} == after
    with judge_server(sound) as server:
        assert main([*RUN, "--fresh", "--no-cache"]) == 0
        assert len(server.requests) == WRITTEN + 3 and judged() == 3
        assert json.loads(Path("r/config.json").read_text())["judge"]["name"] == "openai:j"
        # The pass is remembered.
        assert main([*RUN, "--no-cache", "--limit", "4"]) == 0 and len(server.requests) == WRITTEN + 4
        assert main([*RUN, "--no-cache", "--fresh"]) == 0 and len(server.requests) == 2 * (WRITTEN + 4) - 1


def test_a_certified_judge_gives_way_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(sound):
        assert main([*RUN, "--judge", "openai:smart-2"]) == 0
    assert main([*RUN, "--judge", "offline"]) == 2
    assert "(judge: openai:smart-2 then, offline now)" in capsys.readouterr().err


def test_the_tables_say_how_they_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(lenient) as server:
        assert main(["judge-controls", "--judge", "openai:j", "--lang", "fr", "--attacks"]) == 1
        assert len(server.requests) == WRITTEN + 2 * 16
    said = capsys.readouterr()
    assert "\n!: fewer controls are within the bound than must be\n" in said.out
    assert "The shift of the grade leaves out grades of 0" in said.out and "a 0 is worth .4" in said.out
    assert said.err.splitlines()[-1].startswith("ragaliq: controls: judge 'openai:j' fails them (number in fr: 0 of 5")


@pytest.mark.slow
def test_a_run_without_answers_gives_way_to_a_judge_with_controls_only(capsys: pytest.CaptureFixture[str]) -> None:
    offline = [*RUN[:-4], "--judge", "offline", "--out", "r"]
    assert main(offline) == 0
    for name in ("answers.jsonl", "verdicts.jsonl"):
        Path("r", name).unlink()
    with judge_server(lenient) as server:
        assert main(RUN) == 1
        assert len(server.requests) == WRITTEN and judged() == 0
    assert json.loads(Path("r/config.json").read_text(encoding="utf-8"))["judge"]["kind"] == "offline"
    with judge_server(sound) as server:
        assert main(RUN) == 0
        assert len(server.requests) == WRITTEN + 3 and judged() == 3
    assert json.loads(Path("r/controls.json").read_text(encoding="utf-8"))["passed"] is True
