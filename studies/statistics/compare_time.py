"""The processor time of `ragaliq compare` on 15 systems in six languages with 200 queries each, from start to end.

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
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    task = {"systems": SYSTEMS, "languages": len(LANGUAGES), "queries": QUERIES}
    write(
        _HERE / "compare_time.json",
        {"task": task, "cpu_s": round(spent, 2), "peak_mib": round(after.ru_maxrss / 1024)},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
