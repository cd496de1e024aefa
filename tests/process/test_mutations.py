"""Two thousand broken files over every loader of user input: read, or refused in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[2] / "studies" / "mutations" / "run.py"


@pytest.mark.slow
def test_no_loader_fails_on_a_broken_file() -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, str(RUN), "--n", "2000", "--seed", "7"],
        env=environment, capture_output=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout.decode()
    assert b"2000 inputs" in done.stdout and b" 0 faults" in done.stdout
