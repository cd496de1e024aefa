"""The model that the builder asks: an endpoint, recorded replies, or rules; and how a reply is read.

A backend is anything with `complete` and `key` (`Model`). The prompts are in `prompts/`, one file per task.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ragaliq.llm import Reply, Request

__all__ = ["Model", "ask", "backend", "evidence", "planned", "prompts", "scripted"]


class Model(Protocol):
    """Anything that replies to chat requests; `LLMClient` is one.

    Attributes:
        name: its name in settings, traces and on the card.
    """

    name: str

    def key(self, request: Request) -> str:
        """Return the `request_hash` that the traces of a request have."""
        ...

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        """Return the reply; one that `accept` takes may be cached.

        Raises:
            CallFailed: if there is no reply.
            Stopped: if the work is to end.
        """
        ...
