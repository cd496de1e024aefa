"""The language gap of a run: a section of results.md, and the same for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ragaliq.aggregate.graded_metrics import MEAN_WEIGHT
from ragaliq.aggregate.query_grades import QueryGrades, judge_names, judges_of, run_grades
from ragaliq.metrics.answers.gap import LanguageDifference, LanguageGap, language_gap
from ragaliq.report.format import NONE, between, markdown, named, p_value, ranks, thousandths
from ragaliq.runs.folder import RunFolder

# So many queries are named in a table's line; the JSON has all.
_NAMED = 10


def gap_of(languages: Sequence[QueryGrades], min_coverage: float = 0.0, seed: int = 0) -> LanguageGap | None:
    """Compare a system's languages; those with less than `min_coverage` of their answers graded are left out.

    None where there is nothing to compare: fewer than two such languages, queries without ids, other queries in each
    language, or different judges.
    """
    known = [own for own in languages if own.by_id and own.scored and (own.coverage or 0.0) >= min_coverage]
    if len(judges_of(known)) > 1:
        return None
    weights = {own.lang: {asked.query: weight for asked, weight in MEAN_WEIGHT.values(own).items()} for own in known}
    return language_gap(weights, seed=seed)


def gap_to_json(folder: RunFolder, seed: int = 0) -> dict[str, Any] | None:
    """Return the language gap of a run for `metrics.json`; None where there is nothing to compare.

    `{"n", "baseline", "n_fails_everywhere", "languages": {lang: {"mean_weight", "rank_ci": [lo, hi], "fails_only":
    [query_id]}}, "pairs": [{"lang", "against", "difference", "ci": [lo, hi] | null, "p"}]}`; intervals and p values are
    for all pairs at once.
    """
    gap = gap_of(run_grades(folder), seed=seed)
    if gap is None:
        return None
    return {
        "n": gap.n,
        "baseline": gap.baseline,
        "n_fails_everywhere": gap.n_fails_everywhere,
        "languages": {
            found.lang: {
                "mean_weight": found.mean_weight,
                "rank_ci": [found.ranks.low, found.ranks.high],
                "fails_only": list(found.fails_only),
            }
            for found in gap.languages
        },
        "pairs": [_pair(pair) for pair in gap.pairs],
    }


def gap_section(name: str, languages: Sequence[QueryGrades], min_coverage: float, seed: int = 0) -> str:
    """Return the part of results.md on one run's languages, empty where there is nothing to compare."""
    judges = judges_of(own for own in languages if own.scored)
    head = f"### Languages of {name}"
    if len(judges) > 1 and len(languages) > 1:
        return f"{head}\n\nNot compared: the grades come from different judges ({', '.join(judge_names(judges))})."
    gap = gap_of(languages, min_coverage, seed)
    if gap is None:
        return ""
    left_out = [own.lang for own in languages if own.lang not in {found.lang for found in gap.languages}]
    return "\n\n".join([head, _table(gap), _lines(gap, left_out)])


def _table(gap: LanguageGap) -> str:
    against = {found.lang: found for found in gap.differences}
    title = f"minus {gap.baseline}"
    return markdown(
        [
            {
                "lang": found.lang,
                "mean_weight": thousandths(found.mean_weight),
                title: _difference(against.get(found.lang)),
                "ci95": between(against[found.lang].interval, sign=True) if found.lang in against else NONE,
                "p": p_value(against[found.lang].p) if found.lang in against else NONE,
                "rank_ci": ranks(found.ranks.low, found.ranks.high),
                "fails only here": str(len(found.fails_only)),
            }
            for found in gap.languages
        ]
    )


def _difference(found: LanguageDifference | None) -> str:
    return NONE if found is None else thousandths(found.difference, sign=True)


def _lines(gap: LanguageGap, left_out: Sequence[str]) -> str:
    count = len(gap.languages)
    lines = [
        f"{gap.n} queries that have a grade in all {count} languages, paired; {gap.baseline} has the greatest mean. "
        "Intervals and p values are for all pairs of languages at once. A judge that is stricter in one language shows "
        "up as a gap, too."
    ]
    if left_out:
        lines.append(f"Left out, because too few answers have a grade: {', '.join(left_out)}.")
    alone = [
        f"{found.lang} ({len(found.fails_only)}): {named(found.fails_only, _NAMED)}"
        for found in gap.languages
        if found.fails_only
    ]
    if alone:
        lines.append(f"Fails (grade 0, 1 or 2) in one language only: {'; '.join(alone)}.")
    if gap.n_fails_everywhere:
        lines.append(f"Fails in every language: {gap.n_fails_everywhere}.")
    return "\n".join(f"- {line}" for line in lines)


def _pair(pair: LanguageDifference) -> dict[str, Any]:
    row = asdict(pair)
    row["ci"] = row.pop("interval")
    return {key: row[key] for key in ("lang", "against", "difference", "ci", "p")}
