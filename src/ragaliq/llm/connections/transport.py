"""One request to an endpoint, and what became of it: a JSON object, or a typed fault."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum
from functools import cache
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from ragaliq.llm.connections.bounded import ReplyTooLong
from ragaliq.llm.endpoints.endpoint import Endpoint
from ragaliq.llm.replies.reply_json import parse_object

if TYPE_CHECKING:
    from ssl import SSLContext

    from aiohttp import ClientSession
    from openai import AsyncOpenAI


_HALF_PAIR = re.compile("[\ud800-\udfff]")
# How OpenAI, vLLM, llama.cpp and others say that a prompt is too long.
_TOO_LONG = ("context_length", "context length", "context window", "context_size", "context size",
             "prompt is too long", "request too large")  # fmt: skip
# One of these is in every completion and in every reply with vectors. Gateways wrap their own errors in `data`, too.
_OF_AN_API = {"choices": object, "data": list, "usage": dict}
_TITLE = re.compile(r"<title[^>]*>([^<]*)</title>", re.IGNORECASE)
# What HTTP clients call a connection that was never there.
_UNREACHABLE = {"ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol"}


class FaultKind(StrEnum):
    """Why a request brought no reply; `FOREIGN` is one that no API of models gives, such as the page of a login."""

    RATE_LIMIT = "rate_limit"
    SERVER = "server_error"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    MALFORMED = "malformed_reply"
    FOREIGN = "foreign_reply"
    TOO_LONG = "reply_too_long"
    QUOTA = "quota_spent"
    ACCESS = "access"
    CONTEXT_LENGTH = "context_length"
    FILTERED = "content_filter"
    REQUEST = "bad_request"


@dataclass(frozen=True, slots=True)
class Fault:
    """A request without a reply.

    Attributes:
        kind: why.
        message: what the endpoint or the system said, in one line without secrets.
        wait_s: the wait that the endpoint asked for, in seconds.
        parameter: the parameter of the request that the endpoint names.
    """

    kind: FaultKind
    message: str
    wait_s: float | None = None
    parameter: str = ""


def open_session() -> ClientSession:
    """Return a session of the running event loop; proxies are those of the environment."""
    import aiohttp

    # The limiter bounds what is under way. The environment is not trusted as a whole: a password in `.netrc` would take
    # the place of the token. With cookies an answer might depend on what was asked before.
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), cookie_jar=aiohttp.DummyCookieJar())


@cache
def proxy_of(link: str) -> str | None:
    """Return the proxy that the environment names for an address."""
    parts = urlsplit(link)
    host = parts.hostname or ""
    return None if proxy_bypass(host) else getproxies().get(parts.scheme)


@cache
def trusted() -> SSLContext:
    """Return the certificates to trust: those of `certifi`, because Python's own are missing on some systems."""
    import ssl

    import certifi

    return ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())


async def post(
    client: AsyncOpenAI, endpoint: Endpoint, path: str, body: Mapping[str, Any], timeout_s: float
) -> dict[str, Any] | Fault:
    """Send a request, and return the JSON object of the reply or the fault."""
    import httpx2
    from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

    try:
        async with asyncio.timeout(timeout_s):
            try:
                response = await client.post(path, body=_encodable(body), cast_to=httpx2.Response)
            except APIStatusError as error:
                response = error.response
        return reply_or_fault(
            endpoint, response.status_code, response.headers, response.content.decode("utf-8-sig", "replace")
        )
    except (TimeoutError, APITimeoutError):
        return Fault(FaultKind.TIMEOUT, f"no reply within {timeout_s:g} s")
    except ReplyTooLong as error:
        return Fault(FaultKind.TOO_LONG, str(error))
    except APIConnectionError as error:
        cause = error.__cause__ or error
        kind = FaultKind.UNREACHABLE if type(cause).__name__ in _UNREACHABLE else FaultKind.CONNECTION
        return Fault(kind, endpoint.clean(str(cause) or type(cause).__name__))
    except OpenAIError as error:
        # The client itself refuses: no credentials, or none that it can get.
        return Fault(FaultKind.ACCESS, endpoint.clean(str(error)))


async def is_alive(client: AsyncOpenAI, timeout_s: float) -> bool:
    """Return whether an endpoint answers at all, whatever it says to a harmless question."""
    import httpx2
    from openai import APIStatusError, OpenAIError

    try:
        async with asyncio.timeout(timeout_s):
            await client.get("/models", cast_to=httpx2.Response)
    except APIStatusError as error:
        return _kind(error.status_code, "") is not FaultKind.UNAVAILABLE
    except (OpenAIError, TimeoutError):
        return False
    except ReplyTooLong:
        pass
    return True


def _encodable(value: Any) -> Any:
    """Return a JSON value in which half a surrogate pair, which no encoding can hold, is U+FFFD."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
    except UnicodeEncodeError:
        return _paired(value)


def _paired(value: Any) -> Any:
    if isinstance(value, str):
        return _HALF_PAIR.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_paired(key): _paired(one) for key, one in value.items()}
    return [_paired(one) for one in value] if isinstance(value, (list, tuple)) else value


def reply_or_fault(endpoint: Endpoint, status: int, headers: Mapping[str, str], text: str) -> dict[str, Any] | Fault:
    """Return the JSON object of a reply by its status and text, or the fault that they tell of."""
    value = parse_object(text)
    error = value.get("error") if value else None
    if status == 200 and value is not None and not error:
        if any(key in value and isinstance(value[key], kind) for key, kind in _OF_AN_API.items()):
            return value
        return Fault(FaultKind.FOREIGN, f"JSON that is no completion: {endpoint.clean(text)[:100]}")
    details = error if isinstance(error, dict) else {}
    raw = str(details.get("message") or error or text)
    message = endpoint.clean(_shown(raw, headers))
    if status == 200 and not error:
        # A completion that breaks off may be billed; a page is none.
        kind = FaultKind.MALFORMED if text.lstrip().startswith("{") else FaultKind.FOREIGN
        return Fault(kind, f"the reply is no JSON object: {message[:100]}")
    code = details.get("code")
    # Routers report the error of the model's own server inside a reply that is itself well.
    real = code if status == 200 and isinstance(code, int) else status
    words = f"{code} {details.get('type')} {raw}".lower()
    parameter = str(details.get("param") or "")
    return Fault(_kind(real, words), f"HTTP {real}: {message}", asked_wait(headers), parameter)


def _shown(raw: str, headers: Mapping[str, str]) -> str:
    """Return what an error line shows of a reply: of a page its type and title, of everything else the text."""
    if not raw.lstrip().startswith("<"):
        return raw
    title = _TITLE.search(raw)
    kind = headers.get("Content-Type", "").partition(";")[0] or "a page"
    return f"{kind} '{title[1].strip()}'" if title else f"{kind} {raw}"


def _kind(status: int, words: str) -> FaultKind:
    if "insufficient_quota" in words or status == 402:
        return FaultKind.QUOTA
    if "content_filter" in words or "content_policy" in words or (status == 403 and "moderation" in words):
        return FaultKind.FILTERED
    # Some of these come as 429: longer than what is allowed in a minute, so no wait helps.
    if any(sign in words for sign in _TOO_LONG):
        return FaultKind.CONTEXT_LENGTH
    if status == 429:
        return FaultKind.RATE_LIMIT
    # A redirected request would lose its body or its token, so the link has to be fixed.
    if status in (401, 403, 404) or 300 <= status < 400:
        return FaultKind.ACCESS
    if status in (502, 503, 504, 529):
        return FaultKind.UNAVAILABLE
    if status in (408, 409, 425) or status >= 500 or status < 400:
        return FaultKind.SERVER
    return FaultKind.REQUEST


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of `retry-after-ms`, or of `Retry-After`, which is a number or a date."""
    asked = headers.get("Retry-After", "")
    try:
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        pass
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(asked).timestamp() - time()
        except (TypeError, ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None
