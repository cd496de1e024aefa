"""What a comparison says, in one sentence, and the short table below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragaliq.aggregate.grades.graded_metrics import MEAN_WEIGHT
from ragaliq.compare.standings import ALL, Comparison, Outcome, PairwiseResult, Section, Standing
from ragaliq.report.format import NONE, between, escaped, markdown, p_value, span, thousandths

# Metric → what a difference of it is called in a sentence; a measure of rankings has its own name.
_UNITS = {
    "mean_weight": "mean weight",
    "grade": "mean grade with zeros",
    "fives": "the share of fives",
    "zeros": "the share of zeros",
    "abstained": "the share of abstentions",
    "language": "the share of answers in the query's language",
}


def verdict(section: Section, names: Sequence[str], written: Callable[[float | None, bool], str]) -> str:
    """Return who is better than the baseline, by how much and in what unit, with interval, p value and queries.

    Args:
        section: the comparison on one metric.
        names: what the systems are called, the baseline first.
        written: writes a difference with or without its sign.
    """
    first, *others = names
    said = [_said(row, name, first, section, written) for row, name in zip(section.rows, others, strict=True)]
    return escaped("; ".join(said))


def grade_verdict(comparison: Comparison) -> str:
    """Return the verdict on graded systems: over all languages together, else of each language."""
    together = [section for section in comparison.sections if section.lang == ALL]
    sections = together or comparison.sections
    parts = []
    for section in sections:
        lang = "" if len(sections) == 1 else f"{section.lang or 'no language'}: "
        names = [system.name for system in section.systems]
        parts.append(f"{lang}{verdict(section, names, thousandths)}, on {_queries(section, comparison)}")
    return "; ".join(parts) + "."


def grade_verdict_table(comparison: Comparison) -> str:
    """Return a row for each language and system: what `run` prints of it, and its difference from the baseline."""
    return markdown([row for section in comparison.sections for row in _rows(section)])


def _said(
    row: PairwiseResult, name: str, first: str, section: Section, written: Callable[[float | None, bool], str]
) -> str:
    how = f"{name} is {row.outcome} than {first}"
    if row.outcome is Outcome.UNDECIDED:
        equal = row.equal is not None and row.equal.equivalent
        how = f"{name} and {first} cannot be told apart"
        how += f" and are equal within ±{row.equal.margin:g}" if equal and row.equal else ""
    less = ", less is better" if section.metric.less_is_better else ""
    interval = "no interval" if row.interval is None else f"95 % interval {span(row.interval, written, sign=True)}"
    p = f"{'corrected ' if row.holm.permutation != row.p.permutation else ''}p {p_value(row.holm.permutation)}"
    unit = _UNITS.get(section.metric.name, section.metric.name)
    return f"{how}: {written(row.effect.difference, True)} in {unit} ({interval}, {p}{less})"


def _unit(section: Section) -> str:
    return section.metric.name.replace("_", " ")


def _queries(section: Section, comparison: Comparison) -> str:
    clustered = any(own.n > own.n_clusters for own in comparison.sections if own.lang != ALL)
    if section.lang == ALL:
        unit = "clusters of queries" if clustered else "queries"
        return f"{section.n_clusters} {unit} in {len(comparison.sections) - 1} languages"
    shared = "" if section.n == section.n_asked else f" of {section.n_asked}"
    return f"{section.n}{shared} queries" + (f" in {section.n_clusters} clusters" if clustered else "")


def _rows(section: Section) -> list[dict[str, str]]:
    first, *others = section.systems
    rows = [{**_cells(section, first), "difference (ci95)": NONE, "detectable": NONE, "outcome": "baseline"}]
    for standing, row in zip(others, section.rows, strict=True):
        ends = "" if row.interval is None else f" ({between(row.interval, sign=True)})"
        difference = thousandths(row.effect.difference, sign=True) + ends
        shown = {"difference (ci95)": difference, "detectable": thousandths(row.detectable)}
        rows.append({**_cells(section, standing), **shown, "outcome": str(row.outcome)})
    return rows


def _cells(section: Section, standing: Standing) -> dict[str, str]:
    of_weight = section.metric.name == MEAN_WEIGHT.name
    scale = {"weighted score": thousandths(standing.weighted_score), "mean grade (n)": _mean_grade(standing)}
    return {
        "lang": section.lang or NONE,
        "system": standing.name,
        _unit(section): thousandths(standing.mean),
        **(scale if of_weight else {}),
        "n": f"{section.n}/{section.n_asked}",
    }


def _mean_grade(standing: Standing) -> str:
    return NONE if standing.mean_grade is None else f"{standing.mean_grade:.2f} ({standing.n_above_zero})"
