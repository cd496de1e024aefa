"""Asking again for what a reply lacked: a bounded number of rounds, for fewer documents where replies were cut off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ragaliq.build.model.ask import Asked
from ragaliq.types import VerdictOutcome


async def in_rounds(
    pending: Callable[[], Sequence[int]],
    ask_for: Callable[[Sequence[int], int], Awaitable[Asked[Any]]],
    rounds: int,
) -> tuple[list[str], str]:
    """Ask until no document is pending, at most `rounds` times; return the traces, and why some still are pending.

    Args:
        pending: the documents that are still to be judged, by number; `ask_for` makes them fewer.
        ask_for: asks for some documents, in one call, and keeps what the reply says; gets the round, from 0.
        rounds: how often to ask for what is missing.
    """
    traces: list[str] = []
    detail = ""
    size = max(1, len(pending()))
    for attempt in range(rounds):
        documents = pending()
        if not documents:
            break
        cut_off = False
        for start in range(0, len(documents), size):
            asked = await ask_for(documents[start : start + size], attempt)
            traces += asked.traces
            cut_off = cut_off or asked.failure == VerdictOutcome.TRUNCATED
            detail = "a reply without entries that can be used" if asked.value is not None else asked.detail
        if cut_off:
            # The same question would be cut off at the same place.
            size = max(1, size // 2)
    return traces, detail if pending() else ""
