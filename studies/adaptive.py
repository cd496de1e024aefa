"""How many replies a second a rate-limited endpoint yields: ragaliq's window against a fixed number of calls.

The endpoint lets a burst through at once and then a fixed rate, and refuses the rest with 429, with and without
`Retry-After`. Goodput is replies divided by the time from the first request to the last reply, as the endpoint sees
it. Writes `adaptive.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import median

from endpoint import Local, endpoint
from items import items, prompt
from record import write

_HERE = Path(__file__).resolve().parent
_MOST = 100
# The plain way's retries: the waits of the openai package, but more of them, so that it loses as few as it can.
_ATTEMPTS, _FIRST_WAIT_S, _LONGEST_WAIT_S = 10, 0.5, 8.0


def main() -> int:
    """Read the options, measure, write the figures."""
    options = _options()
    rows: list[dict[str, object]] = []
    for retry_after in options.retry_after:
        limits = {"latency": options.latency, "rate": options.rate, "burst": options.burst}
        with endpoint(**limits, retry_after=retry_after) as local:
            for number in range(options.rounds):
                for fixed in options.fixed:
                    made = measured(local, options.n, fixed)
                    rows.append({"round": number + 1, "retry_after": retry_after, **made})
                    print(rows[-1], file=sys.stderr)
    ideal = options.n / max((options.n - options.burst) / options.rate, options.latency)
    names = ("n", "rate", "burst", "latency", "rounds")
    task = {**{name: getattr(options, name) for name in names}, "ideal_per_s": round(ideal, 1)}
    write(options.out, {"task": task, "medians": _medians(rows), "rows": rows})
    print(f"figures: {options.out}")
    return 0


def measured(local: Local, n: int, fixed: int) -> dict[str, object]:
    """Send `n` requests, `fixed` at once or with ragaliq's window where it is 0, and return what came of it."""
    local.reset()
    prompts = [prompt(item) for item in items(n)]
    start = time.perf_counter()
    lost = asyncio.run(_fixed(local.link, prompts, fixed) if fixed else _adaptive(local.link, prompts))
    wall_s = time.perf_counter() - start
    counts = local.stats()
    return {
        "way": f"fixed {fixed}" if fixed else "adaptive",
        "goodput_per_s": round(counts["replies"] / counts["busy_s"], 2),
        "lost": lost,
        "refused": counts["limited"],
        "max_in_flight": counts["max_in_flight"],
        "wall_s": round(wall_s, 3),
    }


async def _adaptive(link: str, prompts: list[str]) -> int:
    """Send all through ragaliq's client, which may have up to `_MOST` requests under way; return how many failed."""
    from ragaliq.llm import CallFailed, LLMClient, LLMSession, Request

    os.environ.update(TOKEN="none", JUDGE_API_LINK=link)
    session = LLMSession(concurrency=_MOST)
    client = LLMClient("judge", "m", session)

    async def ask(text: str) -> bool:
        request = Request([{"role": "user", "content": text}], {"temperature": 0.0, "max_tokens": 1024})
        try:
            await client.complete(request)
        except CallFailed:
            return False
        return True

    try:
        return await _lost(ask, prompts, _MOST)
    finally:
        await session.close()


async def _fixed(link: str, prompts: list[str], workers: int) -> int:
    """Send all from a pool of workers, each of which waits and tries again by itself; return how many failed."""
    import aiohttp

    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask(text: str) -> bool:
            body = {"model": "m", "messages": [{"role": "user", "content": text}], "temperature": 0.0}
            for attempt in range(_ATTEMPTS):
                async with session.post(f"{link}/chat/completions", json=body) as response:
                    if response.status == 200:
                        await response.json()
                        return True
                    asked = response.headers.get("Retry-After")
                backoff = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**attempt) * random.uniform(0.75, 1.0)
                await asyncio.sleep(backoff if asked is None else float(asked))
            return False

        return await _lost(ask, prompts, workers)


async def _lost(ask: Callable[[str], Awaitable[bool]], prompts: list[str], workers: int) -> int:
    """Ask for all prompts from a pool of workers, and return how many got no reply."""
    replied: list[bool] = []

    async def work(queue: Iterator[str]) -> None:
        for text in queue:
            replied.append(await ask(text))

    queue = iter(prompts)
    await asyncio.gather(*(work(queue) for _ in range(workers)))
    return len(prompts) - sum(replied)


def _medians(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the medians over the rounds, one row for each way and kind of refusal."""
    names = ("goodput_per_s", "lost", "refused", "max_in_flight", "wall_s")
    ways = dict.fromkeys((str(made["retry_after"]), str(made["way"])) for made in rows)
    return [
        {
            "retry_after": retry_after,
            "way": way,
            **{
                name: median(float(str(m[name])) for m in rows if (m["retry_after"], m["way"]) == (retry_after, way))
                for name in names
            },
        }
        for retry_after, way in ways
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--n", type=int, default=1500, help="requests (1500)")
    add("--rate", type=float, default=100.0, help="requests a second that the endpoint allows (100)")
    add("--burst", type=float, default=20.0, help="requests that it allows at once (20)")
    add("--latency", type=float, default=0.05, help="seconds that it takes for a reply (.05)")
    add("--retry-after", nargs="+", default=["none", "1"], help="what a 429 asks for, in seconds (none 1)")
    add("--fixed", type=int, nargs="+", default=[0, 5, 20, 100], help="calls at once; 0 is ragaliq's window")
    add("--rounds", type=int, default=3, help="how often each way is tried (3)")
    add("--out", type=Path, default=_HERE / "adaptive.json", help="file of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
