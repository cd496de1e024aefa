"""What a number of queries shows, as Markdown and for programs."""

from __future__ import annotations

from typing import Any

from ragaliq.compare.planned_power import PlannedPower, PlannedRow, Size
from ragaliq.report.format import NONE, bullets, digits, escaped, markdown, number, short


def render_planned_power(planned: PlannedPower) -> str:
    """Return the answer: spreads, queries needed, and what numbers of queries show."""
    settings = planned.settings
    systems = f"{settings.systems} systems, every pair" if settings.systems > 2 else "2 systems"
    parts = [
        "# Power",
        f"Differences in {escaped(planned.unit)} between {systems}; level {number(settings.level)} for all tests of a "
        f"block (each at that level by their number), chance to see a difference {number(settings.power)}.",
        markdown([_spread_cells(row) for row in planned.rows]),
    ]
    shown = [_size_cells(row, size) for row in planned.rows for size in row.sizes]
    if shown and settings.n is None and settings.difference is None:
        parts += ["## The least difference that queries show", markdown([_matrix_cells(row) for row in planned.rows])]
        parts.append("--n or --difference shows how far a significant difference misleads.")
    elif shown:
        parts += ["## What queries show", markdown(shown)]
        parts.append(
            "shows: the least true difference that is seen with the chance asked for. power: the chance to see the "
            "true difference of the row. wrong sign: of significant results, the share with the wrong sign. "
            "exaggeration: how many times too great a significant difference is on average (Gelman and Carlin 2014)."
        )
    if planned.notes:
        parts += ["## Notes", bullets(planned.notes)]
    return "\n\n".join(parts)


def planned_power_json(planned: PlannedPower) -> dict[str, Any]:
    """Return the answer as programs read it; what is not known is None."""
    settings = planned.settings
    return {
        "unit": planned.unit,
        "level": settings.level,
        "power": settings.power,
        "systems": settings.systems,
        "n": settings.n,
        "difference": settings.difference,
        "rows": [_row_json(row) for row in planned.rows],
        "notes": list(planned.notes),
    }


def _row_json(row: PlannedRow) -> dict[str, Any]:
    spread = row.spread
    return {
        "lang": spread.lang,
        "pilot_queries": spread.n,
        "pilot_pairs": spread.pairs,
        "sd_value": spread.sd_value,
        "sd_difference": spread.sd,
        "design_effect": spread.design_effect,
        "languages": spread.languages,
        "correlation": spread.correlation,
        "tests": row.tests,
        "level": row.level,
        "queries_needed": row.needed,
        "sizes": [
            {
                "n": size.n,
                "detectable_difference": size.detectable,
                "half_width": size.half_width,
                "true_difference": size.truth,
                "power": size.seen.power,
                "wrong_sign": size.seen.wrong_sign,
                "exaggeration": size.seen.exaggeration,
            }
            for size in row.sizes
        ],
    }


def _spread_cells(row: PlannedRow) -> dict[str, str]:
    spread = row.spread
    return {
        "lang": escaped(spread.lang or NONE),
        "pilot queries": NONE if spread.n is None else str(spread.n),
        "sd of a value": digits(spread.sd_value, 3),
        "sd of a difference": digits(spread.sd, 3),
        "design effect": short(spread.design_effect),
        "tests": str(row.tests),
        "queries needed": NONE if row.needed is None else str(row.needed),
    }


def _matrix_cells(row: PlannedRow) -> dict[str, str]:
    cells = {f"{size.n} queries": digits(size.detectable, 3) for size in row.sizes}
    return {"lang": escaped(row.spread.lang or NONE), **cells}


def _size_cells(row: PlannedRow, size: Size) -> dict[str, str]:
    seen = size.seen
    exaggeration = NONE if seen.exaggeration is None else f"{seen.exaggeration:.2f}"
    return {
        "lang": escaped(row.spread.lang or NONE),
        "queries": str(size.n),
        "shows": digits(size.detectable, 3),
        "ci95 of a mean": NONE if size.half_width is None else f"±{digits(size.half_width, 3)}",
        "true difference": digits(size.truth, 3),
        "power": short(seen.power),
        "wrong sign": f"{seen.wrong_sign:.3f}",
        "exaggeration": exaggeration,
    }
