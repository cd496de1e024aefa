"""The tools that are compared: their versions, their environments, and how each is run once."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from answered_run import write_answered_run
from endpoint import Local
from items import items
from processes import Finished, finished

_HERE = Path(__file__).resolve().parent
OURS = "ours"


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of the comparison.

    Attributes:
        name: what the row is called.
        module: its module in `peers`; empty for ragaliq itself.
        variant: a setting other than the tool's default.
        requirements: what its own environment holds; empty for the environment of this script.
    """

    name: str
    module: str
    variant: str = ""
    requirements: tuple[str, ...] = ()


_RAGAS = ("ragas==0.4.3", "langchain-community<0.4", "instructor==1.17.0")
_INSPECT = ("inspect-ai==0.3.285", "openai==3.54.0")
_DEEPEVAL = ("deepeval==4.3.1",)
TOOLS = (
    Tool(OURS, ""),
    Tool("bare", "bare"),
    Tool("bare over aiohttp", "bare", "aiohttp"),
    Tool("aiohttp", "aiohttp"),
    Tool("openevals", "openevals", "", ("openevals==0.2.2",)),
    Tool("ragas", "ragas", "", _RAGAS),
    Tool("inspect_ai", "inspect_ai", "", _INSPECT),
    Tool("inspect_ai no-realtime", "inspect_ai", "no-realtime", _INSPECT),
    Tool("deepeval", "deepeval", "", _DEEPEVAL),
    Tool("deepeval no-cache", "deepeval", "no-cache", _DEEPEVAL),
)
# No tool reports to anybody while it is measured.
QUIET = {
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "DO_NOT_TRACK": "1",
}


def python_of(tool: Tool, venvs: Path) -> Path:
    """Return the interpreter of a tool, whose environment is made if it is missing or holds something else."""
    if not tool.requirements:
        return Path(sys.executable)
    folder = venvs / tool.module
    mark, wanted = folder / "requirements.txt", "\n".join(tool.requirements) + "\n"
    if not mark.is_file() or mark.read_text(encoding="utf-8") != wanted:
        print(f"installing {' '.join(tool.requirements)}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(folder / "bin" / "python"), "-m", "pip", "install", "-q", *tool.requirements], check=True)
        mark.write_text(wanted, encoding="utf-8")
    return folder / "bin" / "python"


def row(tool: Tool, python: Path, local: Local, n: int, concurrency: int) -> dict[str, object]:
    """Let a tool grade `n` answers in a fresh folder, and return its figures with what the endpoint counted.

    A row with `failed` says why it has no figures: a tool that has not graded every answer did not do the work.
    """
    local.reset()
    with tempfile.TemporaryDirectory() as folder:
        cwd = Path(folder)
        if tool.name == OURS:
            figures, ended = _ours(cwd, python, local.link, n, concurrency)
        else:
            command = [str(python), "-m", f"peers.{tool.module}", "--link", local.link, "--variant", tool.variant]
            asked = [f"--n={n}", f"--concurrency={concurrency}"]
            ended = finished([*command, *asked], cwd, {**QUIET, "PYTHONPATH": str(_HERE)})
            figures = _last_line(ended.out)
    process = {"process_wall_s": ended.wall_s, "process_cpu_s": ended.cpu_s, "rss_mb": ended.rss_mb}
    made = {"tool": tool.name, **{**figures, "tool": tool.name}, **process, "endpoint": local.stats()}
    if ended.code != 0 or figures.get("n_scored") != n:
        said = ended.error.strip().splitlines()[-1:] or ["no message"]
        made["failed"] = f"exit code {ended.code}, {figures.get('n_scored', 0)} of {n} graded: {said[0][:300]}"
    return made


def judge_command(python: Path, run: str, concurrency: int) -> list[str]:
    """Return the command that grades a run through the endpoint."""
    return [
        str(python),
        "-m",
        "ragaliq",
        "judge",
        run,
        "--judge",
        "openai:m",
        "--no-controls",
        # The peers only grade.
        "--check=none",
        f"--concurrency={concurrency}",
    ]


def our_variables(link: str, cwd: Path) -> dict[str, str]:
    """Return the environment of ragaliq's own commands; the timings go to `timings.json` in the working directory."""
    return {"TOKEN": "none", "JUDGE_API_LINK": link, "RAGALIQ_TIMINGS": str(cwd / "timings.json")}


def timings(cwd: Path) -> Mapping[str, Mapping[str, float]]:
    """Return what a command of ours took, by stage; nothing if it left no timings."""
    file = cwd / "timings.json"
    found: Mapping[str, Mapping[str, float]] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


def _ours(cwd: Path, python: Path, link: str, n: int, concurrency: int) -> tuple[dict[str, object], Finished]:
    """Grade a run with journal, response cache and report, as a user would."""
    write_answered_run(cwd / "results" / "run", items(n))
    ended = finished(judge_command(python, "results/run", concurrency), cwd, our_variables(link, cwd))
    # Without timings of its own the whole process counts, imports included.
    taken = timings(cwd).get("judging", {"wall_s": ended.wall_s, "cpu_s": ended.cpu_s})
    grades = _grades(cwd / "results" / "run" / "verdicts.jsonl")
    figures = {"version": _version(python), "n_scored": sum(grade is not None for grade in grades)}
    judging = {name: round(taken[name], 4) for name in ("wall_s", "cpu_s")}
    return {**figures, **judging, "timed": bool(timings(cwd))}, ended


def _grades(file: Path) -> Sequence[object]:
    if not file.is_file():
        return []
    return [json.loads(line)["grade"] for line in file.read_text(encoding="utf-8").splitlines()]


def _version(python: Path) -> str:
    shown = subprocess.run([str(python), "-m", "ragaliq", "--version"], capture_output=True, text=True)
    return shown.stdout.split()[-1] if shown.stdout.split() else ""


def _last_line(out: str) -> dict[str, object]:
    """Return the figures that a peer printed last; other things may stand before them."""
    try:
        figures: dict[str, object] = json.loads(out.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return {}
    return figures
