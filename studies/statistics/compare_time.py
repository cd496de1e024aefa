"""The processor time of `ragaliq compare` on 15 systems in six languages with 200 queries each, from start to end.

Without and with `--gate`.

python studies/statistics/compare_time.py
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.storage.files import write_jsonl
from record import write

_HERE = Path(__file__).resolve().parent
SYSTEMS, LANGUAGES, QUERIES = 15, ("en", "de", "fr", "es", "ru", "zh"), 200
REPEATS, MARGIN = 5, 0.05


def main() -> int:
    """Write the graded rows, compare them, write the figures."""
    generator = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        common = generator.choice(6, (len(LANGUAGES), QUERIES))
        paths = [Path(folder) / f"s{number:02}.jsonl" for number in range(SYSTEMS)]
        for path in paths:
            own = np.where(generator.random(common.shape) < 0.6, common, generator.choice(6, common.shape))
            write_jsonl(
                path,
                [
                    {"query_id": f"q{query:03}", "lang": lang, "question": f"{lang} {query}", "grade": int(grade)}
                    for lang, grades in zip(LANGUAGES, own, strict=True)
                    for query, grade in enumerate(grades)
                ],
            )
        command = [sys.executable, "-m", "ragaliq", "compare", *map(str, paths), "--format", "json"]
        # Other work on the machine can only add to the time: the least of several is nearest to it.
        plain, gated = (
            [cpu_seconds([*command, *more]) for _ in range(REPEATS)] for more in ((), ("--gate", str(MARGIN)))
        )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    task = {"systems": SYSTEMS, "languages": len(LANGUAGES), "queries": QUERIES, "repeats": REPEATS, "margin": MARGIN}
    figures = {
        "task": task,
        "cpu_s": min(plain),
        "cpu_s_gate": min(gated),
        "all": {"cpu_s": plain, "cpu_s_gate": gated},
        "peak_mib": round(peak / 1024),
    }
    write(_HERE / "compare_time.json", figures)
    return 0


def cpu_seconds(command: list[str]) -> float:
    """Return the processor time of a command in seconds, the system's included; a gate may not hold."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=False, capture_output=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.decode())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)


if __name__ == "__main__":
    sys.exit(main())
