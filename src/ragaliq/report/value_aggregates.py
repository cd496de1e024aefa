"""The aggregates of other tools' values, for people and programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.compare.sources.summaries import ValueSummary
from ragaliq.report.format import NONE, between, escaped, markdown, number, ranks

# Keys whose value is an interval.
_ENDS = ("range", "ci95", "bounds", "bounds_ci95")


def value_objects(rows: Sequence[ValueSummary]) -> list[dict[str, Any]]:
    """Return the objects of `ragaliq aggregate --format json`; what is not defined is None."""
    return [
        {
            "file": row.file,
            "system": row.coverage.system,
            "lang": row.coverage.lang,
            "judge": row.judge,
            "metric": row.metric.name,
            "less_is_better": row.metric.less_is_better,
            "range": [row.metric.least, row.metric.greatest] if row.metric.known else None,
            "n": row.n,
            "n_expected": row.n_expected,
            "n_scored": row.coverage.n_valued,
            "coverage": row.coverage.share,
            "mean": row.coverage.mean,
            "median": row.median,
            "ci95": None if row.interval is None else list(row.interval),
            "bounds": None if row.coverage.bounds is None else list(row.coverage.bounds),
            "bounds_ci95": None if row.coverage.bounds_interval is None else list(row.coverage.bounds_interval),
            "failures": dict(row.coverage.failures),
            "rank_ci": None if row.ranks is None else [row.ranks.low, row.ranks.high],
        }
        for row in rows
    ]


def value_rows(rows: Sequence[ValueSummary]) -> list[dict[str, Any]]:
    """Return the same as rows of one table, for CSV."""
    flat = []
    for one in value_objects(rows):
        ends = {
            f"{key}_{end}": (one[key] or (None, None))[place]
            for key in _ENDS
            for place, end in enumerate(("low", "high"))
        }
        rank = None if one["rank_ci"] is None else ranks(*one["rank_ci"])
        left = {key: value for key, value in one.items() if key not in (*_ENDS, "rank_ci")}
        flat.append({**left, "failures": _reasons(one["failures"]), **ends, "rank_ci": rank})
    return flat


def value_tables(rows: Sequence[ValueSummary]) -> list[str]:
    """Return a heading and a table for each language."""
    by_lang: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_lang.setdefault(row.coverage.lang, []).append(_cells(row))
    if len(by_lang) == 1:
        return [markdown(cells) for cells in by_lang.values()]
    return [part for lang, cells in by_lang.items() for part in (escaped(f"## {lang or NONE}"), markdown(cells))]


def _cells(row: ValueSummary) -> dict[str, str]:
    covered = row.coverage
    return {
        "file": row.file,
        "system": covered.system,
        "metric": row.metric.name + (" (less is better)" if row.metric.less_is_better else ""),
        "n": str(row.n),
        "scored": f"{covered.n_valued}/{covered.n}",
        "mean": number(covered.mean),
        "median": number(row.median),
        "ci95": between(row.interval),
        "bounds": between(covered.bounds),
        "bounds_ci95": between(covered.bounds_interval),
        "rank_ci": NONE if row.ranks is None else ranks(row.ranks.low, row.ranks.high),
        "missing because": _reasons(covered.failures) or NONE,
    }


def _reasons(failures: Any) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in failures.items())
