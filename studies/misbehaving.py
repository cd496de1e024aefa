"""The endpoint of the fault matrix: it grades each answer as `truth.py` says, and fails in one way where it says so.

`GET /stats` tells how often each item was asked about, `POST /well` ends the fault, `POST /reset` forgets the counts.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from collections import Counter
from typing import Any

from aiohttp import web

from replies import completion, example
from truth import FAULTS, Fault, asked_about, is_faulty, level

_GARBAGE = "Well, who can say? There is much to be said for both sides, and the reader may decide."
_FEEDBACK = "The answer and the reference were compared with care. "
_CUT_AT = 40
_BURSTS_AFTER = (20, 60)
_LONGER_THAN_ANYBODY_WAITS_S = 3600.0


class Misbehaving:
    """The handler of all requests."""

    def __init__(self, fault: str, latency: float) -> None:
        self._fault: Fault = FAULTS[fault]
        self._latency = latency
        self._asked: Counter[int] = Counter()
        self._replies = 0
        self._bursts = list(_BURSTS_AFTER)
        self._refuses_until = 0.0

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        if request.path == "/stats":
            return web.json_response({"requests": self._asked.total(), "by_item": dict(self._asked)})
        if request.path in ("/reset", "/well"):
            self._asked.clear()
            if request.path == "/well":
                self._fault = FAULTS["none"]
            return web.Response()
        if not request.path.endswith("/chat/completions"):
            return web.Response(status=404)
        try:
            body = await request.read()
        except ConnectionError:  # The tool has given up.
            return web.Response()
        number = asked_about(body)
        self._asked[number] += 1
        if self._fault.burst_s and self._refuses():
            return _error(429, "Rate limit reached", self._fault.retry_after)
        await asyncio.sleep(self._latency)
        self._replies += 1
        asked = json.loads(body)
        if self._fault.lasts and is_faulty(number):
            return await self._fail(request, asked, number)
        return web.json_response(_graded(asked, level(number)))

    def _refuses(self) -> bool:
        """Tell whether a burst is under way; each begins after a number of replies."""
        now = time.monotonic()
        if self._bursts and self._replies >= self._bursts[0]:
            self._bursts.pop(0)
            self._refuses_until = now + self._fault.burst_s
        return now < self._refuses_until

    async def _fail(self, request: web.BaseRequest, asked: dict[str, Any], number: int) -> web.StreamResponse:
        name = self._fault.name
        if name == "silence":
            await asyncio.sleep(_LONGER_THAN_ANYBODY_WAITS_S)
        if name == "http-500":
            return _error(500, "The server had an error while processing your request")
        if name == "reset":
            return _reset(request)
        if name == "cut-body":
            return await _cut(request, json.dumps(_graded(asked, level(number))).encode())
        return web.json_response(_spoilt(asked, name, level(number)))


def _graded(asked: dict[str, Any], grade: int) -> dict[str, Any]:
    """Return a completion with a grade, in the form that the request asks for; the feedback stands before the grade."""
    tools = asked.get("tools")
    if tools:
        function = tools[0]["function"]
        return completion(_object(function["parameters"], grade), function["name"], False)
    form = asked.get("response_format") or {}
    prompt = "\n".join(str(message["content"]) for message in asked["messages"])
    if form.get("type") == "json_schema":
        text = _object(form["json_schema"]["schema"], grade)
    elif form.get("type") == "json_object":
        # The keys stand in the prompt, of which only one tool's is known.
        text = json.dumps({"feedback": _FEEDBACK, "score": grade})
    elif "GRADE: $LETTER" in prompt:
        text = f"{_FEEDBACK}\n\nGRADE: {'C' if grade >= 4 else 'I'}"
    elif "return a JSON object with two fields" in prompt:
        text = json.dumps({"reason": _FEEDBACK, "score": 2 * grade})
    else:
        text = f"Feedback: {_FEEDBACK}[RESULT] {grade}"
    return completion(text, None, bool(asked.get("logprobs")))


def _object(schema: dict[str, Any], grade: int) -> str:
    made = example(schema, grade=grade)
    return json.dumps({name: _FEEDBACK if isinstance(part, str) else part for name, part in made.items()})


def _spoilt(asked: dict[str, Any], name: str, grade: int) -> dict[str, Any]:
    """Return a completion that is whole as HTTP and JSON go, and holds no grade."""
    if name == "garbage":
        return completion(_GARBAGE, None, bool(asked.get("logprobs")))
    if name == "filtered":
        return _finished(completion("", None, False), "content_filter")
    if name == "no-choices":
        return {**completion("", None, False), "choices": []}
    made = _finished(_graded(asked, grade), "length")
    message = made["choices"][0]["message"]
    for call in message.get("tool_calls", []):
        call["function"]["arguments"] = call["function"]["arguments"][:_CUT_AT]
    if message["content"] is not None:
        message["content"] = message["content"][:_CUT_AT]
    logprobs = made["choices"][0]["logprobs"]
    if logprobs:
        logprobs["content"] = logprobs["content"][: len(message["content"].split(" "))]
    return made


def _finished(made: dict[str, Any], reason: str) -> dict[str, Any]:
    made["choices"][0]["finish_reason"] = reason
    return made


def _error(status: int, message: str, retry_after: str = "") -> web.Response:
    kind = "requests" if status == 429 else "server_error"
    error = {"error": {"message": message, "type": kind, "code": "rate_limit_exceeded" if status == 429 else None}}
    return web.json_response(error, status=status, headers={"Retry-After": retry_after} if retry_after else {})


def _reset(request: web.BaseRequest) -> web.Response:
    if request.transport is not None:
        # With no time to linger the system sends a reset.
        connection = request.transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
    return web.Response()


async def _cut(request: web.BaseRequest, body: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body))})
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response
