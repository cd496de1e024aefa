"""A run behind real endpoints, killed again and again: nothing done is lost, nothing finished is asked again."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fakes import ChatServer, Scripted, chat_server

ROOT = Path(__file__).resolve().parents[2]
# `.ci/run` kills three times.
KILLS, ITEMS = int(os.environ.get("RAGALIQ_KILLS", "3")), 100
LATENCY_S = 0.02
STABLE = ("answers.jsonl", "verdicts.jsonl", "waterfall.jsonl", "metrics.json")


class Endpoint:
    """Reader and judge whose replies depend on the request alone, and a record of who asked for what."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.begun = threading.Event()

    def reply(self, request: dict[str, Any], number: int) -> Scripted:
        text = request["messages"][1]["content"]
        drawn = int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)
        self.asked.append((request["model"], question(text)))
        self.begun.set()
        said = f"Antwort {drawn}." if request["model"] == "reader" else f"Feedback: weighed. [RESULT] {drawn % 6}"
        return Scripted(said, delay_s=LATENCY_S)


def question(prompt: str) -> str:
    """The question inside the reader's or the judge's prompt, which end and begin with it."""
    found = re.search(r"QUESTION\n(.*)\n", prompt)
    return found[1] if found else prompt.strip().splitlines()[-1]


def start(cwd: Path, server: ChatServer) -> subprocess.Popen[str]:
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(cwd), "TOKEN": "t", "JUDGE_API_LINK": server.link,
    }  # fmt: skip
    options = ["--lang", "de,zh", "--limit", str(ITEMS // 2), "--out", "results/r", "--concurrency", "2", "--no-cache",
               "--no-controls"]  # fmt: skip
    command = [sys.executable, str(ROOT / "eval.py"), "system.yaml", *options]
    return subprocess.Popen(command, cwd=cwd, env=environment, stderr=subprocess.PIPE, text=True)


def finished(cwd: Path, name: str) -> dict[tuple[str, str], dict[str, Any]]:
    path = cwd / "results" / "r" / name
    data = path.read_bytes() if path.exists() else b""
    lines = data[: data.rfind(b"\n") + 1].decode().splitlines()
    return {(row["lang"], row["query_id"]): row for row in map(json.loads, lines)}


def system(cwd: Path) -> Path:
    (cwd / "system.yaml").write_text("reader: openai:reader\njudge: openai:judge\nretriever: bm25\nreranker: none\n")
    return cwd


@pytest.mark.slow
def test_kills_lose_nothing_and_repeat_nothing(tmp_path_factory: Any) -> None:
    drawn = random.Random(7)
    endpoint = Endpoint()
    calm, killed = system(tmp_path_factory.mktemp("calm")), system(tmp_path_factory.mktemp("killed"))
    with chat_server(endpoint.reply) as server:
        process = start(calm, server)
        assert process.wait(120) == 0
        assert len(endpoint.asked) == 2 * ITEMS

        endpoint.asked.clear()
        kills = 0
        while kills < KILLS:
            answers, verdicts = finished(killed, "answers.jsonl"), finished(killed, "verdicts.jsonl")
            before = len(endpoint.asked)
            endpoint.begun.clear()
            process = start(killed, server)
            while not endpoint.begun.wait(0.01) and process.poll() is None:
                pass
            # Two under way at a time: about four items more in this time.
            time.sleep(drawn.uniform(0.0, 4 * LATENCY_S))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
            process.wait(60)
            assert process.stderr is not None
            bars = process.stderr.read()
            time.sleep(2 * LATENCY_S)
            for name, stage, old in (("answers.jsonl", "answering", answers), ("verdicts.jsonl", "judging", verdicts)):
                now = finished(killed, name)
                assert old.items() <= now.items(), "nothing that was done is lost"
                reported = max((int(n) for n in re.findall(rf"{stage}[^|]*\|[^|]*\| (\d+)/", bars)), default=0)
                assert len(now) - len(old) >= reported, "what the bar reported is on disk"
            done = {("reader", row["question"]) for row in answers.values()}
            done |= {("judge", answers[key]["question"]) for key in verdicts}
            assert not done & set(endpoint.asked[before:]), "a finished item is not asked again"
            if process.returncode == 0:
                break
        assert kills == KILLS, f"the run was over after {kills} kills"
        process = start(killed, server)
        assert process.wait(120) == 0
    for name in STABLE:
        assert (killed / "results" / "r" / name).read_bytes() == (calm / "results" / "r" / name).read_bytes()
