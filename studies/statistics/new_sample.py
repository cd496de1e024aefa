"""How often the interval for a new sample holds the mean of one, and today's interval beside it; today's winner again.

Two samples of n and m queries are drawn from a population; the first gives w̄ with its interval (`weight_interval`), as
it is and widened (`new_sample_interval`), the second a mean. `winner_again`: the best system of the first sample is
best in the second; `selection`: its selection frequency in the first, on average.

    python studies/statistics/new_sample.py
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generated import abstainers, near_ceiling, rare_large
from graded_logs import Population, logs, observed

from ragaliq.metrics.statistics.intervals import weight_interval
from ragaliq.metrics.statistics.ranks.new_sample import new_sample_interval
from ragaliq.metrics.statistics.ranks.selection import selection_frequency
from ragaliq.metrics.weights import WEIGHTS
from record import write

_HERE = Path(__file__).resolve().parent
SIZES = ((25, 25), (70, 70), (200, 200), (70, 200))


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=2000, help="pairs of samples for each population and size (2000)")
    add("--out", type=Path, default=_HERE / "new_sample.json", help="file of the figures")
    options = parser.parse_args()
    began = time.process_time()
    en = logs("en")[1]
    populations = {
        "en as observed": observed(en),
        "zh as observed": observed(logs("zh")[1]),
        "ceiling": near_ceiling(en),
        "rare large differences": rare_large(),
        "abstainers": abstainers(),
    }
    rows = [
        {"population": name, "n": n, "m": m, **held(population, n, m, options.runs)}
        for name, population in populations.items()
        for n, m in SIZES
    ]
    write(options.out, {"task": {"runs": options.runs, "cpu_s": round(time.process_time() - began)}, "rows": rows})
    return 0


def held(population: Population, n: int, m: int, runs: int) -> dict[str, float]:
    """Return the share of pairs of samples in which an interval of the first holds the mean of the second."""
    generator = np.random.default_rng(n + m)
    grade_of = {weight: grade for grade, weight in WEIGHTS.items()}
    today, new, again, selection = 0, 0, 0, 0.0
    systems = population.values.shape[1]
    for run in range(runs):
        first, second = population.draw(n, generator), population.draw(m, generator)
        column = run % systems
        grades = sorted(grade_of[round(float(value), 1)] for value in first[:, column])
        interval = weight_interval(grades)
        assert interval is not None
        mean, there = float(first[:, column].mean()), float(second[:, column].mean())
        wider = new_sample_interval(mean, interval, n, m)
        today += interval.low - 1e-9 <= there <= interval.high + 1e-9
        new += wider.low - 1e-9 <= there <= wider.high + 1e-9
        best = int(first.mean(axis=0).argmax())
        again += int(second.mean(axis=0).argmax()) == best
        selection += selection_frequency(first)[best] if run < SELECTED else 0.0
    shares = {"today": today / runs, "new_sample": new / runs, "winner_again": again / runs}
    errors = {f"{name}.se": (share * (1 - share) / runs) ** 0.5 for name, share in shares.items()}
    shares["selection"] = selection / min(runs, SELECTED)
    return {name: round(value, 4) for name, value in (shares | errors).items()}


# Samples for the mean selection frequency of the winner.
SELECTED = 200


if __name__ == "__main__":
    sys.exit(main())
