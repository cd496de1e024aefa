"""Looking again and again while queries become more: how often equal systems are called different at some look.

Six looks at 25 to 200 queries, equally spaced (25, 60, 95, 130, 165, 200) and, to see what unequal steps do, doubling
(25, 38, 57, 87, 132, 200). Each look is a sign flip of two systems of equal means; without a plan it tests at .05, with
one at `level_per_look(6)`. Populations: two systems of the reference's logs and generated ones, tilted or exchanged.

    python studies/statistics/looks.py
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from graded_logs import Population
from pair_tests import equals

from ragaliq.metrics.statistics.multiplicity import level_per_look
from ragaliq.metrics.statistics.significance import sign_flip
from record import write

_HERE = Path(__file__).resolve().parent
STEPS = {"equal steps": (25, 60, 95, 130, 165, 200), "doubling": (25, 38, 57, 87, 132, 200)}
DRAWS = 999


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=4000, help="benchmarks for each population (4000)")
    add("--out", type=Path, default=_HERE / "looks.json", help="file of the figures")
    options = parser.parse_args()
    began, rows = time.process_time(), []
    for name, pairs in equals().items():
        for steps, looks in STEPS.items():
            rows.append({"population": name, "looks": steps, **ever_different(pairs[0], looks, options.runs)})
            print(rows[-1], file=sys.stderr)
    task = {"runs": options.runs, "steps": STEPS, "level_per_look": level_per_look(6)}
    write(options.out, {"task": task | {"cpu_s": round(time.process_time() - began)}, "rows": rows})
    return 0


def ever_different(population: Population, looks: tuple[int, ...], runs: int) -> dict[str, float]:
    """Return the share of benchmarks in which some look calls the two systems different, without and with a plan."""
    generator, least = np.random.default_rng(0), []
    for _ in range(runs):
        first, second = population.draw(looks[-1], generator).T
        flips = (sign_flip(first[:n], second[:n], draws=DRAWS) for n in looks)
        least.append(min(1.0 if p is None else p for p in flips))
    shares = {"at_.05": np.mean(np.array(least) < 0.05), "planned": np.mean(np.array(least) < level_per_look(6))}
    return {
        key: round(float(value), 4)
        for name, share in shares.items()
        for key, value in ((name, share), (f"{name}.se", (share * (1 - share) / runs) ** 0.5))
    }


if __name__ == "__main__":
    sys.exit(main())
