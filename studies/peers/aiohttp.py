"""The floor: requests of aiohttp without any client library for models; nothing but sending, waiting and parsing."""

from __future__ import annotations

import asyncio
import re

from items import items, prompt
from peers.measuring import Judging, Options, measure


def set_up(options: Options) -> Judging:
    """Import the client and build the requests."""
    import aiohttp

    asked = {"model": "m", "temperature": 0.0, "max_tokens": 1024}
    requests = [{**asked, "messages": [{"role": "user", "content": prompt(item)}]} for item in items(options.n)]

    async def grade_all() -> int:
        async with aiohttp.ClientSession() as session:
            replies: list[str] = []
            queue = iter(requests)

            async def work() -> None:
                for request in queue:
                    async with session.post(f"{options.link}/chat/completions", json=request) as response:
                        completion = await response.json()
                    replies.append(completion["choices"][0]["message"]["content"])

            await asyncio.gather(*(work() for _ in range(options.concurrency)))
        return sum(re.search(r"\[RESULT\] [0-5]", reply) is not None for reply in replies)

    return Judging("aiohttp", "aiohttp", lambda: asyncio.run(grade_all()))


if __name__ == "__main__":
    measure(set_up)
