"""Why a call of a judge's model holds no judgement."""

from __future__ import annotations

from ragaliq.llm import CallFailed, FaultKind, Reply
from ragaliq.types import VerdictOutcome

_UNFINISHED = {"content_filter": VerdictOutcome.FILTERED, "length": VerdictOutcome.TRUNCATED}


def failure_outcome(failure: CallFailed) -> VerdictOutcome:
    """Return the outcome of a call without a reply."""
    return VerdictOutcome.FILTERED if failure.kind is FaultKind.FILTERED else VerdictOutcome.API_ERROR


def reply_outcome(reply: Reply) -> VerdictOutcome | None:
    """Return why a reply is not to be parsed: it was refused, filtered or cut off; None if it is whole.

    What was cut off may end in the middle of a number, so it is no grade even with a marker.
    """
    return VerdictOutcome.REFUSED if reply.refused else _UNFINISHED.get(reply.finish_reason)
