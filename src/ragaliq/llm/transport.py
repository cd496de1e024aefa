"""One HTTP request to an endpoint, and what became of it: a JSON object, or a typed fault."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum
from functools import cache
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from ragaliq.llm.endpoint import Endpoint

if TYPE_CHECKING:
    from ssl import SSLContext

    from aiohttp import ClientSession


# How OpenAI, vLLM, llama.cpp and others say that a prompt is too long.
_TOO_LONG = ("context_length", "context length", "context window", "context_size", "context size",
             "prompt is too long", "request too large")  # fmt: skip


class FaultKind(StrEnum):
    """Why a request brought no reply."""

    RATE_LIMIT = "rate_limit"
    SERVER = "server_error"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    MALFORMED = "malformed_reply"
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


def _options(endpoint: Endpoint, timeout_s: float) -> dict[str, Any]:
    import aiohttp

    parts = urlsplit(endpoint.link)
    secure = {"ssl": trusted()} if parts.scheme == "https" else {}
    # A user in the link stands in for the token, as with other clients.
    access = {} if parts.username else {"Authorization": f"Bearer {endpoint.token}"}
    return {
        "headers": {**access, "Content-Type": "application/json"},
        "timeout": aiohttp.ClientTimeout(total=timeout_s),
        "allow_redirects": False,
        "proxy": proxy_of(endpoint.link),
        **secure,
    }


async def post(
    session: ClientSession, endpoint: Endpoint, path: str, body: Mapping[str, Any], timeout_s: float
) -> dict[str, Any] | Fault:
    """Send a request, and return the JSON object of the reply or the fault."""
    import aiohttp

    url, data = _url(endpoint, path), json.dumps(body).encode("ascii")
    try:
        async with session.post(url, data=data, **_options(endpoint, timeout_s)) as response:
            text = await response.text(encoding="utf-8", errors="replace")
            return _read(endpoint, response.status, response.headers, text)
    except TimeoutError:
        return Fault(FaultKind.TIMEOUT, f"no reply within {timeout_s:g} s")
    except aiohttp.ClientConnectorError as error:
        return Fault(FaultKind.UNREACHABLE, endpoint.clean(f"{type(error).__name__}: {error}"))
    except (aiohttp.ClientError, OSError, ValueError) as error:
        return Fault(FaultKind.CONNECTION, endpoint.clean(f"{type(error).__name__}: {error}"))


async def is_alive(session: ClientSession, endpoint: Endpoint, timeout_s: float) -> bool:
    """Return whether an endpoint answers at all, whatever it says to a harmless question."""
    import aiohttp

    try:
        async with session.get(_url(endpoint, "/models"), **_options(endpoint, timeout_s)) as response:
            return _kind(response.status, "") is not FaultKind.UNAVAILABLE
    except (aiohttp.ClientError, OSError, ValueError, TimeoutError):
        return False


def _url(endpoint: Endpoint, path: str) -> str:
    """Return the address below the link; the link's query stays at the end."""
    parts = urlsplit(endpoint.link)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def _read(endpoint: Endpoint, status: int, headers: Mapping[str, str], text: str) -> dict[str, Any] | Fault:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    error = value.get("error") if isinstance(value, dict) else None
    if status == 200 and isinstance(value, dict) and not error:
        return value
    details = error if isinstance(error, dict) else {}
    raw = str(details.get("message") or error or text)
    message = endpoint.clean(raw)
    if status == 200 and not error:
        return Fault(FaultKind.MALFORMED, f"the reply is no JSON object: {message[:100]}")
    code = details.get("code")
    # Routers report the error of the model's own server inside a reply that is itself well.
    real = code if status == 200 and isinstance(code, int) else status
    words = f"{code} {details.get('type')} {raw}".lower()
    parameter = str(details.get("param") or "")
    return Fault(_kind(real, words), f"HTTP {real}: {message}", asked_wait(headers), parameter)


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
    """Return the seconds of `Retry-After`, which is a number or a date."""
    asked = headers.get("Retry-After", "")
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(asked).timestamp() - time()
        except (TypeError, ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None
