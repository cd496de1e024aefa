"""What grading ten times as many answers costs ragaliq: memory, and processor time an answer.

Writes `growth.json`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

from endpoint import endpoint
from record import write
from tools import OURS, TOOLS, row

_HERE = Path(__file__).resolve().parent


def main() -> int:
    """Read the options, measure, write the figures; 1 if a run failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--n", type=int, nargs="+", default=[1000, 10000], help="numbers of answers, least first (1000 10000)")
    add("--concurrency", type=int, default=20, help="calls under way at once (20)")
    add("--rounds", type=int, default=3, help="how often each number is run (3)")
    add("--out", type=Path, default=_HERE / "growth.json", help="file of the figures")
    options = parser.parse_args()
    (ours,) = (tool for tool in TOOLS if tool.name == OURS)
    rows = []
    with endpoint() as local:
        for number in range(options.rounds):
            for n in options.n:
                made = row(ours, Path(sys.executable), local, n, options.concurrency)
                rows.append({"round": number + 1, "n": n, **made})
                said = made.get("failed") or f"wall {made['wall_s']} s, cpu {made['cpu_s']} s, {made['rss_mb']} MB"
                print(f"round {number + 1}, {n} answers: {said}", file=sys.stderr)
    figures = {str(n): _medians([made for made in rows if made["n"] == n and "failed" not in made]) for n in options.n}
    write(options.out, {"task": {"concurrency": options.concurrency, "latency": 0.05}, "sizes": figures, "rows": rows})
    print(f"figures: {options.out}")
    return 1 if any("failed" in made for made in rows) else 0


def _medians(rows: list[dict[str, object]]) -> dict[str, float]:
    """Return the medians of a number of answers; `cpu_ms_per_answer` is that of the judging."""
    if not rows:
        return {}
    names = ("wall_s", "cpu_s", "process_cpu_s", "rss_mb")
    figures = {name: median(float(str(made[name])) for made in rows) for name in names}
    return {**figures, "cpu_ms_per_answer": round(figures["cpu_s"] / float(str(rows[0]["n"])) * 1000, 3)}


if __name__ == "__main__":
    sys.exit(main())
