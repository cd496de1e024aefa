"""Runs against a baseline on the same queries, measure by measure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ragaliq.metrics.retrieval.measures import Measure
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.significance import Effect, Wins, effect, paired_bootstrap, paired_t, sign_flip, wins
from ragaliq.report.markdown.measures import MeasuredRun, between, decimals, labels, markdown
from ragaliq.report.markdown.results import NONE

LEVEL = 0.05
# Measures of which less is better; a comparison of them is turned round.
_LESS_IS_BETTER = ("Hole",)
_HOLM = "over the runs compared with the baseline, within each measure"


class Outcome(StrEnum):
    """What the data say of a run against the baseline; `UNDECIDED` is not "equal"."""

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class PValues:
    """Two-sided p values of one difference; None where a test is undefined."""

    permutation: float | None
    t: float | None
    bootstrap: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """One run against the baseline on one measure.

    Attributes:
        run: name of the run.
        effect: both means and their difference, run minus baseline.
        interval: 95 % bootstrap interval of the difference.
        p: the p values of this difference alone.
        holm: the same, corrected for the number of runs compared.
        wins: queries on which the run is better, level and worse.
        outcome: better or worse where the corrected p value of the permutation is below .05.
    """

    run: str
    effect: Effect
    interval: Interval | None
    p: PValues
    holm: PValues
    wins: Wins
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs against a baseline: the measures with what was compared on each, in the order asked for."""

    baseline: MeasuredRun
    others: tuple[MeasuredRun, ...]
    rows: tuple[tuple[Measure, tuple[Compared, ...]], ...]
    seed: int

    @property
    def worse(self) -> list[Compared]:
        """The runs that are worse than the baseline on the first measure."""
        return [row for row in self.rows[0][1] if row.outcome is Outcome.WORSE]


def compare_runs(baseline: MeasuredRun, others: Sequence[MeasuredRun], seed: int = 0) -> Comparison:
    """Compare runs that were measured under the same judgements.

    The p values of a measure are corrected by Holm's method for the number of runs; measures are not counted, as each
    asks a question of its own, and the first one decides.
    """
    rows = tuple((measure, _on(measure, baseline, others, seed)) for measure in baseline.measures)
    return Comparison(baseline, tuple(others), rows, seed)


def _on(measure: Measure, baseline: MeasuredRun, others: Sequence[MeasuredRun], seed: int) -> tuple[Compared, ...]:
    first = baseline.evaluation.values[str(measure)]
    values = [run.evaluation.values[str(measure)] for run in others]
    flips = [sign_flip(first, second, seed) for second in values]
    students = [paired_t(first, second) for second in values]
    bootstraps = [paired_bootstrap(first, second, seed) for second in values]
    raw = [[test.p if test else None for test in tests] for tests in (flips, students, bootstraps)]
    corrected = [holm(column) for column in raw]
    rows = []
    for place, (run, second) in enumerate(zip(others, values, strict=True)):
        found, bootstrap = effect(first, second), bootstraps[place]
        interval = bootstrap.interval if bootstrap else None
        less = measure.name in _LESS_IS_BETTER
        counts = wins(second, first) if less else wins(first, second)
        p, own = (PValues(*(column[place] for column in columns)) for columns in (raw, corrected))
        outcome = _outcome(found.difference, own.permutation, less)
        rows.append(Compared(run.name, found, interval, p, own, counts, outcome))
    return tuple(rows)


def _outcome(difference: float | None, p: float | None, less_is_better: bool) -> Outcome:
    if difference is None or p is None or p >= LEVEL:
        return Outcome.UNDECIDED
    return Outcome.WORSE if (difference < 0) != less_is_better else Outcome.BETTER


def render_comparison(comparison: Comparison, form: str) -> str:
    """Return a comparison as `json` or `md`."""
    if form == "json":
        return json.dumps(to_json(comparison), ensure_ascii=False, indent=2, allow_nan=False)
    first, *names = labels((comparison.baseline, *comparison.others))
    parts = []
    for measure, rows in comparison.rows:
        baseline = {"run": first, "mean": decimals(comparison.baseline.evaluation.mean(str(measure)))}
        cells = [{"run": name} | _cells(row, len(rows) > 1) for name, row in zip(names, rows, strict=True)]
        above = dict.fromkeys(cells[0], NONE) | baseline | {"outcome": "baseline"}
        table = markdown(list(above), [list(row.values()) for row in (above, *cells)])
        parts += [f"## {measure}\n\n{measure.meaning}", table]
    return "\n\n".join([*parts, _lines(comparison)])


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as programs read it; undefined is None."""
    runs = (comparison.baseline, *comparison.others)
    return {
        "baseline": comparison.baseline.name,
        "n_queries": len(comparison.baseline.evaluation.query_ids),
        "n_missing_in_run": {run.name: run.evaluation.n_missing for run in runs},
        "correction": f"Holm, {_HOLM}",
        "seed": comparison.seed,
        "comparisons": [_row(measure, row) for measure, rows in comparison.rows for row in rows],
        "warnings": list(dict.fromkeys(finding for run in runs for finding in run.findings)),
    }


def _row(measure: Measure, row: Compared) -> dict[str, Any]:
    return {
        "measure": str(measure),
        "run": row.run,
        "n": row.effect.n,
        "baseline_mean": row.effect.baseline,
        "mean": row.effect.compared,
        "difference": row.effect.difference,
        "percent": row.effect.percent,
        "ci": row.interval,
        "p_permutation": row.p.permutation,
        "p_t": row.p.t,
        "p_bootstrap": row.p.bootstrap,
        "holm_permutation": row.holm.permutation,
        "holm_t": row.holm.t,
        "holm_bootstrap": row.holm.bootstrap,
        "wins": row.wins.wins,
        "ties": row.wins.ties,
        "losses": row.wins.losses,
        "outcome": str(row.outcome),
    }


def _cells(row: Compared, several: bool) -> dict[str, str]:
    percent = row.effect.percent
    return {
        "mean": decimals(row.effect.compared),
        "difference": decimals(row.effect.difference, sign=True),
        "%": NONE if percent is None else f"{percent:+.1f}",
        "ci95": between(row.interval, sign=True),
        **_p_cells("p", row.p),
        **(_p_cells("Holm", row.holm) if several else {}),
        "win/tie/loss": f"{row.wins.wins}/{row.wins.ties}/{row.wins.losses}",
        "outcome": str(row.outcome),
    }


def _p_cells(title: str, p: PValues) -> dict[str, str]:
    return {title: _p(p.permutation), f"{title} (t)": _p(p.t), f"{title} (bootstrap)": _p(p.bootstrap)}


def _p(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def _lines(comparison: Comparison) -> str:
    runs = (comparison.baseline, *comparison.others)
    counts = dict(zip(labels(runs), (run.evaluation.n_missing for run in runs), strict=True))
    missing = ", ".join(f"{label} {count}" for label, count in counts.items())
    told = f"; missing in a run and counted 0: {missing}" if any(counts.values()) else ""
    several = len(comparison.others) > 1
    lines = [
        f"{len(comparison.baseline.evaluation.query_ids)} queries, paired{told}.",
        "difference: run minus baseline; %: of the baseline's mean; ci95: bootstrap over queries.",
        "p: two-sided; sign-flip permutation (mid-p), which decides; t: paired t test; bootstrap: of the interval.",
        *([f"Holm: p corrected {_HOLM}."] if several else []),
        f"outcome: better or worse where the permutation's {'corrected ' if several else ''}p < {LEVEL:g}; "
        "undecided is not equal.",
    ]
    return "\n".join(f"- {line}" for line in lines)
