"""Where a model is served, and the secret that opens it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from ragaliq.errors import ConfigError
from ragaliq.storage.redaction import redact

_USER = re.compile(r"//[^/\s@]*@")
# Local servers are given tokens such as `x` or `none`, which are parts of ordinary words.
_SHORTEST_SECRET = 6


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served. The token is in no text form of the record."""

    link: str
    model: str
    token: str = field(repr=False)

    def clean(self, text: str) -> str:
        """Return a text as one short line without secrets, neither the endpoint's nor those of the environment."""
        return redact(self.masked(" ".join(text.split())))[:500]

    def masked(self, text: str) -> str:
        """Return a text without the token and what the link may hold of secrets."""
        return mask(_USER.sub("//***@", text), self._secrets()) if text else text

    def _secrets(self) -> set[str]:
        parts = urlsplit(self.link)
        values = [self.token, parts.username, parts.password, parts.query]
        values += [value for _, value in parse_qsl(parts.query)]
        return {form for value in values if value for form in (value, unquote(value), quote(value, safe=""))}


def mask(text: str, secrets: Iterable[str]) -> str:
    """Return a text with `***` for each secret of at least six characters; shorter ones stand in ordinary words."""
    # The longest first: a shorter one may be a part of it.
    for secret in sorted({one for one in secrets if len(one) >= _SHORTEST_SECRET}, key=lambda one: (-len(one), one)):
        text = text.replace(secret, "***")
    return text


def read_endpoint(role: str, model: str, planned: bool = False) -> Endpoint:
    """Return the endpoint of a role from the environment, or from `.env` in the working directory.

    Judge and check take `TOKEN`, `JUDGE_API_LINK` and, without `model`, `JUDGE_MODEL`; all others take `READER_TOKEN`
    and `READER_API_LINK`, which fall back to the judge's. Real variables win over `.env`.

    Args:
        role: `judge`, `check`, `reader`, `reranker` or `embedder`.
        model: the model's name at the endpoint.
        planned: nothing will be called, so link and token may be missing.

    Raises:
        ConfigError: naming the variable that is missing.
    """
    values = environment()

    judges = role in ("judge", "check")
    if not model and not judges:
        raise ConfigError(f"{role} 'openai': name its model, as in openai:MODEL")

    def needed(*names: str) -> str:
        for name in names:
            if (values.get(name) or "").strip():
                return str(values[name]).strip()
        raise ConfigError(f"{role} 'openai': {' or '.join(names)} is not set; put it into .env or the environment")

    if planned:
        return Endpoint("", model or needed("JUDGE_MODEL"), "")
    if not judges:
        token, link = needed("READER_TOKEN", "TOKEN"), needed("READER_API_LINK", "JUDGE_API_LINK")
    else:
        token, link = needed("TOKEN"), needed("JUDGE_API_LINK")
    if not is_link(link):
        # The value is not shown: a token may have got into the wrong line.
        raise ConfigError(f"{role} 'openai': the API link is no http:// or https:// address; check .env")
    if not token.isascii() or not token.isprintable():
        raise ConfigError(
            f"{role} 'openai': TOKEN holds characters that no token has; put yours in place of the example"
        )
    return Endpoint(link, model or needed("JUDGE_MODEL"), token)


def environment() -> dict[str, str | None]:
    """Return the variables of the environment and, where it has none of a name, of `.env` in the working directory.

    Raises:
        ConfigError: if `.env` cannot be read.
    """
    from dotenv import dotenv_values

    try:
        return {**dotenv_values(Path(".env")), **os.environ}
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigError(f".env: cannot be read ({type(error).__name__}); save it as UTF-8 text") from None


def is_link(text: str) -> bool:
    """Return whether a text is an http:// or https:// address with a host."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
