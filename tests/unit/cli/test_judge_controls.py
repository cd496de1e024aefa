"""`ragaliq judge-controls`, and the gate that it is in `run` and `judge`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, between_fences, chat_server, sound_reply
from ragaliq.cli import main
from ragaliq.judge.controls.cases import Kind, written_controls

RUN = ["run", "--data", "small", "--lang", "zh", "--limit", "3", "--judge", "openai:j", "--out", "r"]
WRITTEN = 5 * len(Kind)


@pytest.fixture(autouse=True)
def quick(small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("ragaliq.llm.client._FIRST_WAIT_S", 0.001)
    monkeypatch.chdir(tmp_path)
    Path("small").symlink_to(small)
    for name in ("JUDGE_API_LINK", "JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOKEN", "sk-secret-1234567890")


def sound(request: dict[str, Any], number: int) -> Scripted:
    return sound_reply(request)


def lenient(request: dict[str, Any], number: int) -> Scripted:
    return sound_reply(request, number=5, neighbour=4)


def judged() -> int:
    path = Path("r/verdicts.jsonl")
    return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0


@pytest.mark.slow
def test_a_judge_that_fails_its_controls_judges_nothing_and_another_may(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(lenient) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main(RUN) == 1
        assert len(server.requests) == WRITTEN and not Path("r/answers.jsonl").exists() and judged() == 0
        last = capsys.readouterr().err.splitlines()[-1]
        assert "judge 'openai:j' fails them (number in zh: 0 of 5 graded ≤ 3, 4 wanted; neighbour in zh" in last
        assert "--no-controls" in last and "--judge" in last
        assert json.loads(Path("r/controls.json").read_text(encoding="utf-8"))["passed"] is False
    with chat_server(sound) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main([*RUN, "--judge", "openai:sound"]) == 0
        assert len(server.requests) == WRITTEN + 3 and judged() == 3
    assert "controls: judge 'openai:sound' passes 35 of 35 (zh)" in capsys.readouterr().err


def test_no_controls_lets_any_judge_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(lenient) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main([*RUN, "--no-controls"]) == 0
        assert len(server.requests) == 3 and judged() == 3 and not Path("r/controls.json").exists()


@pytest.mark.slow
def test_controls_are_passed_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with chat_server(sound) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
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


def test_a_judge_that_fails_leaves_the_verdicts_of_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([*RUN, "--judge", "offline"]) == 0
    before = {path.name: path.read_bytes() for path in Path("r").iterdir()}
    with chat_server(lenient) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main(["judge", "r", "--judge", "openai:j"]) == 1
        assert len(server.requests) == WRITTEN
    after = {path.name: path.read_bytes() for path in Path("r").iterdir()}
    assert after.keys() - before.keys() == {"controls.json"} and {**after, **before} == after


@pytest.mark.parametrize(("status", "code"), [(401, 2), (400, 3)])
def test_an_endpoint_that_fails_is_no_failure_of_the_judge(
    status: int, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(lambda request, number: Scripted("no", status=status)) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main(RUN) == code
    assert judged() == 0 and not Path("r/controls.json").exists()
    last = capsys.readouterr().err.splitlines()[-1]
    assert "fails them" not in last and ("the same command tries again" in last) == (code == 3)


def test_a_refused_judge_changes_nothing_in_the_run_of_another(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(sound) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
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
    lost: str, part: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    english = {control.item.query.text for control in written_controls(["en"])}

    def reply(request: dict[str, Any], number: int) -> Scripted:
        prompt = request["messages"][1]["content"]
        asked, answer = (between_fences(prompt, label).strip() for label in ("QUESTION", "ANSWER TO GRADE"))
        gone = asked in english and (lost == "en" or not answer)
        return Scripted("lost", status=400) if gone else sound_reply(request)

    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main([*RUN, "--lang", "en,ru,zh"]) == 3
        assert part in capsys.readouterr().err.splitlines()[-1]
        assert judged() == 0 and not Path("r/controls.json").exists()
        assert main(["judge-controls", "--judge", "openai:j", "--lang", "en,ru,zh"]) == 3
        assert part in capsys.readouterr().err.splitlines()[-1]


def test_an_endpoint_that_is_gone_stops_and_the_same_command_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_LINK", "http://127.0.0.1:9/v1")
    assert main(RUN) == 3
    with chat_server(sound) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main(RUN) == 0
    assert judged() == 3


def test_the_command_tells_people_and_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(lenient) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
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
    assert not Path(".ragaliq").exists()


def test_controls_of_a_benchmark(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(lambda request, number: Scripted("[RESULT] 5")) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
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


@pytest.mark.slow
def test_nothing_measured_is_no_pass(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with chat_server(lambda request, number: Scripted("gone", status=500)) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
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


def test_a_member_that_fails_is_not_hidden_by_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    panel = [*RUN, "--judge", "panel:openai:a+openai:bad+openai:c"]
    with chat_server(of("bad", number=5)) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
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


def test_a_member_that_is_gone_has_not_passed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(of("bad", number=5, lost=True)) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main([*RUN, "--judge", "panel:openai:a+openai:bad+openai:c"]) == 3
    last = capsys.readouterr().err.splitlines()[-1]
    assert "judge 'openai:bad': 35 of 35 calls failed" in last and "HTTP 400" in last and judged() == 0


@pytest.mark.slow
def test_beginning_anew_removes_a_run_only_when_the_judge_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([*RUN, "--judge", "offline"]) == 0
    before = {path.name: path.read_bytes() for path in Path("r").iterdir()}
    with chat_server(lenient) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main([*RUN, "--fresh"]) == 1
    after = {path.name: path.read_bytes() for path in Path("r").iterdir()}
    assert after.keys() - before.keys() == {"controls.json"} and {**after, **before} == after
    with chat_server(sound) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main([*RUN, "--fresh", "--no-cache"]) == 0
        assert len(server.requests) == WRITTEN + 3 and judged() == 3
        assert json.loads(Path("r/config.json").read_text())["judge"]["name"] == "openai:j"
        # The pass is remembered.
        assert main([*RUN, "--no-cache", "--limit", "4"]) == 0 and len(server.requests) == WRITTEN + 4
        assert main([*RUN, "--no-cache", "--fresh"]) == 0 and len(server.requests) == 2 * (WRITTEN + 4) - 1


def test_a_certified_judge_gives_way_by_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(sound) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main([*RUN, "--judge", "openai:smart-2"]) == 0
    assert main([*RUN, "--judge", "offline"]) == 2
    assert "(judge: openai:smart-2 then, offline now)" in capsys.readouterr().err


def test_the_tables_say_how_they_are_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with chat_server(lenient) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main(["judge-controls", "--judge", "openai:j", "--lang", "fr", "--attacks"]) == 1
        assert len(server.requests) == WRITTEN + 2 * 16
    said = capsys.readouterr()
    assert "\n!: fewer controls are within the bound than must be\n" in said.out
    assert "The shift of the grade leaves out grades of 0" in said.out and "a 0 is worth .4" in said.out
    assert said.err.splitlines()[-1].startswith("ragaliq: controls: judge 'openai:j' fails them (number in fr: 0 of 5")
