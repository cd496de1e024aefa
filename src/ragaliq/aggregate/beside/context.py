"""A run's context precision and recall, by language."""

from __future__ import annotations

from typing import Any

from ragaliq.aggregate.beside.groundedness import mean_of_shares
from ragaliq.aggregate.run_rows import RunRows
from ragaliq.judge.checks.context import CONTEXTS, ContextHeader
from ragaliq.storage.record_store import RecordStore


def context_by_language(rows: RunRows) -> dict[str, dict[str, Any]]:
    """Return for each language who judged the context, for how many answers, and the mean of each score over queries.

    `n` of the `n_expected` answers to answerable queries with a reference were judged. Where nobody was asked, as in a
    run with the offline checker, coverage and means are None. Empty for a run that was never checked.
    """
    if not rows.folder.checks_file.is_file():
        return {}
    store, seed = RecordStore(rows.folder.context_file, CONTEXTS), rows.config["system"]["seed"]
    by_lang: dict[str, list[ContextHeader]] = {}
    for key, answer in rows.answers.items():
        header: ContextHeader = store.header(key) if key in store else ContextHeader()
        if not answer.header.has_hash(header.answer_hash):
            # Judged before the answer, and its context, became another one.
            header = ContextHeader()
        if answer.header.answerable and not header.nothing_to_find:
            by_lang.setdefault(key[0], []).append(header)
    return {lang: _summary(headers, seed) for lang, headers in by_lang.items()}


def _summary(headers: list[ContextHeader], seed: int) -> dict[str, Any]:
    judges = sorted({" ".join(header.checker) for header in headers if header.outcome})
    scores = [header.scores for header in headers]
    precision, recall = (
        [value for one in scores if (value := getattr(one, name)) is not None] for name in ("precision", "recall")
    )
    return {
        "judges": judges,
        "n": len(recall),
        "n_expected": len(headers),
        "coverage": len(recall) / len(headers) if judges else None,
        "precision": mean_of_shares(precision, seed),
        "recall": mean_of_shares(recall, seed),
    }
