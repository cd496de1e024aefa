"""What becomes of the grades when the endpoint fails: ragaliq and its peers under the same faults.

The grade of each answer is known, so it is known what every mean should be. A fifth of the answers is faulty, the same
for every tool; a fault lasts for its answer unless it is a burst of rate limits. Writes `faults.json`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fault_cells import TIMEOUT_S, Task, cell, rivals
from our_faults import killed_at_half
from record import write
from tools import OURS, Tool, python_of
from truth import FAULTS

_HERE = Path(__file__).resolve().parent
_MEANS = {
    "ours": "mean_with_zeros of metrics.json; the headline is weighted_score, withheld below a coverage of .95",
    "ragas": "what `print(result)` of evaluate() shows: the mean of the result's column without the NaNs",
    "inspect_ai": "accuracy of the log's results, for model_graded_qa; C is 1, I is 0, unscored samples are left out",
    "deepeval": "the Average Score of its table of aggregates: over the test results that have a score",
    "openevals": "the user's own mean over the results of gather(return_exceptions=True) that are no exceptions",
}
_SETTINGS = {
    "ours": "`ragaliq judge RUN --judge openai:m`; time-out: the judge's option timeout_s in the run's configuration",
    "ragas": "RubricsScore, llm_factory on AsyncOpenAI (2 retries), RunConfig's defaults; time-out: RunConfig(timeout)",
    "inspect_ai": "the defaults: retries without end, an error of a sample ends the evaluation; time-out: "
    "attempt_timeout",
    "inspect_ai tolerant": "max_retries=3, fail_on_error=False; time-out: attempt_timeout",
    "deepeval": "GEval with given steps, the defaults (2 attempts); time-out: "
    "DEEPEVAL_PER_ATTEMPT_TIMEOUT_SECONDS_OVERRIDE",
    "deepeval ignore_errors": "the same with ErrorConfig(ignore_errors=True)",
    "openevals": "create_async_llm_as_judge on AsyncOpenAI (2 retries); time-out: the client's",
}
# What the peers' own output showed in cells of this matrix; with the versions in the file.
_NOTES = {
    "ragas": "The reason of a NaN stands in the log alone. RunConfig's max_retries does not reach a model made by "
    "llm_factory: a call is tried as often as its client and instructor say. evaluate() is deprecated in favour of "
    "@experiment, which has no overall mean.",
    "inspect_ai": "`inspect eval` exits with 0 whatever the status of the evaluation. With fail_on_error=False it "
    "warns of samples that had errors; of samples whose grade it could not read it prints nothing, their number is in "
    "the log. An evaluation that was ended can be continued by `inspect eval-retry`, which is not measured here.",
    "deepeval": "Its table gives the number of all cases beside the Average Score, and its pass rate counts a case "
    "with an error as failed. A run that raises leaves the finished cases in a cache on disk, which is used where "
    "CacheConfig(use_cache=True) is asked for.",
    "all": "A tool that was ended after the limit has said nothing yet, so nothing is counted. Repair and the kill "
    "were measured for ragaliq alone.",
}
_COLUMNS = ("tool", "ended", "asked", "scored", "failed", "gone", "became a score", "mean", "true of scored", "true",
            "wall s", "requests")  # fmt: skip


def main() -> int:
    """Read the options, run the matrix, write and print it; 1 if ragaliq's own cells are not sound."""
    options = _options()
    task = Task(options.n, options.concurrency, options.latency, options.limit_s)
    tools = [tool for tool in rivals() if not options.only or tool.name in options.only.split(",")]
    faults = [name for name in FAULTS if not options.fault or name in options.fault.split(",")]
    pythons = {tool.name: python_of(tool, options.venvs.resolve()) for tool in tools}
    cells = []
    for fault in faults:
        print(f"\n{fault}: {FAULTS[fault].what}\n{_line(_COLUMNS)}")
        for tool in tools:
            cells.append(cell(tool, pythons[tool.name], fault, task))
            print(_line(_shown(cells[-1])), flush=True)
    figures: dict[str, Any] = {
        "task": {"n": task.n, "concurrency": task.concurrency, "latency": task.latency, "limit_s": task.limit_s,
                 "timeout_s": TIMEOUT_S, "faulty": "items 2, 7, 12, …; their mean grade is 1.5, of the others 4.125"},
        "faults": {name: FAULTS[name].what for name in faults},
        "versions": {tool.name: _versions(tool, pythons[tool.name]) for tool in tools},
        "means": _MEANS,
        "settings": {tool.name: _SETTINGS[tool.name] for tool in tools},
        "notes": _NOTES,
        "cells": cells,
    }  # fmt: skip
    if OURS in pythons:
        with tempfile.TemporaryDirectory() as folder:
            figures["killed_at_half"] = killed_at_half(Path(folder), pythons[OURS], task.n, task.concurrency)
        print(f"\nkilled at half: {figures['killed_at_half']}")
    write(options.out, figures)
    print(f"figures: {options.out}")
    return 1 if _unsound(figures) else 0


def _unsound(figures: Mapping[str, Any]) -> bool:
    """Tell whether ragaliq lost an answer, made a failure a grade, asked twice for a grade, or did not repair a run."""
    wrong = ("gone", "failure_became_score", "wrong_scores", "well_but_not_scored")
    right = ("asked_exactly_the_failed", "others_unchanged", "all_grades_right")
    killed = figures.get("killed_at_half")
    if killed and (killed["graded_asked_again"] or killed["graded_changed"] or not killed["all_grades_right"]):
        return True
    return any(
        any(made[name] != 0 for name in wrong) or not all(made["repair"][name] for name in right if "repair" in made)
        for made in figures["cells"]
        if made["tool"] == OURS
    )


def _versions(tool: Tool, python: Path) -> dict[str, str]:
    """Return the versions of a tool and of the client that it calls the endpoint with."""
    names = [tool.requirements[0].partition("==")[0], "openai"] if tool.requirements else ["ragaliq"]
    code = f"import importlib.metadata as m, json; print(json.dumps({{n: m.version(n) for n in {names}}}))"
    found: dict[str, str] = json.loads(
        subprocess.run([str(python), "-c", code], capture_output=True, check=True).stdout
    )
    return found


def _shown(made: Mapping[str, Any]) -> Sequence[object]:
    failed = None if made["gone"] is None else f"{made['failed_with_reason']}+{made['failed_without_reason']}"
    ended = made["ended"] if made["status"] in ("", "success") else f"{made['ended']}, status {made['status']}"
    numbers = (made["asked"], made["scored"], failed, made["gone"], made["failure_became_score"])
    means = (made["reported_mean"], made["true_mean_of_scored"], made["true_mean"])
    return (made["tool"], ended[:40], *numbers, *means, round(made["wall_s"], 1), made["requests"])


def _line(values: Sequence[object]) -> str:
    widths = (22, 40, 5, 6, 6, 4, 14, 6, 14, 5, 6, 8)
    return "  ".join(
        str("—" if each is None else each).ljust(width) for each, width in zip(values, widths, strict=True)
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--n", type=int, default=100, help="answers to be graded (100)")
    add("--concurrency", type=int, default=20, help="calls under way at once (20)")
    add("--latency", type=float, default=0.01, help="seconds that the endpoint takes for a reply (.01)")
    add("--limit-s", type=float, default=90, help="seconds after which a cell is ended (90)")
    add("--only", default="", help=f"some of {', '.join(tool.name for tool in rivals())}")
    add("--fault", default="", help=f"some of {', '.join(FAULTS)}")
    add("--venvs", type=Path, default=_HERE / ".venvs", help="folder of the peers' environments")
    add("--out", type=Path, default=_HERE / "faults.json", help="file of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
