"""What calls of a judge's model come to: why one holds no judgement, and the tokens of several."""

from __future__ import annotations

from collections.abc import Iterable

from ragaliq.llm import CallFailed, FaultKind, Reply
from ragaliq.types import Usage, VerdictOutcome

_UNFINISHED = {"content_filter": VerdictOutcome.FILTERED, "length": VerdictOutcome.TRUNCATED}


def failure_outcome(failure: CallFailed) -> VerdictOutcome:
    """Return the outcome of a call without a reply."""
    return VerdictOutcome.FILTERED if failure.kind is FaultKind.FILTERED else VerdictOutcome.API_ERROR


def reply_outcome(reply: Reply) -> VerdictOutcome | None:
    """Return why a reply is not to be parsed: it was refused, filtered or cut off; None if it is whole.

    What was cut off may end in the middle of a number, so it is no grade even with a marker.
    """
    return VerdictOutcome.REFUSED if reply.refused else _UNFINISHED.get(reply.finish_reason)


def total_usage(usages: Iterable[Usage | None]) -> Usage | None:
    """Return the tokens of all calls that report them; None if none does."""
    known = [usage for usage in usages if usage is not None]
    if not known:
        return None
    return Usage(sum(u.prompt_tokens for u in known), sum(u.completion_tokens for u in known))
