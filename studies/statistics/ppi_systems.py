"""How often prediction-powered intervals of one system hold, with a judge whose bias depends on the system.

    python studies/statistics/ppi_systems.py --out studies/statistics/ppi_systems.json

Five systems of 200 answers each to the same queries; the judge is `fair` to the first, a quarter of its verdicts are a
grade too high for the second (`kind`) and too low for the third (`stern`), half of the fourth's abstentions count as
wrong (`refusals_missed`), and 40 % of the fifth's verdicts are guesses (`noisy`). 30 answers of each are labelled.
`others_labels`: all 150 labels stand for the system, as the package did before it told systems apart. `own_labels`:
those of the system alone. Populations: `logs`, the shares of grades of five of the reference's English logs; `ceiling`,
95 % fives; `abstainer`, 90 % zeros, the rest fives and ones.

`over_all`: the mean over all answers where the systems have 50, 40, 30, 20 and 10 labels, with every label alike
(`unweighted`) and with the labels of a system weighted by its answers (`weighted`).
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from graded_logs import logs, shares
from ppi import CEILING, FAIR, MIX, Array, Grades, judged, leaning

from ragaliq.compare.agreement.members import Members
from ragaliq.compare.agreement.pairs import GradedPair
from ragaliq.compare.agreement.population import powered_mean
from ragaliq.formats.grades.rows import GradedRow
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.metrics.statistics.prediction_powered import MeanEstimate, Values, prediction_powered
from record import write

_HERE = Path(__file__).resolve().parent
_WEIGHT = np.array([WEIGHTS[grade] for grade in range(6)])
N_ANSWERS, N_LABELS, UNLIKE = 200, 30, (50, 40, 30, 20, 10)
ABSTAINER = np.array([0.9, 0.05, 0.0, 0.0, 0.0, 0.05])


def judges() -> dict[str, Array]:
    """Return the judge's noise on each system."""
    missed = FAIR.copy()
    missed[0] = 0.5 * FAIR[0] + 0.5 * np.eye(6)[1]
    noisy = 0.6 * FAIR + 0.4 * np.tile(MIX, (6, 1))
    return {"fair": FAIR, "kind": leaning(FAIR, 1), "stern": leaning(FAIR, -1), "refusals_missed": missed,
            "noisy": noisy}  # fmt: skip


def populations() -> dict[str, list[Array]]:
    """Return the shares of the grades 0..5 of each system."""
    _, values = logs("en")
    order = [list(WEIGHTS).index(grade) for grade in range(6)]
    observed = [shares(values[:, column])[order] for column in (0, 2, 4, 6, 8)]
    return {"logs": observed, "ceiling": [CEILING] * 5, "abstainer": [ABSTAINER] * 5}


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--out", type=Path, default=_HERE / "ppi_systems.json")
    options = parser.parse_args()
    figures = {name: simulated(mixes, options.runs) for name, mixes in populations().items()}
    head = {"seed": 0, "runs": options.runs, "nominal": 0.95, "n_answers": N_ANSWERS, "n_labels": N_LABELS}
    write(options.out, {**head, "standard_error": round((0.95 * 0.05 / options.runs) ** 0.5, 4),
                        "populations": figures})  # fmt: skip
    return 0


def simulated(mixes: Sequence[Array], runs: int) -> dict[str, object]:
    """Return the coverage of both ways for each system, and of the mean over all."""
    generator = np.random.default_rng(0)
    noises = judges()
    truths = dict(zip(noises, (float(mix @ _WEIGHT) for mix in mixes), strict=True))
    held: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for seed in range(runs):
        drawn = {}
        for (name, noise), mix in zip(noises.items(), mixes, strict=True):
            labels = generator.choice(6, size=N_ANSWERS, p=mix)
            drawn[name] = labels, judged(generator, labels, noise), generator.permutation(N_ANSWERS)
        own = powered_mean(_members(drawn, [N_LABELS] * 5), seed)
        everyone = float(np.mean(list(truths.values())))
        for name, truth in truths.items():
            estimates = own.by_system[name].estimates
            held[name]["own_labels"].append(_held(None if estimates is None else estimates.prediction_powered, truth))
            held[name]["others_labels"].append(_held(_with_all_labels(drawn, name, seed), truth))
        unlike = _members(drawn, UNLIKE)
        weighted = powered_mean(unlike, seed).estimates
        held["over_all"]["weighted"].append(_held(None if weighted is None else weighted.prediction_powered, everyone))
        held["over_all"]["unweighted"].append(_held(_unweighted(unlike, seed), everyone))
    return {name: {way: _summary(values) for way, values in ways.items()} for name, ways in held.items()}


Drawn = dict[str, tuple[Grades, Grades, "np.ndarray[tuple[int], np.dtype[np.int64]]"]]


def _members(drawn: Drawn, counts: Sequence[int]) -> Members:
    pairs, rows = [], []
    for (name, (labels, verdicts, order)), count in zip(drawn.items(), counts, strict=True):
        for place, query in enumerate(order):
            row = GradedRow("", int(verdicts[query]), str(query), "en", run=name)
            if place < count:
                pairs.append(GradedPair(int(verdicts[query]), int(labels[query]), "en", str(query), row, True))
            else:
                rows.append(row)
    return Members(tuple(pairs), tuple(rows))


def _with_all_labels(drawn: Drawn, system: str, seed: int) -> MeanEstimate | None:
    chosen = {name: (labels[order[:N_LABELS]], verdicts[order[:N_LABELS]], order[:N_LABELS])
              for name, (labels, verdicts, order) in drawn.items()}  # fmt: skip
    labels, verdicts, queries = (np.concatenate(column) for column in zip(*chosen.values(), strict=True))
    _, others, order = drawn[system]
    labelled = Values(_WEIGHT[verdicts], queries.tolist(), _WEIGHT[labels])
    unlabelled = Values(_WEIGHT[others[order[N_LABELS:]]], order[N_LABELS:].tolist())
    found = prediction_powered(labelled, unlabelled, tuple(WEIGHTS.values()), seed=seed)
    return None if found is None else found.prediction_powered


def _unweighted(members: Members, seed: int) -> MeanEstimate | None:
    pairs, rows = members.labelled, members.unlabelled
    labelled = Values([_WEIGHT[pair.verdict] for pair in pairs], [pair.cluster for pair in pairs],
                      [_WEIGHT[pair.label] for pair in pairs])  # fmt: skip
    unlabelled = Values([_WEIGHT[row.grade or 0] for row in rows], [row.query_id for row in rows])
    found = prediction_powered(labelled, unlabelled, tuple(WEIGHTS.values()), seed=seed)
    return None if found is None else found.prediction_powered


def _held(estimate: MeanEstimate | None, truth: float) -> tuple[float, float]:
    """Return whether the interval holds the truth, and its width; a missing interval holds nothing."""
    if estimate is None or estimate.interval is None:
        return 0.0, float("nan")
    low, high = estimate.interval
    return float(low <= truth <= high), high - low


def _summary(values: Sequence[tuple[float, float]]) -> dict[str, float]:
    held, widths = np.array(values).T
    return {"coverage": round(float(held.mean()), 4), "mean_width": round(float(np.nanmean(widths)), 4),
            "no_interval": int(np.isnan(widths).sum())}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
