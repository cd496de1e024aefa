"""results.md of graded files: the summary first, then a table for each language, and the legend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ragaliq.compare.file_results import FileResults, SourceRow, SourceTable
from ragaliq.report.format import NONE, bold_if, bullets, escaped, markdown, plus_minus
from ragaliq.report.markdown.tables.languages import grade_columns
from ragaliq.report.markdown.tables.legend import LEGEND_LINK, legend_section
from ragaliq.report.markdown.tables.systems import TEXTS, system_names

# Which marks the file as ours, too.
FILES_HEADING = "# Results of graded files"


def render_file_results(results: FileResults) -> str:
    """Return graded files as Markdown."""
    head = f"{FILES_HEADING}\n\nScores are weighted scores, 0 to 1; {LEGEND_LINK}."
    tables = [_summary(results.tables), *map(_section, results.tables)]
    return "\n\n".join([head, *tables, *legend_section(tables, None, results.min_coverage)])


def _summary(tables: Sequence[SourceTable]) -> str:
    """Return one row a system, best first in the first language, named by its parts where these tell it apart."""
    rows = [row for table in tables for row in table.rows]
    by_parts = Counter((_parts(row), row.summary.lang) for row in rows)
    name: Callable[[SourceRow], str] = _parts if max(by_parts.values()) == 1 else lambda row: row.name
    cells: dict[str, dict[str, str]] = {}
    for row in rows:
        cells.setdefault(name(row), {})[row.summary.lang] = _score(row)
    langs = [table.lang for table in tables]
    return markdown(
        [{"system": system, **{lang or NONE: own.get(lang, NONE) for lang in langs}} for system, own in cells.items()],
        texts=TEXTS,
    )


def _parts(row: SourceRow) -> str:
    return ", ".join(part for part in _names(row).values() if part != NONE)


def _score(row: SourceRow) -> str:
    values = row.summary.aggregates
    if row.withheld:
        return NONE
    return bold_if(
        row.ranks is not None and row.ranks.first, plus_minus(values.weighted_score, values.weighted_score_ci)
    )


def _section(table: SourceTable) -> str:
    heading = escaped(f"## {table.lang or 'no language named'}")
    rows = markdown([_row(row) for row in table.rows], texts=TEXTS)
    return "\n\n".join([heading, rows, *([bullets(table.ranking)] if table.ranking else [])])


def _row(row: SourceRow) -> dict[str, str]:
    return {
        **_names(row),
        **grade_columns(row.summary, row.withheld, row.seconds, row.ranks, row.selection),
        "file": row.name,
    }


def _names(row: SourceRow) -> dict[str, str]:
    if row.system is not None:
        return system_names(row.system)
    return dict(zip(("model_name", "embedder_name", "reranker_name"), (*row.parts, NONE, NONE), strict=False))
