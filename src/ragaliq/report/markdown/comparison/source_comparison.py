"""A comparison of systems of any origin, for people, pull requests and programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.compare.coverage import Coverage
from ragaliq.compare.source_comparison import SourceComparison
from ragaliq.compare.standings import LEVEL
from ragaliq.report.format import NONE, between, bullets, markdown, number, thousandths
from ragaliq.report.markdown.comparison.flipped import flips_json, flips_text
from ragaliq.report.markdown.comparison.gate import gate_json, gate_text
from ragaliq.report.markdown.comparison.grade_comparison import comparison_json, full_parts, short_parts
from ragaliq.storage.files import json_text


def render_source_comparison(found: SourceComparison, form: str, full: bool = False) -> str:
    """Return a comparison as `json` or `md`.

    `md` is the verdict in a sentence and a short table, what a gate says, what is missing and which queries flipped;
    `full` adds tests, ranks and power, language by language. It fits a comment on a pull request: tables, and lists
    that unfold.
    """
    if form == "json":
        return json_text(_to_json(found))
    parts = short_parts(found.comparison, found.warnings, full)
    if found.gate is not None:
        parts.insert(1, gate_text(found.gate))
    settings = found.comparison.settings
    if settings.looks > 1:
        parts.append(
            f"One of {settings.looks} looks while queries are added: a difference is real where its p is below "
            f"{settings.level:.3g}, so that all looks together have an error rate of {LEVEL:.0%}."
        )
    if found.notes:
        parts.append(bullets(found.notes))
    missing = [one for one in found.coverage if one.n_valued < one.n]
    if missing:
        parts += [markdown([_coverage(one) for one in missing]), _MISSING]
    parts += filter(None, [flips_text(found.flips)])
    return "\n\n".join([*parts, *(full_parts(found.comparison) if full else [])])


_MISSING = (
    "Items without a value, and why. Bounds: the mean if all of them had the least, or the greatest value there can "
    "be; bounds_ci95: within which it is with 95 % certainty whatever they had, sampling included; "
    f"{NONE} where the range is not known."
)


def _coverage(one: Coverage) -> dict[str, str]:
    return {
        "lang": one.lang or NONE,
        "system": one.system,
        "values": f"{one.n_valued}/{one.n}",
        "coverage": number(None if one.share is None else round(one.share, 3)),
        "missing because": ", ".join(f"{reason} {count}" for reason, count in one.failures.items()) or NONE,
        "mean": thousandths(one.mean),
        "bounds": between(one.bounds),
        "bounds_ci95": between(one.bounds_interval),
    }


def _to_json(found: SourceComparison) -> dict[str, Any]:
    return {
        **comparison_json(found.comparison, found.warnings),
        "notes": list(found.notes),
        "coverage": _coverage_json(found.coverage),
        "flips": flips_json(found.flips),
        "gate": None if found.gate is None else gate_json(found.gate),
    }


def _coverage_json(coverage: Sequence[Coverage]) -> list[dict[str, Any]]:
    return [
        {
            "system": one.system,
            "lang": one.lang,
            "n": one.n,
            "n_valued": one.n_valued,
            "coverage": one.share,
            "failures": dict(one.failures),
            "mean": one.mean,
            "bounds": one.bounds,
            "bounds_ci95": one.bounds_interval,
        }
        for one in coverage
    ]
