"""`ragaliq check`: the command from its arguments to what it prints."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, answered, chat_server, checking_reply, hits, write_run_folder
from ragaliq.cli import check
from ragaliq.errors import InputError
from ragaliq.runs.rows import RunAnswer, run_answer_to_row
from ragaliq.storage.files import write_jsonl

FINDINGS = json.dumps(
    {"sentences": [{"sentence": 1, "support": "partly", "passage": 1}], "abstains": "no", "in_language": "yes"}
)


@pytest.fixture(autouse=True)
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    for name in ("TOKEN", "JUDGE_API_LINK", "JUDGE_MODEL"):
        monkeypatch.delenv(name, raising=False)
    folder = write_run_folder(Path("r"), [5])
    texts = {"en": "The sky above the harbour is blue today.", "zh": "今天港口上空的天空是蓝色的，没有云。"}
    rows = [_shown(answered("q1", text, lang), text) for lang, text in texts.items()]
    write_jsonl(folder.answers_file, [{**run_answer_to_row(row), "in_language": True} for row in rows])
    return "r"


def _shown(one: RunAnswer, passage: str) -> RunAnswer:
    return replace(one, answer=replace(one.answer, context=tuple(hits(passage))))


def call(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    check.add_parser(parser.add_subparsers())
    parsed = parser.parse_args(["check", *arguments])
    code: int = parsed.call(parsed)
    return code


def test_a_table_per_run_goes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("r") == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "r, checked by offline"
    assert out[4] == "| en | 1 | 1.000 | 0.000 | 1.000 | 0.000 | 0.000 | 0.000 | 1 | 0.000 | 1 | 1/1 | 1/1 |"
    assert out[5].startswith("| zh | 1 | 1.000 | 0.000 | 1.000 |")
    assert Path("r/checks.jsonl").read_text().count("\n") == 2


def test_json_has_the_same_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("r", "--format", "json") == 0
    english, chinese = json.loads(capsys.readouterr().out)
    assert (english["run"], english["judge"], english["lang"], chinese["lang"]) == ("r", "offline", "en", "zh")
    assert english["supported"] == {"value": 1.0, "n": 1}


def traces() -> list[str]:
    return Path("r/traces.jsonl").read_text(encoding="utf-8").splitlines()


def test_a_model_is_asked_and_too_few_findings_are_a_gate(capsys: pytest.CaptureFixture[str]) -> None:
    broken = True

    def reply(request: dict[str, Any], number: int) -> Scripted:
        prompt = request["messages"][1]["content"]
        if "reference answer" in prompt:
            return checking_reply(request)
        chinese = "港口" in prompt
        return Scripted("no idea" if broken and chinese else FINDINGS)

    with chat_server(reply) as server:
        Path(".env").write_text(f"TOKEN=t\nJUDGE_API_LINK={server.link}\n")
        assert call("r", "--judge", "openai:m") == 1
        # Two answers, and the context of each.
        assert len(traces()) == 4
        captured = capsys.readouterr()
        assert "| zh | 1 | 0.000 | — | — | — | — | — | 0 | — | 0 | — | — |" in captured.out
        assert "r: 1 answer unparseable, such as: no idea; the same command asks again" in captured.err
        assert "r: zh: only 0 of 1 answers could be checked, less than --min-coverage 0.95" in captured.err
        assert "check: 4 calls" in captured.err
        broken = False
        assert call("r", "--judge", "openai:m", "--no-traces") == 0
        assert len(traces()) == 4
        assert len(server.requests) == 5
        with pytest.raises(InputError, match="--replace"):
            call("r")
        assert call("r", "--replace") == 0
    rows = [json.loads(line) for line in Path("r/checks.jsonl").read_text().splitlines()]
    assert {row["judge"] for row in rows} == {"offline"}


def test_no_run_is_a_wrong_input() -> None:
    with pytest.raises(InputError, match="elsewhere: no such folder"):
        call("elsewhere")


def test_answers_that_are_missing_count_and_the_columns_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    config = json.loads(Path("r/config.json").read_text())
    config["expected"] = {"en": {"answerable": 3, "unanswerable": 1}, "ru": {"answerable": 2, "unanswerable": 0}}
    Path("r/config.json").write_text(json.dumps(config))
    assert call("r") == 1
    said = capsys.readouterr()
    assert "| en | 4 | 0.250 | 0.000 | 1.000 |" in said.out and "| ru | 2 | 0.000 | — |" in said.out
    assert "r: en: only 1 of 4 answers could be checked" in said.err
    legend = said.out.splitlines()[-1]
    assert all(
        f"{column}" in legend
        for column in ("n:", "coverage:", "language known:", "as refusal detector", "as language detector")
    )
