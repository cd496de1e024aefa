"""What the endpoint of the measurements replies: the form that the request asks for, always the same content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

GRADE = 4
PLAIN = f"Feedback: fine. [RESULT] {GRADE}"
# Words by which a prompt asks for a form of its own, and the reply in that form.
_MARKERS = {
    b"GRADE: $LETTER": "The answer agrees with the criterion.\n\nGRADE: C",
    b"return a JSON object with two fields": json.dumps(
        {"score": 8, "reason": "The answer agrees with the reference."}
    ),
}
# A JSON object without a schema in the request: the keys are in the prompt, where only one tool looks for them.
_OBJECT = json.dumps({"feedback": "fine", "score": GRADE})


class Replies:
    """Chat completions as bytes; every form is made once and kept, so that a reply costs next to nothing.

    Args:
        always: the text of every reply, whatever form a request asks for; None chooses by the request.
    """

    def __init__(self, always: str | None = None) -> None:
        self._always = always
        self._made: dict[str, bytes] = {}

    def to(self, request: bytes) -> bytes:
        """Return the body of the reply to the body of a request.

        A tool or a JSON schema gets values that fit it, a prompt that names its own form gets that form, and everything
        else the plain text. Log probabilities are given where they are asked for.
        """
        if self._always is not None:
            return self._kept(self._always, None, False)
        if b'"tools":' not in request and b'"response_format":' not in request and b'"logprobs":' not in request:
            return self._kept(self._text(request), None, False)
        asked = json.loads(request)
        tools = asked.get("tools")
        if tools:
            function = tools[0]["function"]
            return self._kept(json.dumps(example(function["parameters"])), function["name"], False)
        return self._kept(self._formed(asked.get("response_format") or {}, request), None, bool(asked.get("logprobs")))

    def _formed(self, form: Mapping[str, Any], request: bytes) -> str:
        if form.get("type") == "json_schema":
            return json.dumps(example(form["json_schema"]["schema"]))
        return _OBJECT if form.get("type") == "json_object" else self._text(request)

    def _text(self, request: bytes) -> str:
        return next((text for marker, text in _MARKERS.items() if marker in request), PLAIN)

    def _kept(self, text: str, tool: str | None, logprobs: bool) -> bytes:
        key = f"{tool} {logprobs} {text}"
        if key not in self._made:
            self._made[key] = json.dumps(completion(text, tool, logprobs)).encode()
        return self._made[key]


def example(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None, grade: int = GRADE) -> Any:
    """Return a value that fits a JSON schema: numbers are the grade where that is allowed, booleans true."""
    whole = schema if root is None else root
    if "$ref" in schema:
        return example(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole, grade)
    if "enum" in schema:
        return grade if grade in schema["enum"] else schema["enum"][-1]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return example(schema[key][0], whole, grade)
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        return {name: example(part, whole, grade) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [example(schema["items"], whole, grade)]
    if kind in ("integer", "number"):
        return min(grade, schema.get("maximum", grade))
    return {"boolean": True, "null": None}.get(str(kind), "fine")


def completion(text: str, tool: str | None, logprobs: bool) -> dict[str, Any]:
    """Return a chat completion with a text, or with the arguments of a call of `tool`."""
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    if tool is not None:
        call = {"id": "call", "type": "function", "function": {"name": tool, "arguments": text}}
        message = {**message, "content": None, "tool_calls": [call]}
    choice = {
        "index": 0,
        "finish_reason": "stop" if tool is None else "tool_calls",
        "message": message,
        "logprobs": {"content": [_token(part) for part in text.split(" ")], "refusal": None} if logprobs else None,
    }
    usage = {"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "m"}
    return {**head, "choices": [choice], "usage": usage}


def _token(text: str) -> dict[str, Any]:
    """Return a token that was certain."""
    token = {"token": text.strip("{},:"), "logprob": -0.01, "bytes": list(text.encode())}
    return {**token, "top_logprobs": [token]}
