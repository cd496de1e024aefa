"""A run's figures as lines for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.aggregate.summary import Summary
from ragaliq.compare.file_results import FileResults
from ragaliq.compare.results import Results
from ragaliq.metrics.answers.aggregates import Aggregates
from ragaliq.report.format import NONE, between, number, thousandths
from ragaliq.types import VerdictOutcome


def headline(summary: Summary, min_coverage: float) -> str:
    """Return one language's figures in one line."""
    values, interval = summary.aggregates, summary.aggregates.weighted_score_ci
    withheld = not summary.covered(min_coverage) or values.weighted_score is None
    score, scale = NONE, ""
    if not withheld:
        ends = "" if interval is None else f"  ci95 {between(interval)}"
        score = f"{thousandths(values.weighted_score)} (mean weight {thousandths(values.mean_weight)}, squared){ends}"
        scale = f"  mean grade {mean_grade(values)}"
    graded = f"graded {values.n_scored}/{values.n_expected}"
    return f"{summary.lang}  weighted_score {score}{scale}  {graded}  judge {summary.judge or NONE}"


def mean_grade(values: Aggregates) -> str:
    """Return the mean grade with what it is of, as in `3.55 of 5 (136 above 0)`."""
    if values.mean_nonzero is None:
        return NONE
    return f"{values.mean_nonzero:.2f} of 5 ({values.n_scored - values.counts[0]} above 0)"


def withheld_lines(results: Results) -> list[str]:
    """Return a line for each headline that is withheld because its coverage is too low."""
    lines = []
    for table in results.languages:
        for row in table.rows:
            values = row.summary.aggregates
            if row.withheld:
                share = f"coverage {number(values.coverage)} ({values.n_scored} of {values.n_expected})"
                line = f"{row.run.folder}: {table.lang}: {share} is below {results.min_coverage:g}"
                lines.append(line + _outdated(row.run, table.lang))
    return lines


def withheld_file_lines(results: FileResults) -> list[str]:
    """Return a line for each file whose headline in a language is withheld because its coverage is too low."""
    return [
        f"{row.name}: {table.lang or 'no language'}: coverage {number(values.coverage)} ({values.n_scored} of "
        f"{values.n_expected}) is below {results.min_coverage:g}"
        for table in results.tables
        for row in table.rows
        if row.withheld
        for values in (row.summary.aggregates,)
    ]


def _outdated(run: RunFigures, lang: str) -> str:
    count = run.n_outdated.get(lang, 0)
    if not count:
        return ""
    verdicts = "verdict is about an earlier answer" if count == 1 else "verdicts are about earlier answers"
    again = "it" if count == 1 else "them"
    return f"; {count} {verdicts}, `ragaliq judge {run.folder} --only-unscored` grades {again} again"


def unscored_lines(run: RunFigures) -> list[str]:
    """Return a line for each reason for which answers or draws have no grade: how many, an example, and what to do."""
    again = f"`ragaliq judge {run.folder} --only-unscored`"
    lines = []
    for reason in run.unscored:
        remedy = f"{again} tries the judge again"
        if reason.outcome is VerdictOutcome.NO_ANSWER:
            remedy = "the same `ragaliq run` command tries the reader again"
        lines.append(f"{reason}; {remedy}{_tracebacks(run, reason.outcome)}")
    if run.n_partly_graded:
        lines.append(
            f"{run.n_partly_graded} answers have a grade, but not from each draw; {again} draws those again that have "
            "none"
        )
    return lines


def _tracebacks(run: RunFigures, outcome: VerdictOutcome) -> str:
    raised = outcome in (VerdictOutcome.NO_ANSWER, VerdictOutcome.API_ERROR) and run.folder.errors_file.is_file()
    return f" (traceback: {run.folder.errors_file})" if raised else ""


def vote_lines(summary: Mapping[str, Any] | None) -> list[str]:
    """Return a run's `vote_agreement` as lines; none for None."""
    if summary is None:
        return []
    panel = bool(summary["all"]["pairs"])
    lines = [_line("all", summary["all"], panel)]
    lines += [
        f"warning[silent-judge]: {judge}: none of its {count} draws has a grade, so the grades are those of the others"
        for judge, count in summary.get("silent", {}).items()
    ]
    if len(summary["by"]) > 1:
        lines += [_line(lang, votes, panel) for lang, votes in summary["by"].items()]
    lines += [_variance_line(lang, votes) for lang, votes in summary["variance"].items() if votes["n"]]
    for own in summary["all"]["within"]:
        lines.append(
            f"draws: repeats of {own['judge']}: flip rate {_share(own['flip_rate'])}, pass against fail "
            f"{_share(own['crossing_rate'])} (n={own['n']})"
        )
    for pair in summary["all"]["pairs"]:
        lines.append(
            f"draws: {pair['first']} and {pair['second']}: QWK {_share(pair['qwk'])}, same grade "
            f"{_share(pair['exact'])} (n={pair['n']})"
        )
    return lines


def _line(lang: str, votes: Mapping[str, Any], panel: bool) -> str:
    ungraded = f", {votes['n_ungraded']} of {votes['n_draws']} draws without a grade" if votes["n_ungraded"] else ""
    differ = "members differ" if panel else "flip rate"
    return (
        f"draws: {lang}: {differ} {_share(votes['flip_rate'])}, pass against fail {_share(votes['crossing_rate'])}, "
        f"mean range {_share(votes['mean_range'])} of the weight, unlike the grade {_share(votes['unlike'])} "
        f"(n={votes['n']}){ungraded}"
    )


def _variance_line(lang: str, votes: Mapping[str, Any]) -> str:
    draws, rest = votes["judge_draws"], votes["unsplit"]
    parts = f"queries and answers {thousandths(rest)}, draws {thousandths(draws)}"
    return f"draws: {lang}: variance of one draw's weight: {parts} ({votes['n']} draws, {votes['n_queries']} queries)"


def _share(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"
