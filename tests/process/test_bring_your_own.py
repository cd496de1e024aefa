"""Own systems, evaluated from the README's text as written: its files, its commands."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECTION = (ROOT / "README.md").read_text(encoding="utf-8").split("## Bring your own system")[1].split("\n## ")[0]
BLOCKS = dict(
    zip(re.findall(r"`(my_\w+\.py)`", SECTION), re.findall(r"```python\n(.*?)```", SECTION, re.S), strict=True)
)
COMMANDS: list[str] = re.findall(r"```bash\n(.*?)\n```", SECTION, re.S)


def run(cwd: Path, command: str) -> list[dict[str, Any]]:
    words = shlex.split(command)
    assert words[:2] == ["ragaliq", "run"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src"), "HOME": str(cwd)}
    program = [sys.executable, "-m", *words]
    done = subprocess.run(program, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    out = cwd / words[words.index("--out") + 1]
    rows = [json.loads(line) for line in (out / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 5 and "graded 5/5" in done.stdout
    return rows


def command(name: str) -> str:
    return next(text for text in COMMANDS if f"results/{name}" in text)


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    for name, code in BLOCKS.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    return tmp_path


def test_the_readme_shows_four_systems() -> None:
    assert sorted(BLOCKS) == ["my_bot.py", "my_chain.py", "my_rag.py", "my_server.py"] and len(COMMANDS) == 4


@pytest.mark.slow
def test_a_chatbot_with_stages_of_its_own(cwd: Path) -> None:
    for row in run(cwd, command("my_bot")):
        texts = [hit["text"] for hit in row["context"]]
        # Its order is by length; the last text may be cut.
        assert row["answer"] == texts[0].split(". ")[0] and len(texts[0]) <= len(texts[1])


@pytest.mark.slow
def test_a_plain_function(cwd: Path) -> None:
    assert {row["answer"] for row in run(cwd, command("my_rag"))} == {"The canteen opens at seven."}


@pytest.mark.slow
def test_a_langchain_chain_of_five_lines(cwd: Path) -> None:
    assert len([line for line in BLOCKS["my_chain.py"].splitlines() if line]) == 5
    for row in run(cwd, command("my_chain")):
        assert row["lang"] == "de" and row["answer"] == row["context"][0]["text"].splitlines()[0]


@pytest.mark.slow
def test_an_http_endpoint(cwd: Path) -> None:
    server = subprocess.Popen([sys.executable, "my_server.py"], cwd=cwd, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and server.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", 8080)) == 0:
                    break
            time.sleep(0.05)
        assert server.poll() is None, "another program holds the port"
        for row in run(cwd, command("my_server")):
            assert row["lang"] == "zh" and row["answer"] == row["context"][0]["text"]
    finally:
        server.terminate()
        server.wait(10)
