"""Two systems: how often a test at 5 % sees a difference that is not there, and one that is (power).

Level: two systems of each population are equal on average and keep their own shapes (questions are reweighted: tilted),
which no exchange of signs explains, or their values are exchanged within each question; all pairs of a population count
alike. Populations are those of the reference's logs and generated ones (`generated.py`): near the ceiling, with rare
large differences, with abstainers. Power: differences per query are drawn from those between all pairs of the
reference's systems, either way round, weighed by exp(θ d) with θ to the true difference. Equivalence: systems that
differ by exactly the margin must rarely be called equal. With 10,000 runs one standard error is .002.

    python studies/statistics/pair_tests.py
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generated import abstaining_values, near_ceiling, near_ceiling_values, rare_values
from graded_logs import Array, Population, exchanged, logs, tilted

from ragaliq.metrics.statistics.equivalence import equivalence
from ragaliq.metrics.statistics.power import detectable_difference, queries_needed
from ragaliq.metrics.statistics.significance import paired_t, sign_flip
from record import write

_HERE = Path(__file__).resolve().parent
NUMBERS, MARGINS = (25, 70, 200), (0.03, 0.05, 0.1)
# Values of graded answers are counted; these are for what is not.
DRAWS = 999
POWER_NUMBERS = (25, 50, 70, 100, 150, 200, 300, 500)
DIFFERENCES = (0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15)


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences that a query can have, with the chance of each."""

    values: Array
    chances: Array

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return float(np.sqrt(self.chances @ self.values**2 - (self.chances @ self.values) ** 2))

    def shifted(self, mean: float) -> Differences:
        """Return the same values with other chances, so that the mean is `mean`."""

        def excess(theta: float) -> float:
            raised = np.exp(theta * self.values) * self.chances
            return float(raised @ self.values / raised.sum()) - mean

        raised = np.exp(brentq(excess, -50, 50) * self.values) * self.chances
        return Differences(self.values, raised / raised.sum())

    def draw(self, n: int, runs: int, seed: int) -> NDArray[np.float64]:
        """Return runs × n differences."""
        generator = np.random.default_rng(seed)
        return generator.choice(self.values, (runs, n), p=self.chances)


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=10_000, help="samples for each cell of the tests' level (10000)")
    add("--power_runs", type=int, default=2000, help="samples for each cell of the power curve (2000)")
    add("--out", type=Path, default=_HERE / "pair_tests.json", help="file of the figures")
    options = parser.parse_args()
    began = time.process_time()
    sources = {"en": pooled(logs("en")[1]), "zh": pooled(logs("zh")[1])}
    ceiling = {"ceiling": pooled(near_ceiling(logs("en")[1]).values)}
    figures = {
        "differences": {name: _described(found) for name, found in {**sources, **ceiling}.items()},
        "equal_systems": [
            {"source": name, "n": n, **rejected(found, n, options.runs)}
            for name, found in equals().items()
            for n in NUMBERS
        ],
        "power": [row for name, found in sources.items() for row in power_curve(name, found, options.power_runs)],
        "equivalence": [
            {"source": name, "n": n, "margin": margin, **called_equal(found, n, margin, options.runs)}
            for name, found in {**sources, **ceiling}.items()
            for n in NUMBERS
            for margin in MARGINS
        ],
    }
    task = {"runs": options.runs, "power_runs": options.power_runs, "cpu_s": round(time.process_time() - began)}
    write(options.out, {"task": task, **figures})
    print(f"figures: {options.out}")
    return 0


def pooled(values: Array) -> Differences:
    """Return the differences between every two systems, either way round."""
    systems = values.shape[1]
    apart = [values[:, b] - values[:, a] for a in range(systems) for b in range(systems) if a != b]
    found, counts = np.unique(np.round(np.concatenate(apart), 6), return_counts=True)
    return Differences(found.astype(np.float64), counts / counts.sum())


def _described(found: Differences) -> dict[str, float]:
    ties = float(found.chances[found.values == 0].sum())
    detectable = detectable_difference(found.sd, 70)
    needed = {f"n_for_{margin}": queries_needed(found.sd, margin) or 0 for margin in MARGINS}
    return {"sd": round(found.sd, 4), "ties": round(ties, 4), "detectable_at_70": round(detectable or 0, 4), **needed}


def equals() -> dict[str, list[Population]]:
    """Return populations of equal systems: for each name, one for every pair of systems, with these two alone."""
    values = {
        "en": logs("en")[1],
        "zh": logs("zh")[1],
        "ceiling": near_ceiling_values(logs("en")[1]),
        "rare large differences": rare_values(),
        "abstainers": abstaining_values(),
    }
    pairs = {name: [own[:, [a, b]] for a, b in combinations(range(own.shape[1]), 2)] for name, own in values.items()}
    found = {f"{name}, tilted": [tilted(pair) for pair in own] for name, own in pairs.items()}
    return found | {f"{name}, swapped": [exchanged(pair, (0, 1)) for pair in own] for name, own in pairs.items()}


def rejected(pairs: Sequence[Population], n: int, runs: int) -> dict[str, float]:
    """Return how often each test says that equal systems differ, over all pairs, and the worst pair's share."""
    generator = np.random.default_rng(n)
    seen: dict[str, list[float]] = {"sign_flip": [], "paired_t": [], "cannot_reject": []}
    for population in pairs:
        counts = dict.fromkeys(seen, 0)
        each = -(-runs // len(pairs))
        for _ in range(each):
            first, second = population.draw(n, generator).T
            flip, student = sign_flip(first, second, draws=DRAWS), paired_t(first, second)
            counts["sign_flip"] += flip is not None and flip < 0.05
            counts["paired_t"] += student is not None and student < 0.05
            # With so few untied queries not even all of them one way would do.
            counts["cannot_reject"] += 2.0 ** -int((np.abs(second - first) > 1e-9).sum()) >= 0.05
        for name, count in counts.items():
            seen[name].append(count / each)
    means = {name: round(float(np.mean(shares)), 4) for name, shares in seen.items()}
    error = float(np.sqrt(means["sign_flip"] * (1 - means["sign_flip"]) / runs))
    return {**means, "se": round(error, 4), "worst_pair": round(max(seen["sign_flip"]), 4)}


def power_curve(name: str, found: Differences, runs: int) -> list[dict[str, object]]:
    """Return for each true difference and number of queries how often `sign_flip` sees it, and the formula."""
    rows: list[dict[str, object]] = []
    for difference in DIFFERENCES:
        shifted = found.shifted(difference)
        for n in POWER_NUMBERS:
            seen = sum(
                flip is not None and flip < 0.05
                for flip in (sign_flip(np.zeros(n), drawn) for drawn in shifted.draw(n, runs, n))
            )
            row = {
                "source": name,
                "difference": difference,
                "n": n,
                "power": seen / runs,
                "formula": round(power_of(difference, shifted.sd, n), 4),
            }
            rows.append(row)
    return rows


def power_of(difference: float, sd: float, n: int) -> float:
    """Return the chance that a paired t test at .05 sees a true difference, by the noncentral t."""
    from scipy import stats

    critical, shift = stats.t.ppf(0.975, n - 1), difference / sd * n**0.5
    return float(stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift))


def called_equal(found: Differences, n: int, margin: float, runs: int) -> dict[str, float]:
    """Return how often systems that differ by the margin, and systems that do not differ, are called equal."""
    shares = {}
    for key, source in (("at_margin", found.shifted(margin)), ("equal", found)):
        results = (equivalence(np.zeros(n), drawn, margin) for drawn in source.draw(n, runs, n))
        shares[key] = sum(result is not None and result.equivalent for result in results) / runs
    return shares


if __name__ == "__main__":
    sys.exit(main())
