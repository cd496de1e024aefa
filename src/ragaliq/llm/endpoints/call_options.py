"""How a component calls its endpoint: what every component of kind `openai` takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.llm.endpoints.environment import headers_named
from ragaliq.storage.redaction import names_secret

TIMEOUT_S = 120.0
MAX_TOKENS = ("max_tokens", "max_completion_tokens")
_SHORTEST_SECRET = 8
# What a request is about, and what would make a reply that nobody reads.
_OURS = {"input", "messages", "model", "n", "stream"}


@dataclass(frozen=True, slots=True)
class CallOptions:
    """How a component calls its endpoint.

    Attributes:
        timeout_s: most seconds that one attempt may take.
        headers_from_env: further headers, each with the variable that holds its value: `X-Team=TEAM, X-Key=MY_KEY`.
        extra_body: keys that are added to the body of every request; they win over ours.

    Raises:
        ConfigError: if a value cannot be.
    """

    timeout_s: float = TIMEOUT_S
    headers_from_env: str = ""
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the values."""
        if not 0 < self.timeout_s < float("inf"):
            raise ConfigError(f"option 'timeout_s' must be above 0, not {self.timeout_s:g}")
        if not isinstance(self.extra_body, Mapping) or not all(isinstance(key, str) for key in self.extra_body):
            raise ConfigError("option 'extra_body' must be a mapping of names")
        for name in MAX_TOKENS:
            limit = self.extra_body.get(name, 1)
            if type(limit) is not int or limit < 1:
                raise ConfigError(f"option 'extra_body': '{name}' must be a whole number of at least 1, not {limit!r}")
        check_sendable("option 'extra_body'", self.extra_body)
        headers_named(self.headers_from_env, "option 'headers_from_env'")


def check_sendable(where: str, parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that cannot be in the body of a request; `where` names the setting in the message.

    Raises:
        ConfigError: if one is the client's own to set (`input`, `messages`, `model`, `n`, `stream`), or a value is
            none of JSON.
    """
    for key in sorted(_OURS & set(parameters)):
        raise ConfigError(f"{where}: '{key}' cannot be set here; take it out")
    for key, value in parameters.items():
        if isinstance(value, str) and len(value) >= _SHORTEST_SECRET and names_secret(key):
            raise ConfigError(
                f"{where}: '{key}' looks like a secret, which config.json would hold; use headers_from_env"
            )
        try:
            json.dumps(value, sort_keys=True, allow_nan=False)
        except (RecursionError, TypeError, ValueError):
            raise ConfigError(f"{where}: '{key}' holds what JSON has not, such as a date or NaN") from None


DEFAULT_OPTIONS = CallOptions()
