"""How often the rank sets of a whole table hold every true rank, and how many pairs they separate.

Tables of questions are drawn from populations made of the reference's logs (`graded_logs.py`): as they are; with
systems made equal by exchanging their values within a question, all of them or in groups; and with all means made
equal while every system keeps its shape, which no exchange explains. Equal systems share their ranks: a set has to
hold all of them. `max_t` is done to many tables at once, with the same 499 flips for each hundred of them; `check` says
how far its p values are from those of `max_t` with 20,000. With 10,000 runs one standard error is less than .003.

    python studies/statistics/rank_sets.py
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from graded_logs import Array, Population, ceiling, exchanged, logs, observed, tilted

from ragaliq.metrics.statistics.max_t import UNSEEN, max_t
from ragaliq.metrics.statistics.sign_flips import ROUNDING
from ragaliq.metrics.weights import WEIGHTS
from record import write

_HERE = Path(__file__).resolve().parent
FLIPS, BATCH = 499, 100
# Of four systems near the ceiling, each takes the common grade of a question or, as often, one of its own.
SHARED, ROWS = 0.5, 20_000


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=10_000, help="tables for each population and number of queries (10000)")
    add("--n", type=int, nargs="+", default=[25, 70, 200], help="numbers of queries (25 70 200)")
    add("--out", type=Path, default=_HERE / "rank_sets.json", help="file of the figures")
    options = parser.parse_args()
    began, rows = time.process_time(), []
    for name, population in populations().items():
        for n in options.n:
            check_p = round(check(population, n), 3)
            rows.append({"population": name, "n": n, **held(population, n, options.runs), "check": check_p})
            print(rows[-1], file=sys.stderr)
    task = {"runs": options.runs, "flips": FLIPS, "level": 0.95, "cpu_s": round(time.process_time() - began)}
    write(options.out, {"task": task, "rows": rows})
    return 0


def populations() -> dict[str, Population]:
    """Return the populations by name."""
    en, zh = logs("en")[1], logs("zh")[1]
    # The order of the systems is reader by reader, each with the same three embedders.
    embedders = ((0, 3, 6), (1, 4, 7), (2, 5, 8))
    return {
        "en, 9 systems, equal means, unlike shapes": tilted(en),
        "en, 9 systems as observed": observed(en),
        "en, 9 systems, all equal": exchanged(en, tuple(range(9))),
        "en, 9 systems, three groups of equals": exchanged(en, *embedders),
        "en, 4 systems as observed": observed(en[:, :4]),
        "en, 4 systems, all equal": exchanged(en[:, :4], tuple(range(4))),
        "en, 4 systems, equal means, unlike shapes": tilted(en[:, :4]),
        "zh, 3 systems, equal means, unlike shapes": tilted(zh),
        "ceiling, 4 systems, all equal": near_ceiling(en),
    }


def near_ceiling(values: Array) -> Population:
    """Return four equal systems with 95 % fives each, correlated within a question."""
    generator = np.random.default_rng(0)
    weights, mix = np.array(list(WEIGHTS.values())), ceiling(values)
    own = generator.choice(weights, (ROWS, 4), p=mix)
    common = generator.choice(weights, (ROWS, 1), p=mix)
    return exchanged(np.where(generator.random((ROWS, 4)) < SHARED, common, own), tuple(range(4)))


def held(population: Population, n: int, runs: int) -> dict[str, float]:
    """Return the share of tables of which all rank sets hold the true ranks, and what goes with it.

    A set misses where an equal pair is separated, or a pair the wrong way round. `differences_held`: the intervals of
    all pairs hold the true differences at once. `separated`: share of the pairs.
    """
    generator, means = np.random.default_rng(n), population.means
    first, second = np.triu_indices(len(means), 1)
    # Means are made equal to within this rounding; a pair that is equal has no right way round.
    truth = np.round(means[second] - means[first], 6)
    missed = differences = 0
    separated = 0.0
    for _ in range(runs // BATCH):
        tables = np.stack([population.draw(n, generator) for _ in range(BATCH)])
        apart = tables[:, :, second] - tables[:, :, first]
        p, critical = at_once(apart, generator)
        significant = p < 0.05
        missed += int((significant & (np.sign(apart.sum(axis=1).round(9)) != np.sign(truth))).any(axis=1).sum())
        # The interval of a pair holds δ where the pair's statistic about δ is not beyond the critical one.
        about = statistics(apart - truth, floors(apart))
        differences += int((about <= critical[:, None] * (1 + ROUNDING)).all(axis=1).sum())
        separated += float(significant.mean(axis=1).sum())
    done = runs // BATCH * BATCH
    figures = {"ranks_held": 1 - missed / done, "differences_held": differences / done, "separated": separated / done}
    return {key: round(value, 4) for key, value in figures.items()}


def at_once(apart: Array, generator: np.random.Generator) -> tuple[Array, Array]:
    """Do to many tables of differences (tables × queries × pairs) what `max_t` does to one, with the same flips.

    Return the p value of each pair, and for each table the 95 % quantile of the greatest statistic.
    """
    signs = np.where(generator.random((FLIPS, apart.shape[1])) < 0.5, -1.0, 1.0)
    observed, spread = statistics(apart, floors(apart)), spreads(apart, floors(apart))
    greatest = (np.abs(np.matmul(signs, apart)) / spread[:, None, :]).max(axis=2)
    further = (greatest[:, :, None] > observed[:, None, :] * (1 + ROUNDING)).sum(axis=1)
    as_far = (greatest[:, :, None] >= observed[:, None, :] * (1 - ROUNDING)).sum(axis=1) - further
    p = (further + (as_far + 1) / 2) / (FLIPS + 1)
    # Of 499 flips and the one observed, 25 are as far as the 25th from above.
    return np.where(observed > 0, p, 1.0), np.sort(greatest, axis=1)[:, -25]


def floors(apart: Array) -> Array:
    """Return what `max_t` adds to the squares of all pairs of a table."""
    found: Array = UNSEEN * (apart**2).max(axis=(1, 2))
    return found


def spreads(apart: Array, floor: Array) -> Array:
    """Return the divisor of each pair's sum."""
    spread: Array = np.sqrt((apart**2).sum(axis=1) + np.maximum(floor, 1e-12)[:, None])
    return spread


def statistics(apart: Array, floor: Array) -> Array:
    """Return the statistic of each pair."""
    found: Array = np.abs(apart.sum(axis=1)) / spreads(apart, floor)
    return found


def check(population: Population, n: int) -> float:
    """Return the greatest distance between p values of pairs here and those of `max_t` with 20,000 flips."""
    generator = np.random.default_rng(n)
    tables = np.stack([population.draw(n, generator) for _ in range(10)])
    first, second = np.triu_indices(tables.shape[2], 1)
    here, _ = at_once(tables[:, :, second] - tables[:, :, first], generator)
    there = []
    for table in tables:
        flips = max_t(table, 0, 20_000)
        there.append([flips.p(float(statistic)) for statistic in flips.statistics])
    return float(np.abs(here - np.array(there)).max())


if __name__ == "__main__":
    sys.exit(main())
