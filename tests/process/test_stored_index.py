"""`ragaliq index`: runs and rankings with an index on disk are those without; a killed one goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragaliq.cli import main

pytestmark = pytest.mark.slow
EMBEDDER = """
import hashlib, os
import numpy as np

class Counted:
    def __str__(self):
        return "counted"

    def embed(self, texts, side):
        if str(side) == "passage":
            with open("embedded.txt", "a") as file:
                file.write("".join(hashlib.sha256(text.encode()).hexdigest() + "\\n" for text in texts))
        rows = np.array([list(hashlib.sha256(text.encode()).digest()[:16]) for text in texts], dtype=np.float32) - 127
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
"""
SMALL_BLOCKS = (
    "import sys; from ragaliq.retrieve.stored import blocks; blocks.BLOCK = 20; "
    "from ragaliq.cli import main; sys.exit(main(sys.argv[1:]))"
)


def files(run: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in run.iterdir() if file.name != "timings.jsonl"}


@pytest.mark.parametrize("retriever", ["hybrid", "bm25", "dense"])
def test_a_run_with_an_index_is_the_run_without_in_six_languages(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, retriever: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.yaml").write_text(f"retriever: {retriever}\n", encoding="utf-8")
    assert main(["index", str(sample), "--out", "index", "--config", "s.yaml"]) == 0
    shared = ["run", "s.yaml", "--data", str(sample), "--limit", "4", "--check", "none"]
    assert main([*shared, "--out", "runs/without"]) == 0
    assert main([*shared, "--out", "runs/with", "--index", "index"]) == 0
    assert files(tmp_path / "runs/with") == files(tmp_path / "runs/without")


def test_a_ranking_with_an_index_is_the_ranking_without(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["index", str(sample), "--out", "index", "--retriever", "bm25", "--lang", "ru,zh"]) == 0
    shared = ["retrieve", "--data", str(sample), "--retriever", "bm25"]
    assert main([*shared, "--lang", "ru,zh", "--out", "without.{lang}.trec"]) == 0
    assert main([*shared, "--lang", "ru,zh", "--out", "with.{lang}.trec", "--index", "index"]) == 0
    for lang in ("ru", "zh"):
        assert Path(f"with.{lang}.trec").read_bytes() == Path(f"without.{lang}.trec").read_bytes()
    capsys.readouterr()
    assert main([*shared, "--lang", "de", "--out", "de.trec", "--index", "index"]) == 2
    assert "index/index.json: languages: has no 'de'" in capsys.readouterr().err
    assert main([*shared, "--lang", "ru", "--out", "ru.trec", "--index", "index", "--option", "k1=2"]) == 2
    assert "index/index.json: languages.ru.words.k1: 0.9 in this index, 2 wanted" in capsys.readouterr().err


def test_an_index_that_was_killed_goes_on_behind_its_last_block(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(EMBEDDER, encoding="utf-8")
    command = [
        sys.executable, "-c", SMALL_BLOCKS, "index", str(sample), "--out", "index",
        "--retriever", "dense", "--embedder", "python:own:Counted",
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=tmp_path, env=dict(os.environ), stderr=subprocess.DEVNULL)
    count = tmp_path / "embedded.txt"
    while process.poll() is None and not (count.is_file() and count.read_bytes().count(b"\n") >= 200):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "index" / "index.json").exists()
    done = subprocess.run(command, cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    embedded = count.read_text(encoding="utf-8").splitlines()
    # At most the block that was under way is embedded twice.
    assert 0 <= len(embedded) - len(set(embedded)) <= 20
