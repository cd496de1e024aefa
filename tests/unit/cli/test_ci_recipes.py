"""The workflow and the test in `docs/ci` do what `docs/ci.md` says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from graded_runs import write_graded_run

DOCS = Path(__file__).parents[3] / "docs"
GOOD, BAD = [5, 4, 3, 5, 0, 2] * 20, [5, 1, 3, 1, 0, 2] * 20


def workflow() -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load((DOCS / "ci" / "answers.yml").read_text(encoding="utf-8"))
    return found


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = workflow()["jobs"]["answers"]["steps"]
    return found


def write_runs(folder: Path, candidate: list[int], n: int = 120) -> None:
    write_graded_run(folder / "results" / "baseline", {lang: GOOD[:n] for lang in ("es", "zh")})
    write_graded_run(folder / "results" / "candidate", {"es": GOOD[:n], "zh": candidate[:n]})


def test_actions_are_pinned_and_secrets_come_by_the_environment() -> None:
    # YAML 1.1 reads the key `on` as true.
    assert set(workflow()[True]) == {"pull_request", "push"}
    used = [step["uses"] for step in steps() if "uses" in step]
    assert used and all(re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", name) for name in used)
    scripts = [step["run"] for step in steps() if "run" in step]
    assert not any("${{" in script or "secrets" in script for script in scripts)
    assert any("gh pr comment" in script and "--body-file comparison.md" in script for script in scripts)
    assert workflow()["permissions"] == {"contents": "read", "actions": "read", "pull-requests": "write"}


@pytest.mark.slow
@pytest.mark.parametrize(("candidate", "code"), [(GOOD, 0), (BAD, 1)])
def test_the_step_that_compares_writes_the_comment_and_the_code(
    tmp_path: Path, candidate: list[int], code: int
) -> None:
    write_runs(tmp_path, candidate)
    tool = tmp_path / "bin" / "ragaliq"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ragaliq "$@"\n')
    tool.chmod(0o755)
    (script,) = [step["run"] for step in steps() if step.get("id") == "compare"]
    output = tmp_path / "output"
    env = os.environ | {"PATH": f"{tool.parent}:{os.environ['PATH']}", "GITHUB_OUTPUT": str(output)}
    done = subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=env, check=False)
    assert (done.returncode, output.read_text()) == (0, f"code={code}\n")
    comment = (tmp_path / "comparison.md").read_text(encoding="utf-8")
    assert ("**Gate: fail.** Worse than the baseline: candidate (zh)." in comment) == bool(code)
    # With nothing to compare the step itself fails.
    (tmp_path / "results" / "baseline" / "config.json").unlink()
    assert subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=env, check=False).returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("candidate", "n", "code", "says"),
    [
        (GOOD, 120, 0, "1 passed"),
        (BAD, 120, 1, "queries that lost most, by language: {'zh': ['q04', "),
        (GOOD, 6, 0, "undecided: about "),
    ],
)
def test_the_test_of_the_docs_passes_fails_or_is_skipped(
    tmp_path: Path, candidate: list[int], n: int, code: int, says: str
) -> None:
    write_runs(tmp_path, candidate, n)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-rs",
        "-p",
        "no:cacheprovider",
        f"--rootdir={tmp_path}",
        "-c",
        os.devnull,
    ]
    done = subprocess.run(
        [*command, str(DOCS / "ci" / "test_answers.py")], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout
    assert says in done.stdout


def test_the_page_links_both() -> None:
    page = (DOCS / "ci.md").read_text(encoding="utf-8")
    assert "(ci/answers.yml)" in page and "(ci/test_answers.py)" in page
