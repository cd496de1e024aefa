"""A chat request, and which parts of it an endpoint takes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragaliq.execution.progress import say
from ragaliq.llm.connections.transport import Fault, FaultKind
from ragaliq.llm.endpoints.call_options import MAX_TOKENS
from ragaliq.llm.replies.reasoning import thinking_limit
from ragaliq.llm.replies.reply import CallFailed, Message, Reply
from ragaliq.types import Query

_NEEDED = ("model", "messages", "input", *MAX_TOKENS)
_REFUSALS = (FaultKind.REQUEST, FaultKind.ACCESS, FaultKind.SERVER)
_NO_ROOM = (FaultKind.CONTEXT_LENGTH, FaultKind.REQUEST)
# What a request can do without, and the words by which a refusal names it.
_EXTRAS = {
    "response_format": ("response_format", "schema", "structured"),
    "logprobs": ("logprob",),
    "top_logprobs": ("logprob",),
}


@dataclass(frozen=True, slots=True)
class Request:
    """A chat request, without where it is sent.

    Attributes:
        messages: the chat so far.
        parameters: sampling parameters as the endpoint takes them.
        schema: JSON schema of the reply, for endpoints that can hold a model to it; others get the request without.
        query: the query that it is about. Like `prompt_hash` it is kept in the trace alone, and is not sent.
        prompt_hash: identifies the prompt files that the messages were made from.
        limit_is_users: the user chose how many tokens the reply may have, so a model that thinks gets no more.
    """

    messages: Sequence[Message]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    query: Query | None = None
    prompt_hash: str = ""
    limit_is_users: bool = False

    @property
    def turn(self) -> int:
        """Number of the request in its conversation, from 1."""
        return 1 + sum(message["role"] == "assistant" for message in self.messages)


def _with_room(request: Request) -> Request:
    """Return a request with the limit of tokens for a model that thinks; itself if that is the same."""
    limits = {name: int(request.parameters[name]) for name in MAX_TOKENS if request.parameters.get(name)}
    roomy = {name: thinking_limit(limit) for name, limit in limits.items()}
    if request.limit_is_users or roomy == limits:
        return request
    return replace(request, parameters={**request.parameters, **roomy})


class Dialect:
    """What one endpoint does not take, learnt from its refusals; and whether its model thinks, from its replies.

    `extra` keys go into every body.

    Newer models refuse `max_tokens` for `max_completion_tokens`, or any temperature; some servers know no schema, or
    give no log-probabilities.
    """

    def __init__(self, model: str, extra: Mapping[str, Any] | None = None) -> None:
        self._model = model
        self._extra = extra or {}
        self._refused: set[str] = set()
        self._renamed = False
        self._thinks = False
        self._taken: set[str] = set()
        # The chat that was refused without a reason, perhaps for these extras; the same without them shows whether.
        self._doubted: object = None
        self._suspects: set[str] = set()

    async def ask(self, request: Request, send: Callable[[Request], Awaitable[Reply]]) -> Reply:
        """Return the reply to a request; a model that was cut while it was thinking is asked once more, with more room.

        From then on the endpoint is known to think, and requests begin with that room. A window too small for it leaves
        the reply to the limit that was asked for.

        Raises:
            CallFailed, ConfigError, Stopped: as `send`.
        """
        cut = None
        roomy = request if any(name in self._extra for name in MAX_TOKENS) else _with_room(request)
        if roomy is request or not self._thinks:
            cut = await send(request)
            if roomy is request or not cut.cut_thinking:
                return cut
            self._thinks = True
        try:
            return await send(roomy)
        except CallFailed as failure:
            if failure.kind not in _NO_ROOM:
                raise
            return cut or await send(request)

    def body(self, request: Request) -> dict[str, Any]:
        """Return the body of a chat request, less what the endpoint has refused."""
        limited = any(name in self._extra for name in MAX_TOKENS)
        ours = {name: value for name, value in request.parameters.items() if not (limited and name in MAX_TOKENS)}
        parameters = self.taken_of({**ours, **self._extra})
        if self._renamed and "max_tokens" in parameters:
            parameters["max_completion_tokens"] = parameters.pop("max_tokens")
        body: dict[str, Any] = {"model": self._model, "messages": list(request.messages)}
        if request.schema is not None and "response_format" not in self._refused:
            schema = {"name": "reply", "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {**body, **parameters}

    def taken_of(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters, less those that the endpoint has refused."""
        return {key: value for key, value in parameters.items() if key not in self._refused}

    def adjust(self, fault: Fault, sent: Mapping[str, Any]) -> bool:
        """Learn from a refusal what to leave out from now on; return whether there was something to learn."""
        words = fault.message.lower()
        blamed = self._blamed(fault, words, sent)
        if blamed:
            self._refused |= blamed
            return True
        if fault.kind is FaultKind.REQUEST and sent.get("messages") == self._doubted:
            self._trust_again()
        name = fault.parameter
        if fault.kind is not FaultKind.REQUEST or name not in sent:
            return False
        # Several requests may be refused before the first refusal is read, so what is known is no reason to give up.
        if name == "max_tokens" and "max_completion_tokens" in words:
            self._renamed = True
            return True
        if "support" not in words or name in _NEEDED:
            return False
        if name not in self._refused:
            self._refused.add(name)
            say(f"note: {self._model} does not take '{name}'; it is asked without")
        return True

    def taken(self, sent: Mapping[str, Any]) -> None:
        """Learn from a reply that what was sent is taken."""
        extras = set(_EXTRAS) & set(sent)
        self._taken |= extras
        if extras & self._suspects:
            self._trust_again()
        elif sent.get("messages") == self._doubted:
            self._doubted, self._suspects = None, set()

    def _blamed(self, fault: Fault, words: str, sent: Mapping[str, Any]) -> set[str]:
        """Return the extras that a refusal is for: those it names; without a reason, all that were never taken."""
        extras = set(_EXTRAS) & set(sent)
        named = {extra for extra in extras if any(word in words for word in _EXTRAS[extra])}
        if named and fault.kind in _REFUSALS:
            if "logprobs" in named - self._refused:
                say(f"note: {self._model} gives no log-probabilities; it is asked without")
            self._doubted, self._suspects = None, set()
            return named
        suspects = extras - self._taken
        if fault.kind is not FaultKind.REQUEST or fault.parameter or not suspects:
            return set()
        if suspects - self._refused:
            self._doubted, self._suspects = sent["messages"], suspects
        return suspects

    def _trust_again(self) -> None:
        """Send the extras again: a request was refused without them, too, or taken with them."""
        self._refused -= self._suspects
        self._doubted, self._suspects = None, set()
