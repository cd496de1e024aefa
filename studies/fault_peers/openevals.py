"""openevals: it has no runner; its calls are gathered as a user would, and the mean is the user's own."""

from __future__ import annotations

import asyncio
from typing import Any

from fault_peers.telling import Options, Said, mean, tell
from items import Graded, items
from peers.openevals import PROMPT


def grade(options: Options) -> Said:
    """Grade all answers."""
    return asyncio.run(_grade(options))


async def _grade(options: Options) -> Said:
    from openai import AsyncOpenAI
    from openevals.llm import (  # type: ignore[import-not-found]  # lives in its own environment
        create_async_llm_as_judge,
    )

    client = AsyncOpenAI(api_key="none", base_url=options.link)
    if options.timeout_s:
        client = client.with_options(timeout=options.timeout_s)
    judge = create_async_llm_as_judge(prompt=PROMPT, judge=client, model="m", choices=[0, 1, 2, 3, 4, 5])
    free = asyncio.Semaphore(options.concurrency)

    async def one(item: Graded) -> Any:
        async with free:
            return await judge(inputs=item.question, outputs=item.answer, reference_outputs=item.reference)

    async with client:
        found = await asyncio.gather(*map(one, items(options.n)), return_exceptions=True)
    failed = {i: f"{type(end).__name__}: {end}" for i, end in enumerate(found) if isinstance(end, BaseException)}
    scores = {i: float(end["score"]) for i, end in enumerate(found) if not isinstance(end, BaseException)}
    return Said(scores, failed, mean(scores), "")


if __name__ == "__main__":
    tell(grade)
