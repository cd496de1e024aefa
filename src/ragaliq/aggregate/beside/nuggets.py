"""A run's nugget scores, by language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from ragaliq.aggregate.beside.groundedness import mean_of_shares
from ragaliq.aggregate.run_rows import RunRows
from ragaliq.judge.nuggets.matches import MATCHES, MatchHeader
from ragaliq.metrics.answers.nuggets import NuggetScores
from ragaliq.storage.record_store import RecordStore
from ragaliq.types import VerdictOutcome

_NAMES = [field.name for field in fields(NuggetScores)]


def nuggets_by_language(rows: RunRows) -> dict[str, dict[str, Any]]:
    """Return for each language who matched the nuggets, for how many answers, and the mean of each score over queries.

    `n` of the `n_expected` answers to queries with nuggets were matched; a score that is undefined for a query, as
    `vital` where no nugget is vital, leaves that query out of its own mean. Empty where no nugget was ever matched.
    """
    if not rows.folder.nuggets_file.is_file():
        return {}
    store = RecordStore(rows.folder.nuggets_file, MATCHES)
    by_lang: dict[str, list[MatchHeader]] = {}
    for key in store:
        if key in rows.answers:
            header: MatchHeader = store.header(key)
            if not rows.answers[key].header.has_hash(header.answer_hash):
                # Matched before the answer became another one.
                header = replace(header, outcome=None)
            by_lang.setdefault(key[0], []).append(header)
    return {lang: _summary(headers, rows.config["system"]["seed"]) for lang, headers in by_lang.items()}


def _summary(headers: Sequence[MatchHeader], seed: int) -> dict[str, Any]:
    scored = [header.scores for header in headers if header.outcome is VerdictOutcome.SCORED]
    values = {name: [value for one in scored if (value := getattr(one, name)) is not None] for name in _NAMES}
    return {
        "matchers": sorted({" ".join(header.checker) for header in headers}),
        "n": len(scored),
        "n_expected": len(headers),
        "coverage": len(scored) / len(headers),
        **{name: mean_of_shares(listed, seed) for name, listed in values.items()},
    }
