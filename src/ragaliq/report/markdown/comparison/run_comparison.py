"""A comparison of TREC runs as tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.compare.standings import LEVEL, Comparison, PairwiseResult, PValues, Section
from ragaliq.experiment.figures.measured_run import MeasuredRun
from ragaliq.report.format import NONE, bullets, decimals, markdown, p_value, span
from ragaliq.report.markdown.comparison.verdict import verdict
from ragaliq.report.markdown.measures import labels
from ragaliq.storage.files import json_text

_HOLM = "over the runs compared with the baseline, within each measure"


def render_run_comparison(runs: Sequence[MeasuredRun], comparison: Comparison, form: str, full: bool = False) -> str:
    """Return a comparison of runs with the first one as `json` or `md`.

    `md` is the verdict on the first measure in a sentence and a short table; `full` adds the tests of each measure.
    """
    if form == "json":
        return json_text(_to_json(runs, comparison))
    first, *names = labels(runs)
    parts = [f"{verdict(comparison.sections[0], (first, *names), decimals)}, on {_queries(runs)}."]
    if not full:
        rows = [row for section in comparison.sections for row in _short(section, (first, *names))]
        told = "`--full` shows the tests and what the columns mean; the sentence is about the first measure."
        return "\n\n".join([*parts, markdown(rows), told])
    for section in comparison.sections:
        above = {"run": first, "mean": decimals(section.rows[0].effect.baseline), "outcome": "baseline"}
        cells = [{"run": name} | _cells(row, len(names) > 1) for name, row in zip(names, section.rows, strict=True)]
        table = markdown([dict.fromkeys(cells[0], NONE) | above, *cells])
        parts += [f"## {section.metric.name}\n\n{section.metric.meaning}", table]
    return "\n\n".join([*parts, _lines(runs)])


def _short(section: Section, names: Sequence[str]) -> list[dict[str, str]]:
    measure, first = section.metric.name, section.rows[0].effect.baseline
    rows = [{"measure": measure, "run": names[0], "mean": decimals(first), "outcome": "baseline"}]
    for name, row in zip(names[1:], section.rows, strict=True):
        difference = f"{decimals(row.effect.difference, sign=True)} ({span(row.interval, sign=True)})"
        mean = decimals(row.effect.compared)
        rows.append({"measure": measure, "run": name, "mean": mean, "difference (ci95)": difference,
                     "outcome": str(row.outcome)})  # fmt: skip
    order = ("measure", "run", "mean", "difference (ci95)", "outcome")
    return [{key: row.get(key, NONE) for key in order} for row in rows]


def _to_json(runs: Sequence[MeasuredRun], comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as programs read it; undefined is None."""
    return {
        "baseline": runs[0].name,
        "n_queries": len(runs[0].evaluation.query_ids),
        "n_missing_in_run": {run.name: run.evaluation.n_missing for run in runs},
        "correction": f"Holm, {_HOLM}",
        "seed": comparison.settings.seed,
        "comparisons": [_row(section, row) for section in comparison.sections for row in section.rows],
        "warnings": list(dict.fromkeys(finding for run in runs for finding in run.findings)),
    }


def _row(section: Section, row: PairwiseResult) -> dict[str, Any]:
    return {
        "measure": section.metric.name,
        "run": row.name,
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


def _cells(row: PairwiseResult, several: bool) -> dict[str, str]:
    percent = row.effect.percent
    return {
        "mean": decimals(row.effect.compared),
        "difference": decimals(row.effect.difference, sign=True),
        "%": NONE if percent is None else f"{percent:+.1f}",
        "ci95": span(row.interval, sign=True),
        **_p_cells("p", row.p),
        **(_p_cells("Holm", row.holm) if several else {}),
        "win/tie/loss": f"{row.wins.wins}/{row.wins.ties}/{row.wins.losses}",
        "outcome": str(row.outcome),
    }


def _p_cells(title: str, p: PValues) -> dict[str, str]:
    return {title: p_value(p.permutation), f"{title} (t)": p_value(p.t), f"{title} (bootstrap)": p_value(p.bootstrap)}


def _queries(runs: Sequence[MeasuredRun]) -> str:
    missing = [f"{label} {run.evaluation.n_missing}" for label, run in zip(labels(runs), runs, strict=True)]
    any_missing = any(run.evaluation.n_missing for run in runs)
    told = f"; missing in a run and counted 0: {', '.join(dict.fromkeys(missing))}" if any_missing else ""
    return f"{len(runs[0].evaluation.query_ids)} queries, paired{told}"


def _lines(runs: Sequence[MeasuredRun]) -> str:
    several = len(runs) > 2
    lines = [
        f"{_queries(runs)}.",
        "difference: run minus baseline; %: of the baseline's mean; ci95: bootstrap over queries.",
        "p: two-sided; sign-flip permutation (mid-p), which decides; t: paired t test; bootstrap: of the interval.",
        *([f"Holm: p corrected {_HOLM}."] if several else []),
        f"outcome: better or worse where the permutation's {'corrected ' if several else ''}p < {LEVEL:g}; "
        "undecided is not equal.",
    ]
    return bullets(lines)
