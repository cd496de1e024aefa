"""The plain way: one AsyncOpenAI client, a pool of workers, no log, no cache, no retry bookkeeping.

Variant `aiohttp`: the client's other transport, which it offers for many requests at once.
"""

from __future__ import annotations

import asyncio
import re

from items import items, prompt
from peers.measuring import Judging, Options, measure


def set_up(options: Options) -> Judging:
    """Import the client and build the prompts."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    prompts = [prompt(item) for item in items(options.n)]

    async def grade_all() -> int:
        transport = DefaultAioHttpClient() if options.variant == "aiohttp" else None
        async with AsyncOpenAI(api_key="none", base_url=options.link, http_client=transport) as client:

            async def ask(text: str) -> str:
                completion = await client.chat.completions.create(
                    model="m", messages=[{"role": "user", "content": text}], temperature=0.0, max_tokens=1024
                )
                return completion.choices[0].message.content or ""

            replies: list[str] = []
            queue = iter(prompts)

            async def work() -> None:
                for text in queue:
                    replies.append(await ask(text))

            await asyncio.gather(*(work() for _ in range(options.concurrency)))
        return sum(re.search(r"\[RESULT\] [0-5]", reply) is not None for reply in replies)

    return Judging("bare", "openai", lambda: asyncio.run(grade_all()))


if __name__ == "__main__":
    measure(set_up)
