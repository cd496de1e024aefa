"""results.md of graded files: one table for each language, with the columns of the RAGaliq sources."""

from __future__ import annotations

from ragaliq.compare.file_results import FileResults, SourceRow, SourceTable
from ragaliq.metrics.answers.aggregates import GRADES, Aggregates
from ragaliq.report.format import NONE, between, bullets, escaped, markdown, number, ranks
from ragaliq.report.markdown.result_tables import system_names

# Which marks the file as ours, too.
FILES_HEADING = "# Results of graded files"


def render_file_results(results: FileResults) -> str:
    """Return graded files as Markdown."""
    return "\n\n".join([_head(results.min_coverage), *map(_section, results.tables)])


def _head(min_coverage: float) -> str:
    return (
        f"{FILES_HEADING}\n\n"
        "Tables are sorted by `weighted_score`, the square of the mean weight of the grades (5: 1, 4: .8, 3: .6, 0: "
        ".4, 2: .2, 1: 0). `mean_grade`, `median_grade` and `percentage` (of 5) leave the zeros out, "
        "`percentage_with_zero` does not. `n`: rows with a grade, of the answers where their number is known; below "
        f"`coverage` {min_coverage:g} the headline is withheld ({NONE}). `ci95`: 95 % interval over the choice of "
        "queries. `rank_ci`: the ranks that the data cannot tell apart, with 95 % certainty for all rows of a table at "
        "once."
    )


def _section(table: SourceTable) -> str:
    heading = escaped(f"## {table.lang or 'no language named'}")
    rows = markdown([_row(row) for row in table.rows])
    return "\n\n".join([heading, rows, *([bullets(table.ranking)] if table.ranking else [])])


def _row(row: SourceRow) -> dict[str, str]:
    values = row.summary.aggregates
    parts = dict(zip(("model_name", "embedder_name", "reranker_name"), (*row.parts, NONE, NONE), strict=False))
    return {
        **(parts if row.system is None else system_names(row.system)),
        "lang": row.summary.lang or NONE,
        "weighted_score": NONE if row.withheld else number(values.weighted_score),
        "language_consistency_score": number(row.summary.language_consistency),
        "mean_grade": number(values.mean_nonzero),
        "median_grade": number(values.median_nonzero),
        "percentage": number(values.percentage),
        "percentage_with_zero": number(values.percentage_with_zero),
        **{str(grade): str(values.counts[grade]) for grade in GRADES},
        "generation_time": number(row.seconds),
        "n": _n(values),
        "coverage": number(values.coverage),
        "ci95": NONE if row.withheld else between(values.weighted_score_ci),
        "rank_ci": NONE if row.ranks is None else ranks(row.ranks.low, row.ranks.high),
        "judge": row.summary.judge or NONE,
        "file": row.name,
    }


def _n(values: Aggregates) -> str:
    return str(values.n_scored) if values.n_expected is None else f"{values.n_scored}/{values.n_expected}"
