"""Any system behind an HTTP endpoint of its own as reader."""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ragaliq.errors import ConfigError
from ragaliq.read.outcome import outcome_of
from ragaliq.types import AnswerOutcome, Hit, Query, Reading, Usage

if TYPE_CHECKING:
    from aiohttp import ClientSession

ATTEMPTS = 3
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0
_HEADER = re.compile(r"\s*([A-Za-z0-9-]+)\s*=\s*(\w+)\s*")


class HttpReader:
    """Posts each question and its context to an endpoint, and takes what comes back for the answer.

    Sent is `{"question", "lang", "query_id", "context": [{"doc_id", "text"}, …]}`. The reply is JSON,
    `{"answer": "…"}` with, if you like, `"usage": {"prompt_tokens": n, "completion_tokens": n}`; or the answer alone as
    `text/plain`. Too many requests (429), errors of the server (5xx) and lost connections are tried up to three times.
    Redirects are not followed, so that no header reaches another host.
    """

    def __init__(self, model: str, timeout_s: float = 120.0, headers_from_env: str = "") -> None:
        """Check address and headers.

        Args:
            model: the address of the endpoint.
            timeout_s: most seconds that one attempt may take.
            headers_from_env: headers whose values are secret, each with the environment variable that holds its value:
                `Authorization=MY_TOKEN, X-Key=MY_KEY`. The variables may stand in `.env` in the working directory.

        Raises:
            ConfigError: if the address is none, holds a password, or a variable is not set. No value is shown.
        """
        self._shown = _shown(model)
        self._link = model
        self._name = f"reader 'http:{self._shown}'"
        if not (timeout_s > 0 and math.isfinite(timeout_s)):
            raise ConfigError(f"{self._name}: option 'timeout_s' must be above 0, not {timeout_s}")
        self._timeout_s = timeout_s
        self._headers = _headers(headers_from_env, self._name)

    async def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return the endpoint's answer, or the typed reason that there is none.

        Raises:
            ConfigError: if the endpoint refuses the headers (401, 403); no later question can succeed.
        """
        import aiohttp

        body = {
            "question": query.text,
            "lang": query.lang,
            "query_id": query.query_id,
            "context": [{"doc_id": hit.chunk.doc_id, "text": hit.chunk.text} for hit in context],
        }
        # A session of its own, because connections cannot move between event loops; it is small beside an answer.
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self._timeout_s)) as session:
            for attempt in range(1, ATTEMPTS + 1):
                try:
                    return await self._ask(session, body, query.lang)
                except _CallFailedError as failed:
                    if attempt == ATTEMPTS or failed.wait_s is None:
                        tried = f" (attempt {attempt})" if attempt > 1 else ""
                        return Reading("", AnswerOutcome.ERROR, error=f"{failed}{tried}")
                    backoff = _FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
                    await asyncio.sleep(min(_LONGEST_WAIT_S, max(failed.wait_s, backoff)))
        raise AssertionError("the last attempt returns or raises")

    async def _ask(self, session: ClientSession, body: Mapping[str, object], lang: str) -> Reading:
        import aiohttp

        try:
            reply = session.post(self._link, json=body, headers=self._headers, allow_redirects=False)
            async with reply as response:
                if response.status in (401, 403):
                    raise ConfigError(f"{self._name}: HTTP {response.status}; check headers_from_env")
                if not 200 <= response.status < 300:
                    passing = response.status == 429 or response.status >= 500
                    wait_s = _seconds(response.headers.get("retry-after")) if passing else None
                    raise _CallFailedError(f"HTTP {response.status} from {self._shown}", wait_s)
                text = await response.text()
                plain = response.content_type == "text/plain"
        except TimeoutError:
            raise _CallFailedError(f"no reply from {self._shown} within {self._timeout_s:g} s") from None
        except UnicodeDecodeError:
            raise _CallFailedError(f"the reply of {self._shown} is not in the encoding that it names") from None
        except (aiohttp.ClientError, OSError) as error:
            # The text of the error may hold the whole address; its kind says enough.
            lost = f"the connection to {self._shown} failed ({type(error).__name__})"
            raise _CallFailedError(lost, wait_s=0.0) from None
        return _plain(text, lang) if plain else _structured(text, lang, f"the reply of {self._shown}")


class _CallFailedError(Exception):
    """An attempt gave no answer; it may be tried again after `wait_s` seconds, or not at all if that is None."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


def _plain(text: str, lang: str) -> Reading:
    return Reading(text.strip(), outcome_of(text, lang))


def _structured(text: str, lang: str, where: str) -> Reading:
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        raise _CallFailedError(f"{where} is neither JSON nor text/plain") from None
    if not isinstance(reply, dict) or not isinstance(reply.get("answer"), str):
        raise _CallFailedError(f"{where} has no text under the key 'answer'")
    return Reading(reply["answer"].strip(), outcome_of(reply["answer"], lang), _usage(reply.get("usage"), where))


def _usage(counts: object, where: str) -> Usage | None:
    if counts is None:
        return None
    known = counts if isinstance(counts, dict) else {}
    asked, written = known.get("prompt_tokens"), known.get("completion_tokens")
    if type(asked) is int and type(written) is int and min(asked, written) >= 0:
        return Usage(asked, written)
    raise _CallFailedError(f"{where} has a 'usage' without whole numbers prompt_tokens and completion_tokens")


def _shown(link: str) -> str:
    """Return an address without its query, which may hold a key."""
    try:
        parts = urlsplit(link)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        fits = False
    if not fits:
        raise ConfigError("reader 'http': its model is no http:// or https:// address; write http:https://HOST/PATH")
    if "@" in parts.netloc:
        raise ConfigError("reader 'http': the address holds a user or password; use headers_from_env instead")
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def _headers(pairs: str, name: str) -> dict[str, str]:
    if not pairs.strip():
        return {}
    from dotenv import dotenv_values

    try:
        values = {**dotenv_values(Path(".env")), **os.environ}
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigError(f".env: cannot be read ({type(error).__name__}); save it as UTF-8 text") from None
    headers = {}
    for pair in pairs.split(","):
        found = _HEADER.fullmatch(pair)
        if found is None:
            # What stands there is not shown: it may be the secret itself.
            raise ConfigError(f"{name}: write headers_from_env as HEADER=VARIABLE, HEADER=VARIABLE")
        header, variable = found.groups()
        value = (values.get(variable) or "").strip()
        if not value:
            raise ConfigError(f"{name}: {variable} is not set; put it into .env or the environment")
        if not value.isascii() or not value.isprintable():
            raise ConfigError(f"{name}: {variable} holds characters that no header may have")
        headers[header] = value
    return headers


def _seconds(text: str | None) -> float:
    """Return how long a server asks to wait; a date, or nothing, counts as no wish."""
    try:
        seconds = float(text or 0)
    except ValueError:
        return 0.0
    return seconds if seconds > 0 and math.isfinite(seconds) else 0.0
