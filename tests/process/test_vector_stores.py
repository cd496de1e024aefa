"""The same run with vectors in memory, on a Chroma server and in Milvus; and a server that is killed under a run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chroma_server import ChromaServer

pytestmark = pytest.mark.slow
LANGS = "en,ru,zh"


def config(path: Path, server: str = "", search: str = "exact", kind: str = "dense") -> Path:
    path.write_text(
        json.dumps({"embedder": "char-ngrams", "retriever": {"kind": kind, "server": server, "search": search}}),
        encoding="utf-8",
    )
    return path


def run(folder: Path, name: str, *more: str, kill: Callable[[subprocess.Popen[str]], None] | None = None) -> Any:
    command = [sys.executable, "-m", "ragaliq", "run", f"{name}.yaml", "--lang", LANGS, "--out", f"runs/{name}", *more]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    if kill is not None:
        kill(process)
    out, err = process.communicate(timeout=200)
    return process.returncode, out, err


def rankings(folder: Path, name: str) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (folder / "runs" / name).glob("*.trec")}


def recalls(err: str) -> list[float]:
    return [float(share) for share in re.findall(r"approximate search found (\d+\.\d) %", err)]


def shared_top(one: bytes, two: bytes, k: int = 10) -> float:
    """The share of the first `k` documents of each query in one run that the other has there, too."""

    def top(run: bytes) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for line in run.decode().splitlines():
            query, _, doc, rank, *_ = line.split()
            if int(rank) <= k:
                found.setdefault(query, set()).add(doc)
        return found

    first, second = top(one), top(two)
    return sum(len(docs & second[query]) for query, docs in first.items()) / sum(map(len, first.values()))


def check_same(folder: Path, server: str, data: Path) -> None:
    """The run with vectors elsewhere ranks as the embedded one; its approximate search within what it says."""
    for name, where, search in (("embedded", "", "exact"), ("exact", server, "exact"), ("near", server, "approximate")):
        config(folder / f"{name}.yaml", where, search)
        code, _, err = run(folder, name, "--data", str(data), "--limit", "12", "--check", "none")
        assert code == 0, err
    assert rankings(folder, "exact") == rankings(folder, "embedded")
    shares = recalls(err)
    assert len(shares) == 3
    near = rankings(folder, "near")
    for share, (name, ranked) in zip(shares, sorted(near.items()), strict=True):
        # The note is of the depth that is retrieved, of which the first ten are a part.
        assert shared_top(rankings(folder, "embedded")[name], ranked) >= share / 100 - 0.05


def test_a_chroma_server_ranks_as_the_embedded_store(sample: Path, tmp_path: Path) -> None:
    with ChromaServer(tmp_path / "kept") as server:
        check_same(tmp_path, server.address, sample)


@pytest.mark.milvus
def test_milvus_lite_ranks_as_the_embedded_store(sample: Path, tmp_path: Path) -> None:
    check_same(tmp_path, "milvus:vectors.db", sample)


def test_a_server_killed_under_a_run_stops_it_and_the_same_command_goes_on(sample: Path, tmp_path: Path) -> None:
    more = ["--data", str(sample), "--limit", "60", "--no-judge", "--check", "none"]
    config(tmp_path / "embedded.yaml")
    assert run(tmp_path, "embedded", *more)[0] == 0
    with ChromaServer(tmp_path / "kept") as server:
        # Approximate: each query asks the server. On a corpus of this size its index finds what exact search does.
        config(tmp_path / "killed.yaml", server.address, "approximate")

        def kill(process: subprocess.Popen[str]) -> None:
            answers = tmp_path / "runs" / "killed" / "answers.jsonl"
            while process.poll() is None and not (answers.is_file() and answers.read_bytes().count(b"\n") >= 20):
                time.sleep(0.01)
            server.kill()

        code, _, err = run(tmp_path, "killed", *more, kill=kill)
        assert code == 3, err
        assert f"{server.address}: the Chroma server went away (" in err
        assert "start it again, the same command goes on" in err and "Traceback" not in err
        begun = (tmp_path / "runs" / "killed" / "answers.jsonl").read_bytes().splitlines()
        assert 20 <= len(begun) < 180
        code, _, err = run(tmp_path, "killed", *more)
        assert code == 2 and "no Chroma server answers" in err
        server.start()
        code, _, err = run(tmp_path, "killed", *more)
    assert code == 0, err
    lines = (tmp_path / "runs" / "killed" / "answers.jsonl").read_bytes().splitlines()
    assert len(lines) == len(set(lines)) == 180 and set(begun) <= set(lines)
    assert recalls(err) == [100.0, 100.0, 100.0] or min(recalls(err)) > 95


@pytest.mark.milvus
def test_a_run_killed_while_milvus_is_written_goes_on(sample: Path, tmp_path: Path) -> None:
    more = ["--data", str(sample), "--limit", "12", "--no-judge", "--check", "none"]
    config(tmp_path / "embedded.yaml")
    config(tmp_path / "killed.yaml", "milvus:vectors.db")
    assert run(tmp_path, "embedded", *more)[0] == 0

    def kill(process: subprocess.Popen[str]) -> None:
        place = tmp_path / "vectors.db"
        while process.poll() is None and not place.exists():
            time.sleep(0.005)
        process.kill()

    assert run(tmp_path, "killed", *more, kill=kill)[0] == -9
    code, _, err = run(tmp_path, "killed", *more)
    assert code == 0, err
    assert rankings(tmp_path, "killed") == rankings(tmp_path, "embedded")
