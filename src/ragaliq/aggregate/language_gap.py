"""The language gap of a run: its languages compared on the queries that they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.aggregate.grades.graded_metrics import MEAN_WEIGHT
from ragaliq.aggregate.grades.query_grades import QueryGrades, judges_of
from ragaliq.metrics.answers.gap import LanguageGap, language_gap


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


def gap_to_json(gap: LanguageGap | None) -> dict[str, Any] | None:
    """Return a language gap for `metrics.json`; None where there is nothing to compare.

    `{"n", "baseline", "n_fails_everywhere", "languages": {lang: {"mean_weight", "rank_ci": [lo, hi], "fails_only":
    [query_id]}}, "pairs": [{"lang", "against", "difference", "ci": [lo, hi] | null, "p"}]}`; intervals and p values are
    for all pairs at once.
    """
    if gap is None:
        return None
    return {
        "n": gap.n,
        "baseline": gap.baseline,
        "n_fails_everywhere": gap.n_fails_everywhere,
        "languages": {
            result.lang: {
                "mean_weight": result.mean_weight,
                "rank_ci": [result.ranks.low, result.ranks.high],
                "fails_only": list(result.fails_only),
            }
            for result in gap.languages
        },
        "pairs": [
            {
                "lang": pair.lang,
                "against": pair.against,
                "difference": pair.difference,
                "ci": pair.interval,
                "p": pair.p,
            }
            for pair in gap.pairs
        ],
    }
