"""One cell of the fault matrix: a tool grades the answers while one thing goes wrong."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from endpoint import endpoint
from our_faults import Repair, graded_by_ours, repaired
from processes import Finished, finished
from tools import OURS, QUIET, TOOLS, Tool
from truth import FAULTS, is_faulty, value

_HERE = Path(__file__).resolve().parent
TIMEOUT_S = 1
_ADDRESS = re.compile(r"0x[0-9a-f]+|(?<=cancel scope )[0-9a-f]+")


def rivals() -> list[Tool]:
    """Return the tools of the matrix, ragaliq first."""
    known = {tool.name: tool for tool in TOOLS}
    return [
        known[OURS],
        known["ragas"],
        known["inspect_ai"],
        replace(known["inspect_ai"], name="inspect_ai tolerant", variant="tolerant"),
        known["deepeval"],
        replace(known["deepeval"], name="deepeval ignore_errors", variant="ignore_errors"),
        known["openevals"],
    ]


@dataclass(frozen=True, slots=True)
class Task:
    """What every tool is asked to do; a cell that takes longer than `limit_s` is ended."""

    n: int
    concurrency: int
    latency: float
    limit_s: float


def cell(tool: Tool, python: Path, fault: str, task: Task) -> dict[str, Any]:
    """Run a tool under a fault, and compare what it says with the truth."""
    repair: Repair | None = None
    timeout_s = TIMEOUT_S if fault == "silence" else 0
    with tempfile.TemporaryDirectory() as folder, endpoint(fault=fault, latency=task.latency) as local:
        cwd = Path(folder)
        if tool.name == OURS:
            ended, said = graded_by_ours(cwd, python, local.link, task.n, task.concurrency, timeout_s, task.limit_s)
        else:
            ended, said = _graded_by_peer(cwd, tool, python, local.link, task, timeout_s)
        counts: Mapping[str, Any] = local.stats()
        if tool.name == OURS and FAULTS[fault].lasts:
            repair = repaired(cwd, python, local, task.n, task.concurrency)
    made = {"tool": tool.name, "fault": fault, "ended": _ending(ended, task.limit_s), "wall_s": ended.wall_s}
    made |= {"status": said.get("status", ""), "requests": counts["requests"], "asked": len(counts["by_item"])}
    compared = _compared(tool.module or OURS, fault, said, task.n)
    # Who was ended has not said anything yet.
    made |= dict.fromkeys(compared) if ended.wall_s >= task.limit_s else compared
    if repair is not None:
        made["repair"] = repair
    return made


def _graded_by_peer(
    cwd: Path, tool: Tool, python: Path, link: str, task: Task, timeout_s: int
) -> tuple[Finished, dict[str, Any]]:
    command = [str(python), "-m", f"fault_peers.{tool.module}", "--link", link, "--variant", tool.variant]
    asked = [f"--n={task.n}", f"--concurrency={task.concurrency}", f"--timeout-s={timeout_s}"]
    ended = finished([*command, *asked], cwd, {**QUIET, "PYTHONPATH": str(_HERE)}, task.limit_s)
    try:
        said: dict[str, Any] = json.loads(ended.out.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return ended, {}
    return ended, {
        **said,
        **{part: {int(i): found for i, found in said[part].items()} for part in ("scores", "failed")},
    }


def _ending(ended: Finished, limit_s: float) -> str:
    if ended.wall_s >= limit_s:
        return f"gave up after {limit_s:g} s"
    lines = ended.error.strip().splitlines()
    return f"exit code {ended.code}" + (f": {_short(lines[-1])}" if ended.code and lines else "")


def _compared(module: str, fault: str, said: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Return where every item has gone, and the mean that the tool gives beside the true ones."""
    scores: Mapping[int, float] = said.get("scores", {})
    failed: Mapping[int, str] = said.get("failed", {})
    lost = [i for i in range(n) if FAULTS[fault].lasts and is_faulty(i)]
    mean = said.get("mean")
    return {
        "scored": len(scores),
        "failed_with_reason": sum(bool(reason) for reason in failed.values()),
        "failed_without_reason": sum(not reason for reason in failed.values()),
        "failed_in_log_only": said.get("logged", 0),
        "gone": n - len(set(scores) | set(failed)),
        "failure_became_score": sum(i in scores for i in lost),
        "wrong_scores": sum(abs(score - value(module, i)) > 1e-9 for i, score in scores.items()),
        "well_but_not_scored": n - len(lost) - sum(i not in lost for i in scores),
        "reported_mean": None if mean is None else round(mean, 4),
        "true_mean_of_scored": _mean([value(module, i) for i in scores]),
        "true_mean_of_scorable": _mean([value(module, i) for i in range(n) if i not in lost]),
        "true_mean": _mean([value(module, i) for i in range(n)]),
        "summary": said.get("summary", ""),
        "reasons": dict(Counter(_short(reason) for reason in failed.values()).most_common(3)),
        **{name: said[name] for name in ("coverage", "bounds", "withheld") if name in said},
    }


def _short(text: str) -> str:
    """Return the beginning of a message, in one line and without addresses of memory: the same in every run."""
    return _ADDRESS.sub("0x…", " ".join(text.split()))[:160]


def _mean(values: list[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
