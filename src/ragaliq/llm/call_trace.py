"""The trace that a call of an endpoint leaves."""

from __future__ import annotations

from dataclasses import replace

from ragaliq.llm.dialect import Request
from ragaliq.llm.endpoints.endpoint import Endpoint
from ragaliq.llm.replies.reply import CallFailed, Reply
from ragaliq.types import Trace


def call_trace(role: str, endpoint: Endpoint, request: Request, key: str, result: Reply | CallFailed) -> Trace:
    """Return the trace of a request and what became of it; `key` is the request's hash.

    The client has taken the endpoint's secrets out of a reply; those of the environment go when the trace is written.
    It does not say whether the reply was in the cache: a run that finds its replies there leaves the same traces.
    """
    schema = {} if request.schema is None else {"schema": request.schema}
    trace = Trace(
        component=role,
        model=endpoint.model,
        lang=request.query.lang if request.query else "",
        query_id=request.query.query_id if request.query else "",
        turn=request.turn,
        parameters={**request.parameters, **schema},
        prompt_hash=request.prompt_hash,
        request_hash=key,
        attempts=result.attempts,
    )
    if isinstance(result, CallFailed):
        return replace(trace, error=str(result))
    return replace(
        trace,
        raw_reply=result.text,
        reasoning=result.reasoning,
        finish_reason=result.finish_reason,
        usage=result.usage,
    )
