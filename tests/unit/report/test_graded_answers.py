"""Figures of graded rows as tables: shown from the least coverage on, withheld below."""

from __future__ import annotations

from ragaliq.aggregate.grades.graded_answers import RowFigures, answer_figures
from ragaliq.report.graded_answers import missing_lines, render_answer_figures

ROWS = [
    RowFigures.of({"lang": "de", "refuses": "none", "grade": grade, "outcome": outcome,
                   "support": [{"text": "x", "label": "supported", "context": None}], "check_outcome": outcome})
    for grade, outcome in ((5, "scored"), (3, "scored"), (None, "api_error"), (4, "scored"))
]  # fmt: skip


def test_a_figure_is_shown_from_the_least_coverage_on() -> None:
    figures = answer_figures(ROWS)
    grades, checks = (rows.splitlines()[-1] for rows in render_answer_figures(figures, 0.75).split("\n\n")[::2])
    # Three of four; (1 + .6 + .8) / 3, squared.
    assert "| 0.750 | 0.640 |" in " ".join(grades.split())
    assert "| 0.750 | 3 | 1.000 |" in " ".join(checks.split())
    grades, checks = (rows.splitlines()[-1] for rows in render_answer_figures(figures, 0.76).split("\n\n")[::2])
    assert "| 0.750 | — |" in " ".join(grades.split())
    assert "| 0.750 | 3 | — |" in " ".join(checks.split())


def test_a_language_below_the_least_coverage_is_named() -> None:
    failed = "without a grade or a check: 1 api_error; the same command tries api_error again"
    assert missing_lines(answer_figures(ROWS), 0.75) == [failed]
    low = "de: less than --min-coverage 0.76 of the rows have what was asked for"
    assert missing_lines(answer_figures(ROWS), 0.76) == [failed, low]
