"""A page of 20,000 items: small enough to be sent, and made without holding the runs in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from page_runs import write_page_runs

MEASURED = r"""
import re, sys
from pathlib import Path
from ragaliq.cli import main
code = main(["report", *sys.argv[2:], "--format", "html", "--out", sys.argv[1]])
# kB, of this program alone: what getrusage calls the maximum may be that of the process that started it.
print(code, re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.slow
def test_20_000_items_make_a_page_of_less_than_25_mb(tmp_path: Path) -> None:
    runs = write_page_runs(tmp_path)
    command = [sys.executable, "-c", MEASURED, str(tmp_path / "out"), *[str(run.path) for run in runs]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    code, kilobytes = done.stdout.splitlines()[-1].split()
    assert (code, done.stderr) == ("0", "")
    page = tmp_path / "out" / "report.html"
    assert 5_000_000 < page.stat().st_size <= 25_000_000
    # The runs are 170 MB.
    assert int(kilobytes) < 450_000
