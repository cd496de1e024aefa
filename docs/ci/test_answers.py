"""Fails where the answers of results/candidate are worse than those of results/baseline."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

MARGIN = ".05"


def test_answers_are_not_worse() -> None:
    """Not worse by the margin in any language."""
    paths = ["results/baseline", "results/candidate"]
    command = [sys.executable, "-m", "ragaliq", "compare", *paths, "--gate", MARGIN, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode in (0, 1), done.stderr
    gate = json.loads(done.stdout)["gate"]
    if gate["outcome"] == "inconclusive":
        pytest.skip(f"undecided: about {gate['queries_needed']} different queries would decide")
    lost = {cell["lang"]: [change["query"] for change in cell["lost"]] for cell in gate["cells"] if cell["lost"]}
    assert gate["outcome"] == "pass", f"worse than the baseline; queries that lost most, by language: {lost}"
