"""What a harness costs beside the model's own time: ragaliq and its peers grade the same answers.

The endpoint answers after a fixed latency, so with `n` answers and `c` calls under way no tool can take less than
`n / c * latency` seconds. The tools take turns, each round begins with another one. Writes `overhead.json`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from endpoint import endpoint
from record import write
from tools import TOOLS, Tool, python_of, row

_HERE = Path(__file__).resolve().parent
_MEASURED = ("wall_s", "cpu_s", "process_wall_s", "process_cpu_s", "rss_mb", "import_s")


def main() -> int:
    """Read the options, measure, write the figures; 1 if a tool failed."""
    options = _options()
    tools = [tool for tool in TOOLS if not options.only or tool.name in options.only.split(",")]
    pythons = {tool.name: python_of(tool, options.venvs.resolve()) for tool in tools}
    rows: list[dict[str, object]] = []
    with endpoint(latency=options.latency) as local:
        for number in range(options.rounds):
            for tool in _turned(tools, number):
                made = row(tool, pythons[tool.name], local, options.n, options.concurrency)
                rows.append({"round": number + 1, **made})
                print(_line(rows[-1]), file=sys.stderr)
    task = {name: getattr(options, name) for name in ("n", "concurrency", "latency", "rounds")}
    ideal = options.n / options.concurrency * options.latency
    write(options.out, {"task": {**task, "ideal_s": ideal}, "tools": summary(rows, options.n), "rows": rows})
    print(f"figures: {options.out}")
    return 1 if any("failed" in made for made in rows) else 0


def summary(rows: Sequence[Mapping[str, object]], n: int) -> dict[str, dict[str, object]]:
    """Return each tool's medians over its rounds, their spread, and the ratios of the medians to the plain way."""
    whole = [made for made in rows if "failed" not in made]
    by_tool: dict[str, list[Mapping[str, object]]] = {}
    for made in whole:
        by_tool.setdefault(str(made["tool"]), []).append(made)
    found = {name: _medians(own, n) for name, own in by_tool.items()}
    bare = found.get("bare")
    for figures in found.values():
        for name in ("wall_s", "cpu_s"):
            if bare is not None:
                figures[f"{name[:-2]}_to_bare"] = round(_number(figures[name]) / _number(bare[name]), 2)
    return found


def _medians(rows: Sequence[Mapping[str, object]], n: int) -> dict[str, object]:
    figures: dict[str, object] = {"version": rows[0].get("version"), "rounds": len(rows)}
    for name in _MEASURED:
        values = [_number(made[name]) for made in rows if name in made]
        if values:
            figures[name] = round(median(values), 4)
            figures[f"{name}_range"] = [min(values), max(values)]
    figures["cpu_ms_per_answer"] = round(_number(figures["cpu_s"]) / n * 1000, 3)
    counted = [made["endpoint"] for made in rows]
    for name in ("requests", "max_in_flight", "connections", "busy_s", "request_kb"):
        figures[name] = median(counts[name] for counts in counted if isinstance(counts, Mapping))
    return figures


def _turned(tools: Sequence[Tool], number: int) -> list[Tool]:
    """Return the tools in their order, beginning with another one in each round."""
    start = number % len(tools)
    return [*tools[start:], *tools[:start]]


def _line(made: Mapping[str, object]) -> str:
    said = made.get("failed") or f"wall {made['wall_s']} s, cpu {made['cpu_s']} s, {made['rss_mb']} MB"
    return f"round {made['round']} {made['tool']}: {said}"


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"a number is expected, not {value!r}")
    return float(value)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--n", type=int, default=500, help="answers to be graded (500)")
    add("--concurrency", type=int, default=20, help="calls under way at once (20)")
    add("--latency", type=float, default=0.05, help="seconds that the endpoint takes for a reply (.05)")
    add("--rounds", type=int, default=5, help="how often each tool is run (5)")
    add("--only", default="", help=f"some of {', '.join(tool.name for tool in TOOLS)}")
    add("--venvs", type=Path, default=_HERE / ".venvs", help="folder of the peers' environments")
    add("--out", type=Path, default=_HERE / "overhead.json", help="file of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
