"""How far a run's answers are in the language of the query."""

from __future__ import annotations

from dataclasses import asdict
from statistics import fmean
from typing import Any

from ragaliq.aggregate.run_rows import RunRows
from ragaliq.metrics.answers.language import LanguagePassRates, pass_rates


def language_rates(rows: RunRows) -> dict[str, dict[str, Any]]:
    """Return for each language how many answers, lines and words are in the language of the query.

    Answers of readers that failed do not count. See `metrics.answers.language.LanguagePassRates`.
    """
    marks: dict[str, list[tuple[bool | None, bool | None, bool | None]]] = {}
    for (lang, _), answer in rows.answers.items():
        if not answer.header.failed:
            language = answer.header.language
            marks.setdefault(lang, []).append((language.answer, language.lines, language.words))
    return {lang: _to_json(pass_rates(own)) for lang, own in marks.items()}


def _to_json(rates: LanguagePassRates) -> dict[str, Any]:
    shares = asdict(rates)
    return {part: {**share, "ci": share["ci"] and list(share["ci"])} for part, share in shares.items()}


def token_consistency_by_language(rows: RunRows) -> dict[str, dict[str, float | int]]:
    """Return the mean token-level language consistency of each language that has such scores, and their number."""
    scores: dict[str, list[float]] = {}
    for (lang, _), answer in rows.answers.items():
        if answer.header.token_consistency is not None:
            scores.setdefault(lang, []).append(answer.header.token_consistency)
    return {lang: {"value": fmean(values), "n": len(values)} for lang, values in scores.items()}
