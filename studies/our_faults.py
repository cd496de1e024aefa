"""ragaliq in the fault matrix: what a command says, the repair when the endpoint is well again, and a kill at half."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from answered_run import write_answered_run
from endpoint import Local, endpoint
from items import items
from processes import Finished, finished
from tools import judge_command
from truth import is_faulty, level

Repair = dict[str, Any]
_RUN = "results/run"


def graded_by_ours(
    cwd: Path, python: Path, link: str, n: int, concurrency: int, timeout_s: int, limit_s: float
) -> tuple[Finished, dict[str, Any]]:
    """Grade all answers with `ragaliq judge`, and return what it says; `timeout_s` is 0 for its own time-out."""
    write_answered_run(cwd / _RUN, items(n))
    command = judge_command(python, _RUN, concurrency)
    if timeout_s:
        # A judge with options is the one of the run's own configuration.
        config = json.loads((cwd / _RUN / "config.json").read_text(encoding="utf-8"))
        config["judge"] = {"kind": "openai", "model": "m", "options": {"timeout_s": timeout_s}}
        (cwd / _RUN / "config.json").write_text(json.dumps(config), encoding="utf-8")
        command = [part for part in command if part not in ("--judge", "openai:m")]
    ended = finished(command, cwd, _variables(link), limit_s)
    summary = _headline(ended)
    return ended, {**_said(cwd), "summary": summary, "withheld": "weighted_score —" in summary}


def repaired(cwd: Path, python: Path, local: Local, n: int, concurrency: int) -> Repair:
    """Let the endpoint be well, grade what has no grade, and return what that asked and whether all is right then."""
    with urllib.request.urlopen(urllib.request.Request(f"{local.root}/well", method="POST")):
        pass
    before = _verdicts(cwd)
    command = [
        str(python),
        "-m",
        "ragaliq",
        "judge",
        _RUN,
        "--only-unscored",
        "--no-controls",
        f"--concurrency={concurrency}",
    ]
    ended = finished(command, cwd, _variables(local.link))
    counts: Mapping[str, Any] = local.stats()
    after = _verdicts(cwd)
    faulty = {i for i in range(n) if is_faulty(i)}
    return {
        "exit_code": ended.code,
        "requests": counts["requests"],
        "asked_exactly_the_failed": {int(i) for i in counts["by_item"]} == faulty and counts["requests"] == len(faulty),
        "others_unchanged": all(after[i] == row for i, row in before.items() if i not in faulty),
        "all_grades_right": {i: row["grade"] for i, row in after.items()} == {i: level(i) for i in range(n)},
        "summary": _headline(ended),
    }


def killed_at_half(cwd: Path, python: Path, n: int, concurrency: int) -> dict[str, Any]:
    """Kill a judging process with SIGKILL when half of the grades are on disk, repeat the command, count requests."""
    write_answered_run(cwd / _RUN, items(n))
    command = judge_command(python, _RUN, concurrency)
    with endpoint(fault="none", latency=0.2) as local:
        process = subprocess.Popen(
            command, cwd=cwd, env={**os.environ, **_variables(local.link)}, stderr=subprocess.DEVNULL
        )
        while len(_lines(cwd)) < n // 2 and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        code = process.wait()
        kept = _verdicts(cwd)
        first: Mapping[str, int] = dict(_by_item(local))
        ended = finished(command, cwd, _variables(local.link))
        asked = _by_item(local)
    again = {int(i) for i, count in asked.items() if count > first.get(i, 0)}
    return {
        "killed_with": code,
        "graded_at_the_kill": len(kept),
        "requests_before": sum(first.values()),
        "exit_code_after": ended.code,
        "requests_after": sum(asked.values()) - sum(first.values()),
        "graded_asked_again": len(again & set(kept)),
        "graded_changed": sum(_verdicts(cwd)[i] != row for i, row in kept.items()),
        "all_grades_right": {i: row["grade"] for i, row in _verdicts(cwd).items()} == {i: level(i) for i in range(n)},
        "summary": _headline(ended),
    }


def _said(cwd: Path) -> dict[str, Any]:
    rows = _verdicts(cwd)
    metrics = cwd / _RUN / "metrics.json"
    said = {
        "scores": {i: float(row["grade"]) for i, row in rows.items() if row["grade"] is not None},
        "failed": {i: f"{row['outcome']}: {row['feedback']}" for i, row in rows.items() if row["grade"] is None},
    }
    if not metrics.is_file():
        return said
    (found,) = json.loads(metrics.read_text(encoding="utf-8"))["aggregates"]
    figures = {"mean": "mean_with_zeros", "coverage": "coverage", "bounds": "weighted_score_bounds"}
    return {**said, **{name: found[key] for name, key in figures.items()}}


def _headline(ended: Finished) -> str:
    """Return the line of figures; the rest of the output names files."""
    return next((line for line in ended.out.splitlines() if "weighted_score" in line), "")


def _lines(cwd: Path) -> list[str]:
    # While a run is graded as a whole, its new verdicts stand in a journal of their own.
    journal = cwd / _RUN / "verdicts.regrading.jsonl"
    file = journal if journal.is_file() else cwd / _RUN / "verdicts.jsonl"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return [line for line in text.split("\n")[:-1] if line]


def _verdicts(cwd: Path) -> dict[int, dict[str, Any]]:
    """Return the verdicts of a run by the item's number; a line that a kill cut off is none."""
    rows = map(json.loads, _lines(cwd))
    return {int(row["query_id"][1:]): row for row in rows}


def _by_item(local: Local) -> dict[str, int]:
    counts: Mapping[str, Any] = local.stats()
    return dict(counts["by_item"])


def _variables(link: str) -> dict[str, str]:
    return {"TOKEN": "none", "JUDGE_API_LINK": link, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
