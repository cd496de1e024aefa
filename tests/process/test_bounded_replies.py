"""Replies without end, and packed ones: the command ends with typed failures, and takes little more memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, chat_server

MORE_MB = 150
ROWS = {"judge": "verdicts.jsonl", "reader": "answers.jsonl"}


def endless() -> Iterator[bytes]:
    while True:
        yield b"x" * 2**20


@cache
def packed() -> bytes:
    """A gigabyte in a megabyte."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*(packer.compress(bytes(2**20)) for _ in range(1024)), packer.flush()])


def bomb() -> Iterator[bytes]:
    yield packed()


ENDLESS = Scripted(blocks=endless)
BOMB = Scripted(blocks=bomb, headers={"content-encoding": "gzip"})


def run(folder: Path, reply: Scripted, role: str) -> tuple[float, list[dict[str, Any]]]:
    """Run a command whose endpoint gives one reply; return its peak memory in MB, and what it wrote for the role."""
    folder.mkdir()
    with chat_server(lambda request, number: reply) as server:
        parts = {"judge": "judge: openai", "reader": f"reader: http:{server.link}/ask"}
        (folder / "system.yaml").write_text(f"{parts[role]}\nretriever: bm25\nreranker: none\n")
        environment = {**os.environ, "TOKEN": "sk-0123456789", "JUDGE_API_LINK": server.link, "JUDGE_MODEL": "m"}
        command = [sys.executable, "-m", "ragaliq", "run", "system.yaml", "--data", "../small", "--lang", "de,ru,zh",
                   "--check", "none",
                   "--no-controls" if role == "judge" else "--no-judge", "--out", "runs/one"]  # fmt: skip
        with (folder / "errors.txt").open("w+") as errors:
            child = subprocess.Popen(command, cwd=folder, env=environment, stderr=errors, stdout=errors)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            said = errors.read()
    assert "Traceback" not in said and child.returncode in (0, 1), said
    lines = (folder / "runs/one" / ROWS[role]).read_text(encoding="utf-8").splitlines()
    return used.ru_maxrss / 1024, [row for row in map(json.loads, lines) if "query_id" in row]


@pytest.mark.slow
@pytest.mark.parametrize("role", ["judge", "reader"])
def test_a_reply_without_end_costs_little_memory_and_is_a_typed_failure(role: str, small: Path, tmp_path: Path) -> None:
    (tmp_path / "small").symlink_to(small)
    # Made once, and not by every thread of the server.
    packed()
    ordinary = Scripted("[RESULT] 3") if role == "judge" else Scripted(raw='{"answer": "答案是三。"}')
    usual, graded = run(tmp_path / "ordinary", ordinary, role)
    for name, reply in {"endless": ENDLESS, "bomb": BOMB}.items():
        peak, rows = run(tmp_path / name, reply, role)
        assert peak - usual <= MORE_MB, name
        assert len(rows) == len(graded)
        if role == "judge":
            assert {(row["outcome"], row["grade"]) for row in rows} == {("api_error", None)}
        else:
            assert {row["outcome"] for row in rows} == {"error"}
        assert all("longer than 16 MB" in json.dumps(row) for row in rows)
