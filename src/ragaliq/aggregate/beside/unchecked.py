"""Why answers of a run have no findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragaliq.aggregate.unscored import unscored_reasons
from ragaliq.judge.checks.context import CONTEXTS
from ragaliq.judge.checks.rates import CHECKS
from ragaliq.judge.nuggets.matches import MATCHES
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.record_store import RecordStore
from ragaliq.types import VerdictOutcome

_ONCE = (VerdictOutcome.NO_ANSWER, VerdictOutcome.NO_CONTEXTS)


def why_unchecked(folder: RunFolder) -> list[str]:
    """Return why answers of a run have no findings, or lack those about a citation, and what to do, a line each."""
    checks = RecordStore(folder.checks_file, CHECKS)
    scored = (checks[key] for key in checks if checks.header(key).scored and not checks.header(key).complete)
    in_part = ((next(cited.outcome for cited in one.citations if cited.support is None), one.error) for one in scored)
    nuggets, context = RecordStore(folder.nuggets_file, MATCHES), RecordStore(folder.context_file, CONTEXTS)
    # A missing answer, and an unknown context, are reported once, by the checks.
    parts = (
        ("", _failures(checks)),
        ("citations: ", in_part),
        ("nuggets: ", (one for one in _failures(nuggets) if one[0] not in _ONCE)),
        ("context: ", (one for one in _failures(context) if one[0] not in _ONCE)),
    )
    return [
        f"{part}{reason}; {_remedy(reason.outcome)}"
        for part, failures in parts
        for reason in unscored_reasons(failures)
    ]


def _remedy(outcome: VerdictOutcome) -> str:
    if outcome is VerdictOutcome.NO_CONTEXTS:
        return "nobody knows what the reader saw; let the chatbot's `answer` return an Answer with its context"
    return "the same command asks again"


def _failures(store: RecordStore[Any]) -> Iterator[tuple[VerdictOutcome, str]]:
    return (
        (store[key].outcome, store[key].error)
        for key in store
        if store.header(key).outcome is not VerdictOutcome.SCORED
    )
