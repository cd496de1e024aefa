"""Replies that end: read in blocks, up to a bound."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from weakref import WeakKeyDictionary

# Far above any completion or batch of vectors, far below what a machine holds.
MOST_BYTES = 16 * 2**20
# The length from which a reply is long, and how many long ones are read at once.
_SHORT, _MOST_LONG = 2**20, 4
# The results of a batch: those of thousands of requests in one file.
MOST_FILE_BYTES = 512 * 2**20
_PLACES: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


class ReplyTooLong(Exception):
    """A reply is longer than `MOST_BYTES`, decompressed."""

    def __init__(self) -> None:
        super().__init__(f"the reply is longer than {MOST_BYTES // 2**20} MB")


async def read_bounded(blocks: AsyncIterator[bytes], most: int = MOST_BYTES) -> bytes:
    """Return the bytes of all blocks, of which there may be `most`.

    Only a few long replies are read at once, so that many calls to a broken endpoint do not take the machine's memory.

    Raises:
        ReplyTooLong: as soon as they are more than `MOST_BYTES`.
    """
    kept: list[bytes] = []
    size = 0
    async with AsyncExitStack() as place:
        async for block in blocks:
            if size <= _SHORT < size + len(block):
                await place.enter_async_context(_places())
            size += len(block)
            if size > most:
                raise ReplyTooLong
            kept.append(block)
        return b"".join(kept)


def _places() -> asyncio.Semaphore:
    """Return the places for long replies in the running event loop; they cannot move between loops."""
    return _PLACES.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(_MOST_LONG))
