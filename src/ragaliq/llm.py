"""One client for every OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from ragaliq.errors import ConfigError
from ragaliq.types import Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Message = dict[str, str]

TIMEOUT_S = 120.0
ATTEMPTS = 5
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served. The token is in no text form of the record."""

    link: str
    model: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What an endpoint answered; `finish_reason` is the endpoint's own word (`stop`, `length`, `content_filter`)."""

    text: str
    finish_reason: str
    refused: bool
    attempts: int
    usage: Usage | None


class CallFailed(Exception):
    """A call gave no reply after all attempts; the message holds no token."""

    def __init__(self, message: str, attempts: int) -> None:
        super().__init__(message)
        self.attempts = attempts


def read_endpoint(role: str, model: str) -> Endpoint:
    """Return the endpoint of `judge` or `reader` from the environment, or from `.env` in the working directory.

    The judge takes `TOKEN`, `JUDGE_API_LINK` and, without `model`, `JUDGE_MODEL`; the reader takes `READER_TOKEN` and
    `READER_API_LINK`, which fall back to the judge's. Real variables win over `.env`.

    Raises:
        ConfigError: naming the variable that is missing.
    """
    from dotenv import dotenv_values

    try:
        values = {**dotenv_values(Path(".env")), **os.environ}
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigError(f".env: cannot be read ({type(error).__name__}); save it as UTF-8 text") from None

    def needed(*names: str) -> str:
        for name in names:
            if (values.get(name) or "").strip():
                return str(values[name]).strip()
        raise ConfigError(f"{role} 'openai': {' or '.join(names)} is not set; put it into .env or the environment")

    if role == "reader":
        token, link = needed("READER_TOKEN", "TOKEN"), needed("READER_API_LINK", "JUDGE_API_LINK")
    else:
        token, link = needed("TOKEN"), needed("JUDGE_API_LINK")
    if not _is_link(link):
        # The value is not shown: a token may have got into the wrong line.
        raise ConfigError(f"{role} 'openai': the API link is no http:// or https:// address; check .env")
    if not token.isascii() or not token.isprintable():
        raise ConfigError(
            f"{role} 'openai': TOKEN holds characters that no token has; put yours in place of the example"
        )
    if not model and role == "reader":
        raise ConfigError("reader 'openai': name its model, as in openai:MODEL")
    return Endpoint(link, model or needed("JUDGE_MODEL"), token)


def _is_link(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


class LLMClient:
    """Sends chat requests, with a timeout and a bounded number of attempts for what may pass by itself."""

    def __init__(self, endpoint: Endpoint, attempts: int = ATTEMPTS, timeout_s: float = TIMEOUT_S) -> None:
        self.endpoint = endpoint
        self._attempts = attempts
        self._timeout_s = timeout_s
        self._client: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def complete(self, messages: Sequence[Message], **parameters: Any) -> Reply:
        """Return the model's reply to a chat.

        Rate limits, time-outs, lost connections and errors of the server are tried again.

        Raises:
            ConfigError: if the endpoint refuses the token or does not know the model; no later call can succeed.
            CallFailed: if there is no reply after the last attempt, or the request itself is refused.
        """
        import openai

        for attempt in range(1, self._attempts + 1):
            try:
                completion = await self._connected().chat.completions.create(
                    model=self.endpoint.model, messages=cast(Any, list(messages)), **parameters
                )
                return _reply(completion, attempt)
            except (openai.AuthenticationError, openai.NotFoundError) as error:
                raise ConfigError(f"endpoint: {self._clean(error)}; check TOKEN, link and model") from None
            except (openai.RateLimitError, openai.APIConnectionError, openai.InternalServerError) as error:
                if attempt == self._attempts:
                    raise CallFailed(self._clean(error), attempt) from None
                await asyncio.sleep(_wait_s(error, attempt))
            except (openai.OpenAIError, ValueError, TypeError) as error:
                # A reply without choices, or a body that is no completion, is as good as none.
                raise CallFailed(self._clean(error), attempt) from None
        raise AssertionError("the last attempt returns or raises")

    def _connected(self) -> AsyncOpenAI:
        """Return the client of the running event loop: connections cannot move between loops."""
        from openai import AsyncOpenAI

        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop = loop
            self._client = AsyncOpenAI(
                api_key=self.endpoint.token, base_url=self.endpoint.link, timeout=self._timeout_s, max_retries=0
            )
        return self._client

    def _clean(self, error: Exception) -> str:
        """Return an error as one line without the token."""
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return text.replace(self.endpoint.token, "***")[:500]


def _reply(completion: Any, attempt: int) -> Reply:
    if not getattr(completion, "choices", None):
        raise ValueError("the endpoint sent a reply without choices")
    choice = completion.choices[0]
    usage = completion.usage
    return Reply(
        text=choice.message.content or "",
        finish_reason=choice.finish_reason or "",
        refused=bool(getattr(choice.message, "refusal", None)),
        attempts=attempt,
        usage=Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0) if usage else None,
    )


def _wait_s(error: Exception, attempt: int) -> float:
    """Return how long to wait: what the server asks for, else twice as long each time, with jitter."""
    response = getattr(error, "response", None)
    try:
        asked = float(response.headers.get("retry-after")) if response is not None else None
    except (TypeError, ValueError):
        asked = None
    backoff: float = _FIRST_WAIT_S * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
    return min(_LONGEST_WAIT_S, asked if asked is not None and asked >= 0 else backoff)
