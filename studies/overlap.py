"""What judging while answering goes on saves: both stages together against each alone.

Reader and judge are the same endpoint with the same latency; each stage may have as many calls under way as
`--concurrency` says. Writes `overlap.json`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from endpoint import Local, endpoint
from items import items
from processes import finished
from record import write
from tools import judge_command, our_variables, timings

_HERE = Path(__file__).resolve().parent
_CONFIG = "retriever: bm25\nreranker: none\nreader: openai:reader\njudge: openai:m\n"


def main() -> int:
    """Read the options, measure, write the figures; 1 if a command failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--n", type=int, default=300, help="questions (300)")
    add("--concurrency", type=int, default=10, help="calls of each stage under way at once (10)")
    add("--latency", type=float, default=0.05, help="seconds that reader and judge take for a reply (.05)")
    add("--rounds", type=int, default=5, help="how often each is run (5)")
    add("--out", type=Path, default=_HERE / "overlap.json", help="file of the figures")
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    with endpoint(latency=options.latency) as local:
        for number in range(options.rounds):
            rows += [{"round": number + 1, **made} for made in one_round(local, options.n, options.concurrency)]
            print(rows[-3:], file=sys.stderr)
    calls_s = {
        way: median(_calls_s(made) for made in rows if made["way"] == way) for way in ("reader", "judge", "both")
    }
    saved = 1 - calls_s["both"] / (calls_s["reader"] + calls_s["judge"])
    task = {name: getattr(options, name) for name in ("n", "concurrency", "latency", "rounds")}
    ideal = options.n / options.concurrency * options.latency
    figures = {"calls_s": calls_s, "saved_share": round(saved, 3), "ideal_of_one_stage_s": ideal}
    write(options.out, {"task": task, **figures, "rows": rows})
    print(f"figures: {options.out}")
    return 1 if any(made["code"] != 0 for made in rows) else 0


def one_round(local: Local, n: int, concurrency: int) -> list[dict[str, object]]:
    """Run reader alone, judge alone on its answers, and both together, each without anything kept of the others."""
    python = Path(sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        cwd = Path(folder)
        _write_benchmark(cwd / "harbour", n)
        (cwd / "system.yaml").write_text(_CONFIG, encoding="utf-8")
        own = ["system.yaml", "--data", "harbour", "--no-controls", f"--concurrency={concurrency}"]
        run = [str(python), "-m", "ragaliq", "run", *own]
        return [
            _timed("reader", [*run, "--no-judge", "--out", "results/reader"], cwd, local),
            _timed("judge", judge_command(python, "results/reader", concurrency), cwd, local),
            _timed("both", [*run, "--out", "results/both"], cwd, local),
        ]


def _timed(way: str, command: Sequence[str], cwd: Path, local: Local) -> dict[str, object]:
    # Replies of an earlier command must not be found again.
    shutil.rmtree(cwd / ".ragaliq", ignore_errors=True)
    (cwd / "timings.json").unlink(missing_ok=True)
    local.reset()
    ended = finished(command, cwd, our_variables(local.link, cwd))
    if ended.code != 0:
        print(ended.error[-500:], file=sys.stderr)
    process = {"process_wall_s": ended.wall_s, "process_cpu_s": ended.cpu_s}
    return {"way": way, "code": ended.code, **process, "timings": timings(cwd), "endpoint": local.stats()}


def _calls_s(made: Mapping[str, object]) -> float:
    """Return the seconds from the first request to the last reply, as the endpoint saw them."""
    counts = made["endpoint"]
    return float(counts["busy_s"]) if isinstance(counts, Mapping) else 0.0


def _write_benchmark(folder: Path, n: int) -> None:
    """Write a benchmark of `n` English questions, each with the chunk that answers it."""
    graded = items(n)
    for name in ("corpus", "queries"):
        (folder / name).mkdir(parents=True)
    head = {"name": "harbour", "version": "1", "languages": ["en"]}
    (folder / "bench.json").write_text(json.dumps(head), encoding="utf-8")
    chunks = [{"doc_id": i.query_id, "source_id": "", "start": 0, "end": len(i.context[0]), "text": i.context[0],
               "lang": "en"} for i in graded]  # fmt: skip
    queries = [{"query_id": i.query_id, "lang": "en", "text": i.question, "reference": i.reference, "answerable": True,
                "type": "fact", "gold": [[i.query_id]]} for i in graded]  # fmt: skip
    for name, rows in (("corpus", chunks), ("queries", queries)):
        lines = "".join(json.dumps(made) + "\n" for made in rows)
        (folder / name / "en.jsonl").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
