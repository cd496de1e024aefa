"""What a gate says, as Markdown and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.compare.gate import GateCell, GateReport
from ragaliq.compare.minimums import MinimumResult
from ragaliq.metrics.statistics.noninferiority import GateOutcome
from ragaliq.report.format import between, bullets, escaped, markdown, p_value, thousandths
from ragaliq.report.markdown.comparison.flipped import change_json, changes_list, details


def gate_text(gate: GateReport) -> str:
    """Return the outcome in a sentence, the table of all cells and minimums, and the queries that lost most."""
    parts = [f"**Gate: {gate.outcome}.** {escaped(gate_sentence(gate))}"]
    if gate.unchecked:
        parts.append(bullets(f"not checked: {line}" for line in gate.unchecked))
    if gate.cells:
        parts.append(markdown([_row(cell) for cell in (*gate.cells, *gate.together)]))
        parts.append(
            f"Passes where it is not worse by {gate.margin:g} (p pass < {gate.alpha:.3g}), fails where it is worse (p "
            f"fail < {gate.alpha:.3g}, Holm over systems and languages), else more queries are needed. Over the whole "
            f"table each of the two errors has a chance of at most {gate.alpha:.1%}. The gate "
            f"interval ({1 - 2 * gate.alpha:.3g} hold the truth) allows for one more query, as bad or good as can be, "
            f"and so is wider than ci95; it is above −{gate.margin:g} where a cell passes. `all` decides nothing."
        )
    if gate.minimums:
        parts.append(markdown([_minimum(one) for one in gate.minimums]))
        parts.append(
            "A minimum passes where the lower end of the interval reaches it, and fails where the upper end is below; "
            "values that are missing count as the least and as the greatest."
        )
    parts += [
        details(f"{cell.system} ({cell.lang or 'no language'}): queries that lost most", changes_list(cell.lost))
        for cell in gate.cells
        if cell.lost
    ]
    return "\n\n".join(parts)


def gate_sentence(gate: GateReport) -> str:
    """Return why a gate does not pass, or that it does."""
    failed = [f"{cell.system} ({cell.lang or 'no language'})" for cell in gate.cells if _is(cell, GateOutcome.FAIL)]
    below = [_named(one) for one in gate.minimums if one.outcome is GateOutcome.FAIL]
    said = []
    if failed:
        said.append(f"Worse than the baseline: {', '.join(failed)}.")
    if below:
        said.append(f"Below the minimum: {', '.join(below)}.")
    open_cells = sum(_is(cell, GateOutcome.INCONCLUSIVE) for cell in gate.cells)
    open_cells += sum(one.outcome is GateOutcome.INCONCLUSIVE for one in gate.minimums)
    if open_cells:
        needed = (
            "how many queries would decide is not known"
            if gate.needed is None
            else (f"about {gate.needed} different queries would decide (80 % chance)")
        )
        said.append(f"{open_cells} of {len(gate.cells) + len(gate.minimums)} checks are undecided: {needed}.")
    if gate.unchecked:
        said.append("What could not be checked never passes.")
    return " ".join(said) or "Every check passes."


def gate_json(gate: GateReport) -> dict[str, Any]:
    """Return a gate as programs read it."""
    return {
        "outcome": str(gate.outcome),
        "margin": gate.margin,
        "alpha": gate.alpha,
        "queries_needed": gate.needed,
        "cells": [_cell_json(cell) for cell in gate.cells],
        "together": [_cell_json(cell) for cell in gate.together],
        "minimums": [
            {
                "name": one.minimum.name,
                "lang": one.minimum.lang,
                "least": one.minimum.least,
                "system": one.system,
                "value": one.value,
                "ci": one.interval,
                "outcome": str(one.outcome),
                "queries_needed": one.needed,
            }
            for one in gate.minimums
        ],
        "unchecked": list(gate.unchecked),
    }


def _is(cell: GateCell, outcome: GateOutcome) -> bool:
    return cell.result.outcome is outcome


def _named(one: MinimumResult) -> str:
    return f"{one.system} {one.minimum.name}@{one.minimum.lang} {thousandths(one.value)} < {one.minimum.least:g}"


def _row(cell: GateCell) -> dict[str, str]:
    found = cell.result
    return {
        "lang": cell.lang or "—",
        "system": cell.system,
        "gate": str(found.outcome),
        "better by": thousandths(found.difference, sign=True),
        "gate interval": between(found.interval, sign=True),
        "p pass": p_value(found.p_pass),
        "p fail": p_value(found.p_fail),
        "n": str(found.n),
        "needed": "—" if found.needed is None else str(found.needed),
    }


def _minimum(one: MinimumResult) -> dict[str, str]:
    return {
        "minimum": f"{one.minimum.name} ≥ {one.minimum.least:g}",
        "lang": one.minimum.lang,
        "system": one.system,
        "value": thousandths(one.value),
        "ci95": between(one.interval),
        "gate": str(one.outcome),
        "needed": "—" if one.needed is None else str(one.needed),
    }


def _cell_json(cell: GateCell) -> dict[str, Any]:
    found = cell.result
    return {
        "system": cell.system,
        "lang": cell.lang,
        "outcome": str(found.outcome),
        "n": found.n,
        "difference": found.difference,
        "ci": found.interval,
        "p_pass": found.p_pass,
        "p_fail": found.p_fail,
        "worse": found.worse,
        "queries_needed": found.needed,
        "lost": [change_json(change) for change in cell.lost],
    }


def gate_lines(gate: GateReport) -> Sequence[str]:
    """Return the lines printed for a gate that does not pass: why, and the queries that lost most."""
    lines = [f"gate: {gate.outcome}: {gate_sentence(gate)}", *(f"not checked: {line}" for line in gate.unchecked)]
    for cell in gate.cells:
        if cell.lost:
            queries = ", ".join(change.query.query for change in cell.lost)
            lines.append(f"{cell.system} ({cell.lang or 'no language'}): lost most on {queries}")
    return lines
