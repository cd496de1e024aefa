"""`ragaliq judge-controls`, and the gate that it is in `run` and `judge`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, chat_server, sound_reply
from ragaliq.cli import main
from ragaliq.judge.controls import Kind

RUN = ["run", "--lang", "zh", "--limit", "3", "--judge", "openai:j", "--out", "r"]
WRITTEN = 5 * len(Kind)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("ragaliq.llm.client._FIRST_WAIT_S", 0.001)
    monkeypatch.chdir(tmp_path)
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
    assert main(["run", "--lang", "zh", "--limit", "3", "--out", "r"]) == 0
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
    assert value["n"] == WRITTEN + len(own) == len(server.requests)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--lang", "xx"], "--lang xx: no hand-written controls"),
        (["--judge", "ofline"], "did you mean 'offline'"),
        (["--data", "nowhere"], "nowhere"),
    ],
)
def test_wrong_input_is_one_line(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge-controls", *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
