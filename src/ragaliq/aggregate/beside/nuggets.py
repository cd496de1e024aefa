"""A run's nugget scores, by language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

    `n` of the answers to the run's `n_expected` queries with nuggets were matched, those that are still to come
    included; a score that is undefined for a query, as `vital` where no nugget is vital, leaves that query out of its
    own mean. Empty where no nugget was ever matched.
    """
    if not rows.folder.nuggets_file.is_file():
        return {}
    store = RecordStore(rows.folder.nuggets_file, MATCHES)
    expected: Mapping[str, int] = rows.config.get("expected_nuggets", {})
    by_lang: dict[str, list[MatchHeader]] = {lang: [] for lang, count in expected.items() if count}
    for key in store:
        if key in rows.answers:
            header: MatchHeader = store.header(key)
            if not rows.answers[key].header.has_hash(header.answer_hash):
                # Matched before the answer became another one.
                header = replace(header, outcome=None)
            by_lang.setdefault(key[0], []).append(header)
    seed = rows.config["system"]["seed"]
    # A folder that no run has made may have matches and count no queries.
    return {lang: _summary(h, max(expected.get(lang, 0), len(h)), seed) for lang, h in by_lang.items()}


def _summary(headers: Sequence[MatchHeader], n_expected: int, seed: int) -> dict[str, Any]:
    scored = [header.scores for header in headers if header.outcome is VerdictOutcome.SCORED]
    values = {name: [value for one in scored if (value := getattr(one, name)) is not None] for name in _NAMES}
    return {
        "matchers": sorted({" ".join(header.checker) for header in headers}),
        "n": len(scored),
        "n_expected": n_expected,
        "coverage": len(scored) / n_expected,
        **{name: mean_of_shares(listed, seed) for name, listed in values.items()},
    }
