"""A run's overlap with the reference, by language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from ragaliq.aggregate.run_rows import RunRows
from ragaliq.metrics.agreement.rank_correlation import rank_correlation
from ragaliq.metrics.answers.overlap import MEASURES

Scored = tuple[Mapping[str, float], int | None]


def overlap_by_language(rows: RunRows) -> dict[str, dict[str, Any]]:
    """Return for each language the mean of each measure of overlap, and how it goes with the grade.

    Over the answers to answerable queries whose reader did not fail and whose reference holds a word: `n` of them, of
    which `n_graded` have a grade; `rho` is Spearman's over the latter, None where it is undefined. Aliases of the
    reference count as references.
    """
    scored: dict[str, list[Scored]] = {}
    for key, answer in rows.answers.items():
        if answer.overlap is not None:
            scored.setdefault(key[0], []).append((answer.overlap, rows.grade(key)))
    return {lang: _summarise(answers) for lang, answers in scored.items()}


def _summarise(answers: Sequence[Scored]) -> dict[str, Any]:
    graded = [(values, grade) for values, grade in answers if grade is not None]
    grades = [float(grade) for _, grade in graded]
    return {
        "n": len(answers),
        "n_graded": len(graded),
        "measures": {
            name: {
                "mean": fmean(values[name] for values, _ in answers),
                "rho": rank_correlation([values[name] for values, _ in graded], grades),
            }
            for name in MEASURES
        },
    }
