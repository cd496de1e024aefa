"""The tables of results.md of one language: its runs, best first, and what the data say of their order."""

from __future__ import annotations

from ragaliq.aggregate.summary import Summary
from ragaliq.compare.overview.language_tables import LanguageRow, LanguageTable
from ragaliq.metrics.answers.aggregates import GRADES
from ragaliq.metrics.statistics.ranks.rank_sets import RankSet
from ragaliq.report.format import NONE, between, escaped, markdown, ranks, seconds, short, thousandths
from ragaliq.report.markdown.tables.systems import TEXTS, system_names


def language_section(table: LanguageTable) -> str:
    """Return the part of results.md on one language."""
    told = map(escaped, (*table.ranking, *_lost(table), *_flags(table)))
    return "\n\n".join([escaped(f"## {table.lang}"), markdown([_row(row) for row in table.rows], texts=TEXTS), *told])


def grade_columns(
    summary: Summary, withheld: bool, taken: float | None, rank_set: RankSet | None, selection: float | None
) -> dict[str, str]:
    """Return the columns from `lang` to `judge`; `taken` are the reader's seconds."""
    values = summary.aggregates
    percentages = {"percentage": values.percentage, "percentage_with_zero": values.percentage_with_zero}
    counted = str(values.n_scored) if values.n_expected is None else f"{values.n_scored}/{values.n_expected}"
    return {
        "lang": summary.lang or NONE,
        "weighted_score": NONE if withheld else thousandths(values.weighted_score),
        "language_consistency_score": thousandths(summary.language_consistency),
        "mean_grade": NONE if values.mean_nonzero is None else f"{values.mean_nonzero:.2f}",
        "median_grade": NONE if values.median_nonzero is None else f"{values.median_nonzero:g}",
        **{name: NONE if value is None else f"{value:.1f}" for name, value in percentages.items()},
        **{str(grade): str(values.counts[grade]) for grade in GRADES},
        "generation_time": seconds(taken),
        "n": counted,
        "coverage": thousandths(values.coverage),
        "ci95": NONE if withheld else between(values.weighted_score_ci),
        "rank_ci": NONE if rank_set is None else ranks(rank_set.low, rank_set.high),
        "selection_frequency": short(selection),
        "new_sample95": NONE if withheld else between(values.new_sample_ci),
        "judge": summary.judge or NONE,
    }


def _row(row: LanguageRow) -> dict[str, str]:
    run, lang = row.run, row.summary.lang
    taken = run.times[lang].total if lang in run.times else None
    return {
        "run": run.name,
        **system_names(run.config["system"]),
        **grade_columns(row.summary, row.withheld, taken, row.ranks, row.selection),
        "mean_weight": NONE if row.withheld else thousandths(row.summary.aggregates.mean_weight),
    }


def _lost(table: LanguageTable) -> list[str]:
    """Return what the score can be where grades are missing, a line for each run, sampling included."""
    return [
        f"{row.run.name}: {values.n_expected - values.n_scored} of {values.n_expected} grades are missing; "
        f"`weighted_score` is within {between(values.weighted_score_bounds_ci)} whatever they are, with 95 % certainty."
        for row in table.rows
        if (values := row.summary.aggregates).n_expected is not None and values.n_scored < values.n_expected
    ]


def _flags(table: LanguageTable) -> list[str]:
    flags = []
    if table.judges:
        judges = ", ".join(table.judges)
        flags.append(f"These rows were graded by different judges ({judges}): their order is not a ranking.")
    if not table.same_queries:
        flags.append("These rows answer different numbers of queries (see `n`): their order is not a ranking.")
    if not table.same_documents:
        flags.append("Runs over documents in other languages (`kb_lang`) are systems of their own in this table.")
    return flags
