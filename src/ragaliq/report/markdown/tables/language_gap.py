"""The language gap in results.md."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.compare.results import RunGap
from ragaliq.metrics.answers.gap import LanguageGap
from ragaliq.report.format import NONE, bullets, escaped, markdown, named, p_value, ranks, thousandths, with_interval
from ragaliq.report.markdown.tables.systems import TEXTS

# Queries named in a line; metrics.json has all.
_NAMED = 10


def gap_section(run: RunGap) -> str:
    """Return the part of results.md on one run's languages."""
    head = escaped(f"### Languages of {run.name}")
    if run.gap is None:
        judges = escaped(", ".join(run.judges))
        return f"{head}\n\nNot compared: the grades come from different judges ({judges})."
    return "\n\n".join([head, _table(run.gap), _lines(run.gap, run.left_out)])


def _table(gap: LanguageGap) -> str:
    against = {result.lang: result for result in gap.differences}
    rows = []
    for result in gap.languages:
        pair = against.get(result.lang)
        rows.append(
            {
                "lang": result.lang,
                "mean_weight": thousandths(result.mean_weight),
                "difference": NONE if pair is None else with_interval(pair.difference, pair.interval, sign=True),
                "p": NONE if pair is None else p_value(pair.p),
                "rank_ci": ranks(result.ranks.low, result.ranks.high),
                "fails only here": str(len(result.fails_only)),
            }
        )
    return markdown(rows, texts=TEXTS)


def _lines(gap: LanguageGap, left_out: Sequence[str]) -> str:
    lines = [f"{gap.n} queries with a grade in all {len(gap.languages)} languages; {gap.baseline} has the best mean."]
    if left_out:
        lines.append(f"Left out, because too few answers have a grade: {', '.join(left_out)}.")
    alone = [
        f"{result.lang} ({len(result.fails_only)}): {named(result.fails_only, _NAMED)}"
        for result in gap.languages
        if result.fails_only
    ]
    if alone:
        lines.append(f"Fails in one language only: {'; '.join(alone)}.")
    if gap.n_fails_everywhere:
        lines.append(f"Fails in every language: {gap.n_fails_everywhere}.")
    return bullets(lines)
