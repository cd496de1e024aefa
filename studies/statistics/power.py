"""How often a test sees a difference on the number of queries that `ragaliq power` prints, and what it misleads to.

    python studies/statistics/power.py --out studies/statistics/power.json

`normal`: normal differences per query. `en`, `zh`: differences between the reference's systems, weighted by exp(θ d) so
that their mean is the one asked for; `rare`: 95 % of the queries tie, the rest differ by .2 to 1 one way or the other;
`abstainer`: an answer against an abstention on a tenth of the queries. `languages`: normal differences in six languages
with a correlation of .4, tested over all of them by query. The spread is that of the population, the number of queries
that of `plan_power`; the tests are `sign_flip` and `paired_t` at the level printed. Wrong signs and exaggeration are
those of the sign flips' significant results, beside the printed ones, at the number of queries and at a quarter of it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from graded_logs import Array, logs
from pair_tests import Differences, pooled

from ragaliq.compare.planned_power import PowerSettings, Spread, plan_power, planned_spreads
from ragaliq.metrics.statistics.power import seen_difference
from ragaliq.metrics.statistics.significance import paired_t, sign_flip
from record import write

_HERE = Path(__file__).resolve().parent
LANGUAGES, CORRELATION = 6, 0.4


@dataclass(frozen=True, slots=True)
class Population:
    """Differences of a known mean: their spread as `ragaliq power` takes it, and a draw of runs × n means by query."""

    name: str
    difference: float
    spread: Spread
    draw: Callable[[np.random.Generator, int, int], Array]


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--out", type=Path, default=_HERE / "power.json")
    options = parser.parse_args()
    rows = [simulated(population, systems, options.runs) for population in populations() for systems in (2, 4)]
    write(options.out, {"seed": 0, "runs": options.runs, "asked": 0.8,
                        "standard_error": round((0.8 * 0.2 / options.runs) ** 0.5, 4), "rows": rows})  # fmt: skip
    return 0


def populations() -> list[Population]:
    """Return what is simulated."""
    found = [_normal(difference) for difference in (0.03, 0.05, 0.1)]
    sources = {"en": pooled(logs("en")[1]), "zh": pooled(logs("zh")[1]), "rare": _rare(), "abstainer": _abstainer()}
    for name, source in sources.items():
        found += [_graded(name, source.shifted(difference), difference) for difference in (0.03, 0.05, 0.1)]
    return [*found, *(_languages(difference) for difference in (0.03, 0.05))]


def _normal(difference: float) -> Population:
    (spread,) = planned_spreads(0.27, 1, None, 1.0)

    def draw(generator: np.random.Generator, runs: int, n: int) -> Array:
        return generator.normal(difference, 0.27, (runs, n))

    return Population("normal", difference, spread, draw)


def _graded(name: str, source: Differences, difference: float) -> Population:
    (spread,) = planned_spreads(source.sd, 1, None, 1.0)

    def draw(generator: np.random.Generator, runs: int, n: int) -> Array:
        return generator.choice(source.values, (runs, n), p=source.chances)

    return Population(name, difference, spread, draw)


def _languages(difference: float) -> Population:
    _, spread = planned_spreads(0.27, LANGUAGES, CORRELATION, 1.0)

    def draw(generator: np.random.Generator, runs: int, n: int) -> Array:
        shared = generator.normal(0, CORRELATION**0.5, (runs, n, 1))
        own = generator.normal(0, (1 - CORRELATION) ** 0.5, (runs, n, LANGUAGES))
        means: Array = difference + 0.27 * (shared + own).mean(axis=2)
        return means

    return Population("languages", difference, spread, draw)


def _rare() -> Differences:
    sizes = np.array([0.2, 0.4, 0.6, 0.8, 1.0])
    return Differences(np.concatenate([-sizes, [0.0], sizes]), np.array([0.005] * 5 + [0.95] + [0.005] * 5))


def _abstainer() -> Differences:
    return Differences(np.array([-0.6, -0.4, 0.0, 0.4, 0.6]), np.array([0.025, 0.025, 0.9, 0.025, 0.025]))


def simulated(population: Population, systems: int, runs: int) -> dict[str, object]:
    """Return the share of runs that see the difference, and what the significant ones say of it."""
    planned = plan_power([population.spread], PowerSettings(None, population.difference, systems), "w̄").rows[0]
    n, level = planned.needed or 2, planned.level
    quarter = max(10, n // 4)
    row: dict[str, object] = {"population": population.name, "difference": population.difference, "systems": systems,
                              "level": round(level, 5), "n": n}  # fmt: skip
    for key, number in (("at_n", n), ("at_a_quarter", quarter)):
        drawn = population.draw(np.random.default_rng(0), runs, number)
        zeros = np.zeros(number)
        flips = np.array([(sign_flip(zeros, own) or 1.0) < level for own in drawn])
        students = np.array([(paired_t(zeros, own) or 1.0) < level for own in drawn])
        means = drawn.mean(axis=1)[flips]
        printed = seen_difference(population.spread.sd or 0.0, population.difference, number, level)
        row[key] = {
            "n": number,
            "sign_flip": float(flips.mean()),
            "paired_t": float(students.mean()),
            "printed": round(printed.power, 4),
            "wrong_sign": round(float((means < 0).mean()), 5) if len(means) else None,
            "printed_wrong_sign": round(printed.wrong_sign, 5),
            "exaggeration": round(float(np.abs(means).mean()) / population.difference, 3) if len(means) else None,
            "printed_exaggeration": round(printed.exaggeration or 0.0, 3),
        }
    return row


if __name__ == "__main__":
    sys.exit(main())
