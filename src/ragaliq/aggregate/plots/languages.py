"""The score of a run in each language, with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragaliq.aggregate.plots.drawing import INK, rows_figure
from ragaliq.aggregate.summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def languages_figure(name: str, summaries: Mapping[str, Summary]) -> Figure:
    """Return the weighted score of each language as a point, its 95 % interval as a line, and what it is the mean of.

    Raises:
        ConfigError: if matplotlib is not installed.
    """
    said = [_said(summary) for summary in summaries.values()]
    measured = "weighted score (mean weight, squared), with its 95 % interval"
    figure, axes = rows_figure(list(summaries), f"{name}: score by language", measured, said)
    ends = [end for summary in summaries.values() for end in summary.aggregates.weighted_score_ci or ()]
    axes.set_xlim(0.0, min(1.0, max(ends, default=1.0) * 1.1) or 1.0)
    for row, summary in enumerate(summaries.values()):
        score, interval = summary.aggregates.weighted_score, summary.aggregates.weighted_score_ci
        if interval is not None:
            axes.plot(interval, (row, row), color="#0072b2", linewidth=2.5, solid_capstyle="butt")
        if score is not None:
            axes.plot([score], [row], marker="o", markersize=8, color="#0072b2", markeredgecolor=INK)
    return figure


def _said(summary: Summary) -> str:
    values = summary.aggregates
    graded = f"{values.n_scored} of {values.n_expected} graded"
    return graded if values.weighted_score is None else f"{values.weighted_score:.3f} · {graded}"
