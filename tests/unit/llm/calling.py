"""LLMSession of a client to the chat server, and what they end with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fakes import ChatServer, Scripted
from ragaliq.llm import CallOptions, LLMClient, LLMSession, Reply, Request
from ragaliq.llm.prices import Price, Prices

TOKEN = "sk-secret-1234567890"
CHAT = [{"role": "system", "content": "Réponds."}, {"role": "user", "content": "Где столовая? 食堂在哪里？"}]
SCHEMA = {"type": "object", "properties": {"grade": {"type": "integer"}}, "required": ["grade"]}
REQUEST = Request(CHAT, {"temperature": 0.0, "max_tokens": 9})
PRICES = Prices(Path("p.yaml"), "2026-05", {"m": Price(prompt=1000.0, completion=10_000.0)})
# 7 tokens of prompt and 3 of reply, as the server reports.
COST = (7 * 1000 + 3 * 10_000) / 1e6
Ended = Reply | BaseException
Pointer = Callable[[ChatServer], ChatServer]


def client_of(session: LLMSession | None = None, model: str = "m", timeout_s: float = 5.0) -> LLMClient:
    return LLMClient("judge", model, session, CallOptions(timeout_s=timeout_s))


def ask(client: LLMClient, *requests: Request, accept: Callable[[Reply], bool] = lambda reply: True) -> list[Ended]:
    """The replies to requests that are sent at once, or what was raised instead."""

    async def asked() -> list[Ended]:
        try:
            ended = await asyncio.gather(
                *(client.complete(request, accept) for request in requests), return_exceptions=True
            )
            return list(ended)
        finally:
            await client.session.close()

    return asyncio.run(asked())


def one(client: LLMClient, request: Request = REQUEST) -> Ended:
    return ask(client, request)[0]


def error(message: str, **more: Any) -> str:
    return json.dumps({"error": {"message": message, **more}})


def raw_reply(message: dict[str, Any], **more: Any) -> Scripted:
    choice = {"index": 0, "message": message, "finish_reason": "stop", **more}
    return Scripted(raw=json.dumps({"choices": [choice]}))


def embed(client: LLMClient, texts: Sequence[str]) -> list[list[float]] | BaseException:
    async def embedded() -> list[list[float]] | BaseException:
        ended = await asyncio.gather(client.embed(texts), return_exceptions=True)
        await client.session.close()
        return ended[0]

    return asyncio.run(embedded())
