"""How often the rank sets of a whole table hold every true rank, and how many pairs they separate: one step, step-down.

Tables of questions are drawn from populations made of the reference's logs (`graded_logs.py`) and from generated ones
(`generated.py`): as they are; with systems made equal by exchanging their values within a question, all of them or in
groups; with all means made equal while every system keeps its shape, which no exchange explains; and each of these
with a bad system beside them, which leaves only part of the pairs equal. Equal systems share their ranks: a set has to
hold all of them. `max_t` is done to many tables at once (`many_tables.py`); `check` says how far its p values are from
those of `max_t` with 20,000 flips.

    python studies/statistics/rank_sets.py
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generated import abstainers, near_ceiling, rare_large, small_steps, with_bad
from graded_logs import Population, exchanged, logs, observed, tilted
from many_tables import BATCH, FLIPS, LEVEL, check, floors, pairs_of, share, statistics, tested

from ragaliq.metrics.statistics.sign_flips import ROUNDING
from record import write

_HERE = Path(__file__).resolve().parent


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
            rows.append({"population": name, "n": n, **held(population, n, options.runs)})
            print(rows[-1], file=sys.stderr)
    task = {"runs": options.runs, "flips": FLIPS, "level": 1 - LEVEL, "cpu_s": round(time.process_time() - began)}
    write(options.out, {"task": task, "rows": rows})
    return 0


def populations() -> dict[str, Population]:
    """Return the populations by name."""
    en, zh = logs("en")[1], logs("zh")[1]
    # The order of the systems is reader by reader, each with the same three embedders.
    embedders = ((0, 3, 6), (1, 4, 7), (2, 5, 8))
    steps = small_steps()
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
        "rare large differences, 4 systems, equal means": rare_large(),
        "abstainers, 4 systems, equal means": abstainers(),
        "en, 9 systems, equal means, and a bad one": with_bad(tilted(en)),
        "en, 4 systems, equal means, and a bad one": with_bad(tilted(en[:, :4])),
        "en, 4 systems, all equal, and a bad one": with_bad(exchanged(en[:, :4], tuple(range(4)))),
        "en, three groups of equals, and a bad one": with_bad(exchanged(en, *embedders)),
        "zh, 3 systems, equal means, and a bad one": with_bad(tilted(zh)),
        "ceiling, 4 systems, all equal, and a bad one": with_bad(near_ceiling(en)),
        "rare large differences, equal means, and a bad one": with_bad(rare_large()),
        "abstainers, equal means, and a bad one": with_bad(abstainers()),
        "small steps, 3 systems": steps,
        "small steps, 3 systems, and a bad one": with_bad(steps),
    }


def held(population: Population, n: int, runs: int) -> dict[str, object]:
    """Return the share of tables of which all rank sets hold the true ranks, and what goes with it.

    A set misses where an equal pair is separated, or a pair the wrong way round. `differences_held`: the intervals of
    all pairs hold the true differences at once. `separated`: share of the pairs that truly differ and are separated.
    `first_third`: the first and the third system are separated.
    """
    generator, means = np.random.default_rng(n), population.means
    columns = [list(range(len(means)))]
    first, second, _ = pairs_of(columns)
    # Means are made equal to within this rounding; a pair that is equal has no right way round.
    truth = np.round(means[second] - means[first], 4)
    apart_truly = truth != 0
    third = next(place for place, pair in enumerate(zip(first, second, strict=True)) if pair == (0, 2))
    found: dict[str, list[NDArray[np.generic]]] = {}
    checked = 0.0
    for batch in range(runs // BATCH):
        tables = np.stack([population.draw(n, generator) for _ in range(BATCH)])
        apart = np.round(tables[:, :, second] - tables[:, :, first], 9)
        p = tested(apart, generator)
        wrong_way = np.sign(apart.sum(axis=1).round(9)) != np.sign(truth)
        for name, values in (("one_step", p.one_step), ("step_down", p.stepped)):
            significant = values < LEVEL
            found.setdefault(f"{name}.ranks_held", []).append(np.logical_not((significant & wrong_way).any(axis=1)))
            if apart_truly.any():
                right = (significant & ~wrong_way)[:, apart_truly]
                found.setdefault(f"{name}.separated", []).append(right.mean(axis=1))
            found.setdefault(f"{name}.first_third", []).append(significant[:, third])
        # The interval of a pair holds δ where the pair's statistic about δ is not beyond the critical one.
        about = statistics(apart - truth, floors(apart))
        inside = about <= p.critical[:, None] * (1 + ROUNDING)
        found.setdefault("differences_held", []).append(np.asarray(inside.all(axis=1)))
        checked = checked if batch else check(tables[:10], columns, generator)
    return {key: share(values) for key, values in found.items()} | {"check": round(checked, 3)}


if __name__ == "__main__":
    sys.exit(main())
