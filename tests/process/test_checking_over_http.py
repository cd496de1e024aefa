"""The separate questions asked of a model behind a real HTTP server on the loopback, from plan to results.md."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, chat_server, checking_reply
from ragaliq import Hit, Query, Reading, load_benchmark
from ragaliq.cli import main
from ragaliq.text.sentences import sentences
from ragaliq.types import AnswerOutcome, CitedSentence

TOKEN = "sk-secret-1234567890"
FILES = ("checks.jsonl", "nugget_scores.jsonl", "context_scores.jsonl")
# Parts that cost no time.
SYSTEM = "retriever: bm25\nreranker: none\nreader: python:fakes:FixedReader\n"
DATA = ["c.yaml", "--data", "small", "--lang", "de"]
RUN = ["run", *DATA, "--no-judge", "--check", "openai:m", "--out"]


@pytest.fixture(autouse=True)
def quick(small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wait little between attempts, and find no `.env` of somebody else."""
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.chdir(tmp_path)
    Path("small").symlink_to(small)
    Path("c.yaml").write_text(SYSTEM)
    for name in ("TOKEN", "JUDGE_API_LINK", "JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)


def kind(request: dict[str, Any]) -> str:
    prompt = request["messages"][1]["content"]
    return "nuggets" if " FACT 1\n" in prompt else "context" if "reference answer, cut into" in prompt else "check"


def rows(run: str, name: str) -> dict[str, dict[str, Any]]:
    listed = [json.loads(line) for line in Path(run, name).read_text(encoding="utf-8").splitlines()]
    return {row["query_id"]: row for row in listed}


def table(text: str, column: str) -> dict[str, str]:
    """The first row of the table that has a column."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if f" {column} |" in line)
    head, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in (lines[start], lines[start + 2]))
    return dict(zip(head, row, strict=True))


def calls(said: str) -> dict[str, int]:
    """The calls of each stage in a plan."""
    cells = [line.strip("|").split("|") for line in said.splitlines() if line.startswith("|") and "openai:" in line]
    return {row[0].strip(): int(row[3]) for row in cells}


def test_a_plan_counts_what_a_run_then_asks_and_the_figures_are_published(capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []

    def reply(request: dict[str, Any], number: int) -> Scripted:
        asked.append(kind(request))
        return checking_reply(request)

    with chat_server(reply) as server:
        Path(".env").write_text(f"TOKEN={TOKEN}\nJUDGE_API_LINK={server.link}\n")
        planning = ["plan", *DATA, "--check", "openai:m", "--out", "results/r"]
        assert main(planning) == 0
        planned = calls(capsys.readouterr().out)
        assert asked == []
        assert main(["run", *planning[1:]]) == 0
        made = {name: asked.count(name) for name in ("check", "nuggets", "context")}
        assert made == {name: planned[name] for name in made}
        # Eight queries, of which seven are answerable and have nuggets.
        assert made == {"check": 8, "nuggets": 7, "context": 7}
        capsys.readouterr()
        assert main(planning) == 0
        assert not calls(capsys.readouterr().out).keys() & made.keys()
    german = json.loads(Path("results/r/metrics.json").read_text())["context"]["de"]
    assert (german["n"], german["n_expected"], german["coverage"]) == (7, 7, 1.0)
    # Of each context the first chunk is useful, and of each reference the first sentence is supported.
    n_statements = [len(row["statements"]) for row in rows("results/r", FILES[2]).values() if row["statements"]]
    assert german["precision"]["value"] == 1.0 and german["precision"]["ci"][0] < 1.0
    assert german["recall"]["value"] == pytest.approx(sum(1 / n for n in n_statements) / 7)
    text = Path("results/results.md").read_text(encoding="utf-8")
    cells = table(text, "context precision")
    assert cells["n context"] == "7/7" and cells["context precision"].startswith("1.000 (")
    assert cells["supported"] != "—" and cells["nuggets: all"] != "—"
    assert "context judged by `openai:m " in text and TOKEN not in text
    traces = Path("results/r/traces.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(traces) == sum(made.values()) and TOKEN not in "".join(traces)


class Citing:
    """Cites both of its sentences from what it was shown, and a document that it was not shown."""

    def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        first, *_, last = (hit.chunk.doc_id for hit in context)
        cited = (CitedSentence("It is blue.", (first, "elsewhere")), CitedSentence("It is red.", (first, last)))
        return Reading("It is blue. It is red.", AnswerOutcome.ANSWERED, sentences=cited)


def test_a_plan_counts_citations(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def reply(request: dict[str, Any], number: int) -> Scripted:
        asked.append(kind(request))
        return checking_reply(request)

    monkeypatch.setitem(sys.modules, "own_parts", sys.modules[__name__])
    Path("c.yaml").write_text(SYSTEM.replace("fakes:FixedReader", "own_parts:Citing"))
    with chat_server(reply) as server:
        Path(".env").write_text(f"TOKEN={TOKEN}\nJUDGE_API_LINK={server.link}\n")
        # Nobody knows yet what will be cited.
        for lang in ("de", "en", "zh"):
            assert main(["plan", "c.yaml", "--data", "small", "--lang", lang, *RUN[4:], "r"]) == 0
            said = capsys.readouterr().out
            references = [item.reference for item in load_benchmark("small", [lang]).items[lang]]
            assert calls(said)["citations"] == 2 * sum(len(sentences(text)) for text in references), lang
            assert "Citations: of answers that are still to come, one for" in said
        main(["run", *DATA, "--no-judge", "--check", "none", "--out", "r"])
        capsys.readouterr()
        assert main(["plan", *RUN[1:], "r"]) == 0
        planned = calls(capsys.readouterr().out)
        main([*RUN, "r", "--no-cache"])
        assert planned["citations"] == 8 * 3 and asked.count("check") == planned["check"] + planned["citations"]
        capsys.readouterr()
        assert main(["plan", *RUN[1:], "r"]) == 0
        assert not calls(capsys.readouterr().out)


def test_what_is_lost_is_asked_again_and_nothing_else() -> None:
    broken = True
    asked: list[str] = []

    def reply(request: dict[str, Any], number: int) -> Scripted:
        asked.append(kind(request))
        lost = broken and asked[-1] == "context" and asked.count("context") % 2
        return Scripted(status=400) if lost else checking_reply(request)

    with chat_server(reply) as server:
        Path(".env").write_text(f"TOKEN={TOKEN}\nJUDGE_API_LINK={server.link}\n")
        main([*RUN, "r", "--concurrency", "1"])
        lost = [key for key, row in rows("r", FILES[2]).items() if row["outcome"] == "api_error"]
        assert lost and all(rows("r", FILES[2])[key]["scores"]["precision"] is None for key in lost)
        broken = False
        asked.clear()
        main([*RUN, "r"])
        assert asked == ["context"] * len(lost)
        whole = Path("r", FILES[2]).read_bytes()
        # Killed in the middle of a line.
        kept = whole.splitlines(keepends=True)
        Path("r", FILES[2]).write_bytes(b"".join(kept[:3]) + kept[3][:20])
        main([*RUN, "r"])
        assert Path("r", FILES[2]).read_bytes() == whole
        # Its reply was kept.
        assert asked == ["context"] * len(lost)
    assert {row["outcome"] for row in rows("r", FILES[2]).values()} == {"scored"}


def test_judge_takes_a_checker_and_offline_findings_give_way() -> None:
    with chat_server(lambda request, number: checking_reply(request)) as server:
        Path(".env").write_text(f"TOKEN={TOKEN}\nJUDGE_API_LINK={server.link}\n")
        assert main(["run", *DATA, "--out", "results/r"]) == 0
        assert not Path("results/r", FILES[2]).exists()
        offline = json.loads(Path("results/r/metrics.json").read_text())["context"]["de"]
        assert (offline["coverage"], offline["precision"]["value"], offline["judges"]) == (None, None, [])
        assert "context precision" not in Path("results/results.md").read_text(encoding="utf-8")
        assert main(["judge", "results/r", "--judge", "offline", "--check", "openai:m"]) == 0
        assert {row["judge"] for name in FILES for row in rows("results/r", name).values()} == {"openai:m"}
        recorded = json.loads(Path("results/r/config.json").read_text())["check"]
        assert recorded["name"] == recorded["nuggets"]["name"] == recorded["context"]["name"] == "openai:m"
        model = json.loads(Path("results/r/metrics.json").read_text())
        assert model["context"]["de"]["coverage"] == model["groundedness"]["de"]["coverage"] == 1.0


def test_a_reader_that_searches_by_itself_has_no_context_to_judge(capsys: pytest.CaptureFixture[str]) -> None:
    with chat_server(lambda request, number: checking_reply(request)) as server:
        Path(".env").write_text(f"TOKEN={TOKEN}\nJUDGE_API_LINK={server.link}\n")
        Path("c.yaml").write_text(SYSTEM.replace("bm25", "none"))
        assert main(["plan", *RUN[1:], "r"]) == 0
        assert calls(capsys.readouterr().out) == {"check": 8, "nuggets": 7}
        main([*RUN, "r"])
    assert len(rows("r", FILES[0])) == 8 and not Path("r", FILES[2]).exists()
