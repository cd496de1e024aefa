"""What more workers bring to judging: 3,000 answers at an endpoint of 200 ms, 10 calls under way in each worker.

Two nodes of Ray run in a network namespace of their own, so a machine that grants one (`unshare`, `ip`) is needed. The
runs take turns, several rounds; the answers are made once, so that a run judges alone. Writes `workers.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from endpoint import Local, endpoint
from items import items
from record import write

_HERE = Path(__file__).resolve().parent
_ADDRESS, _PER_WORKER, _LATENCY_S = "127.0.0.1:6398", 10, 0.2
_SHARED = ["--judge", "openai", "--check", "none", "--no-cache", "--no-controls", "--no-traces"]


def main() -> None:
    """Read the options; start again in a namespace; measure there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=3000, help="answers (3000)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (3)")
    parser.add_argument("--out", type=Path, default=_HERE / "workers.json", help="file of the figures")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.inside:
        command = ["unshare", "-n", "-p", "-f", "--mount-proc", "--kill-child", sys.executable, *sys.argv, "--inside"]
        sys.exit(subprocess.run(command, check=False).returncode)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.TemporaryDirectory(prefix="ray", dir="/tmp") as temp, endpoint(latency=_LATENCY_S) as local:
        _measure(Path(temp), local, options)


def _measure(temp: Path, local: Local, options: argparse.Namespace) -> None:
    os.environ |= {
        "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 32, "RAY_USAGE_STATS_ENABLED": "0",
        "TOKEN": "none", "JUDGE_API_LINK": local.link, "JUDGE_MODEL": "m",
    }  # fmt: skip
    _start(
        temp, "--head", "--port", _ADDRESS.partition(":")[2], "--include-dashboard", "false", "--temp-dir", str(temp)
    )
    time.sleep(6)
    _start(temp, "--address", _ADDRESS)
    time.sleep(6)
    few = max(1, options.n // 10)
    for n in (few, options.n):
        _benchmark(temp / f"data{n}", n)
        _run(temp, n, ["--no-judge", "--check", "none"], f"answered{n}")
    rows: list[dict[str, float]] = []
    for number in range(options.rounds):
        for workers in (1, 2, 4)[number % 3 :] + (1, 2, 4)[: number % 3]:
            rows.append({"round": number + 1, "workers": workers, **_judged(temp, local, options.n, workers)})
            # A tenth of the answers: the difference is the cost of an answer, without that of the start.
            start = _judged(temp, local, few, workers)
            rows[-1]["coordinator_ms_per_answer"] = round(
                (rows[-1]["coordinator_cpu_s"] - start["coordinator_cpu_s"]) / (options.n - few) * 1000, 4
            )
            print(rows[-1], file=sys.stderr)
    task = {"n": options.n, "latency_s": _LATENCY_S, "in_flight_per_worker": _PER_WORKER, "rounds": options.rounds}
    write(options.out, {"task": task, "by_workers": _summary(rows), "rows": rows})
    print(f"figures: {options.out}")


def _summary(rows: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Return the medians by the number of workers; `linear` is the throughput beside that of one worker, times them."""
    names = ("answers_per_s", "coordinator_ms_per_answer", "coordinator_cpu_s")
    made = {
        str(n): {name: round(median(row[name] for row in rows if row["workers"] == n), 4) for name in names}
        for n in (1, 2, 4)
    }
    for n, figures in made.items():
        figures["linear"] = round(figures["answers_per_s"] / made["1"]["answers_per_s"] / int(n), 4)
        figures["of_ideal"] = round(figures["answers_per_s"] / (int(n) * _PER_WORKER / _LATENCY_S), 4)
    return made


def _judged(temp: Path, local: Local, n: int, workers: int) -> dict[str, float]:
    """Judge a copy of the answered run; return the throughput from the first call to the last reply, and the costs."""
    run, timings = temp / "run", temp / "timings.json"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(temp / f"answered{n}", run)
    local.reset()
    ray = ["--engine", "ray", "--address", _ADDRESS, "--workers", str(workers), "--concurrency", str(_PER_WORKER)]
    _run(temp, n, [*_SHARED, *ray], "run", {"RAGALIQ_TIMINGS": str(timings)})
    counts = local.stats()
    verdicts = len((run / "verdicts.jsonl").read_text(encoding="utf-8").splitlines())
    if not verdicts == counts["replies"] == n:
        raise SystemExit(f"{n} answers, {counts['replies']} calls, {verdicts} verdicts")
    ((_, used),) = json.loads(timings.read_text(encoding="utf-8")).items()
    return {
        "answers_per_s": round(counts["replies"] / counts["busy_s"], 3),
        "max_in_flight": counts["max_in_flight"],
        "coordinator_cpu_s": round(used["cpu_s"], 4),
        "wall_s": round(used["wall_s"], 3),
    }


def _run(temp: Path, n: int, more: Sequence[str], out: str, env: Mapping[str, str] | None = None) -> None:
    data = temp / f"data{n}"
    command = [sys.executable, "-m", "ragaliq", "run", str(data / "system.yaml"), "--data", str(data)]
    done = subprocess.run(
        [*command, "--out", str(temp / out), *more], cwd=temp, env={**os.environ, **(env or {})},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])


def _benchmark(folder: Path, n: int) -> None:
    """Write a benchmark of `n` queries, with a corpus of ten chunks."""
    for name in ("corpus", "queries", "sources"):
        (folder / name).mkdir(parents=True)
    asked = items(n)
    texts = [item.context[0] for item in asked[:10]]
    starts = [sum(len(text) + 1 for text in texts[:i]) for i in range(len(texts))]
    (folder / "sources" / "s.txt").write_text("\n".join(texts), encoding="utf-8")
    chunks = [
        {"doc_id": f"d{i}", "source_id": "sources/s.txt", "start": start, "end": start + len(text), "text": text,
         "lang": "en"}
        for i, (text, start) in enumerate(zip(texts, starts, strict=True))
    ]  # fmt: skip
    queries = [
        {
            "query_id": item.query_id,
            "lang": "en",
            "text": item.question,
            "reference": item.reference,
            "gold": [["d0"]],
            "answerable": True,
            "type": "fact",
        }
        for item in asked
    ]
    for name, rows in (("corpus", chunks), ("queries", queries)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / name / "en.jsonl").write_text(text, encoding="utf-8")
    head = {"name": "workers", "version": "1", "licence": "CC0-1.0", "languages": ["en"]}
    (folder / "bench.json").write_text(json.dumps(head), encoding="utf-8")
    system = "retriever: bm25\nreader: extractive\njudge: openai\ntop_k: 1\ncontext_k: 1\n"
    (folder / "system.yaml").write_text(system, encoding="utf-8")


def _start(temp: Path, *arguments: str) -> None:
    ray = str(Path(sys.executable).with_name("ray"))
    common = ["--node-ip-address", "127.0.0.1", "--num-cpus", "2", "--object-store-memory", "150000000", "--block"]
    with (temp / "start.log").open("ab") as log:
        subprocess.Popen([ray, "start", *arguments, *common], stdout=log, stderr=log, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
