"""openevals: its judge on an AsyncOpenAI client; it has no runner of its own, so the calls are gathered here."""

from __future__ import annotations

import asyncio

from items import RUBRIC, Graded, items
from peers.measuring import Judging, Options, measure

PROMPT = RUBRIC + "\n\nQuestion:\n{inputs}\n\nReference:\n{reference_outputs}\n\nAnswer:\n{outputs}"


def set_up(options: Options) -> Judging:
    """Import the library and make the judge."""
    from openai import AsyncOpenAI
    from openevals.llm import (  # type: ignore[import-not-found]  # lives in its own environment
        create_async_llm_as_judge,
    )

    graded = items(options.n)

    async def grade_all() -> int:
        client = AsyncOpenAI(api_key="none", base_url=options.link)
        judge = create_async_llm_as_judge(prompt=PROMPT, judge=client, model="m", choices=[0, 1, 2, 3, 4, 5])
        free = asyncio.Semaphore(options.concurrency)

        async def grade(item: Graded) -> bool:
            async with free:
                found = await judge(inputs=item.question, outputs=item.answer, reference_outputs=item.reference)
            return bool(found["score"] == 4)

        async with client:
            return sum(await asyncio.gather(*map(grade, graded)))

    return Judging("openevals", "openevals", lambda: asyncio.run(grade_all()))


if __name__ == "__main__":
    measure(set_up)
