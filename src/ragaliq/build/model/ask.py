"""One question to a model: asked, read strictly, asked once more for its form, or given up with a reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from ragaliq.build.model import Model
from ragaliq.build.model.prompts import builder_prompt
from ragaliq.build.stage_row import FAILED
from ragaliq.judge.outcome import failure_outcome, reply_outcome
from ragaliq.judge.parse import read_object
from ragaliq.llm import CallFailed, Reply, Request
from ragaliq.storage.redaction import redact

Value = TypeVar("Value")
# The prompt of the second attempt, which every stage that asks may use.
REPAIR = "repair"
UNREADABLE = "unreadable"
_SHOWN = 500
# The thoughts that some models write; a chat template may have opened the tag in the prompt.
_THOUGHTS = re.compile(r"\A.*?</think(?:ing)?>", re.DOTALL)


class Unreadable(ValueError):
    """A reply is not in the form that was asked for; the message says what is wrong, to the model as well.

    Attributes:
        reason: why the item is removed if the second reply has the same fault; empty if that says nothing about the
            item, which then has failed.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Asked(Generic[Value]):
    """What came of a question.

    Attributes:
        value: the content of the reply; None if it cannot be read.
        failure: why there is none, such as `truncated` or `unreadable`; empty if there is one.
        detail: the failure in full.
        traces: `request_hash` of the question, and of the second attempt if there was one.
        reason: what a stage's row has for `reason`; empty if there is a value.
    """

    value: Value | None
    failure: str = ""
    detail: str = ""
    traces: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Attempt(Generic[Value]):
    value: Value | None = None
    failure: str = ""
    detail: str = ""
    said: str | None = None
    removal: str = ""


async def ask(model: Model, request: Request, read: Callable[[Any], Value]) -> Asked[Value]:
    """Return what a model replies to a request.

    A reply is one JSON object, bare or in a code fence; thoughts that end in `</think>` may come before it. One that
    cannot be read is asked for once more in the same conversation, with what is wrong about it; one that was refused,
    filtered or cut off is not.

    Args:
        model: the model to ask.
        request: what is asked.
        read: makes the value of the JSON object; raises `Unreadable` where it does not fit.

    Raises:
        Stopped: if the work is to end.
    """
    first = await _attempt(model, request, read)
    if first.failure != UNREADABLE or first.said is None:
        return _asked(first, model.key(request))
    again = [
        {"role": "assistant", "content": first.said},
        {"role": "user", "content": builder_prompt(REPAIR).fill("user", problem=first.detail)},
    ]
    repair = replace(request, messages=[*request.messages, *again])
    return _asked(await _attempt(model, repair, read), model.key(request), model.key(repair))


def _asked(attempt: _Attempt[Value], *keys: str) -> Asked[Value]:
    reason = (attempt.removal or FAILED) if attempt.failure else ""
    return Asked(attempt.value, attempt.failure, redact(attempt.detail), keys, reason)


async def _attempt(model: Model, request: Request, read: Callable[[Any], Value]) -> _Attempt[Value]:
    def readable(reply: Reply) -> bool:
        try:
            return reply_outcome(reply) is None and _read(reply.text, read) is not None
        except Unreadable:
            return False

    try:
        reply = await model.complete(request, readable)
    except CallFailed as error:
        return _Attempt(failure=str(failure_outcome(error)), detail=str(error))
    outcome = reply_outcome(reply)
    if outcome is not None:
        return _Attempt(failure=str(outcome), detail=reply.text[:_SHOWN])
    try:
        return _Attempt(_read(reply.text, read))
    except Unreadable as problem:
        # An empty reply has no content to repair.
        said = reply.text if reply.text.strip() else None
        return _Attempt(failure=UNREADABLE, detail=str(problem), said=said, removal=problem.reason)


def _read(text: str, read: Callable[[Any], Value]) -> Value:
    value = read_object(text)
    if value is None:
        value = read_object(_THOUGHTS.sub("", text, count=1))
    if not isinstance(value, dict):
        raise Unreadable("the reply is not one JSON object")
    return read(value)
