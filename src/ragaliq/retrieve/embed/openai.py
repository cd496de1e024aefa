"""An embedding model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError, InputError
from ragaliq.execution.carry_out import wait_for
from ragaliq.execution.progress import StageProgress
from ragaliq.llm import DEFAULT_OPTIONS, CallFailed, CallOptions, FaultKind, LLMClient, LLMSession, ResponseCache
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.rows import unit_rows

# The places of the texts that one request holds.
Batch = list[int]


class OpenAIEmbedder:
    """Asks an endpoint for vectors, many texts in a request and many requests at once.

    Prefixes go before the texts of their side alone. Blank texts are not sent; their vectors are zero. Batches that
    were embedded before are taken from the cache of replies, so a command that stopped goes on where it was.
    """

    def __init__(
        self,
        model: str,
        query_prefix: str = "",
        passage_prefix: str = "",
        batch_size: int = 64,
        options: CallOptions = DEFAULT_OPTIONS,
        session: LLMSession | None = None,
    ) -> None:
        """Take the endpoint, which is the judge's.

        Raises:
            ConfigError: if `batch_size` is below 1 or the endpoint is not set.
        """
        if batch_size < 1:
            raise ConfigError(f"embedder '{model}': option 'batch_size' must be at least 1, not {batch_size}")
        self.client = LLMClient("embedder", model, session, options)
        self._name = f"embedder '{self.client.endpoint.model}'"
        self._prefixes = {Side.QUERY: query_prefix, Side.PASSAGE: passage_prefix}
        self.batch_size = batch_size
        self._dimension = 0

    def __str__(self) -> str:
        """Name everything that decides the vectors; an endpoint tells no revision of its model.

        Address and body are a hash: they may hold what is not to be shown.
        """
        prefixes = (self._prefixes[Side.QUERY], self._prefixes[Side.PASSAGE])
        where = ResponseCache.key({"address": self.client.endpoint.address, **self.client.options.extra_body})[:12]
        return f"openai:{self.client.endpoint.model} at {where} {prefixes!r}"

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one vector of unit length for each text, of which at least one is sent; else shape `(n, 1)`, zeros.

        Raises:
            InputError: if the endpoint gives no vectors, or one that is no list of finite numbers as long as the
                others: without them there is nothing to search.
        """
        said = [place for place, text in enumerate(texts) if text.strip()]
        batches = [said[start : start + self.batch_size] for start in range(0, len(said), self.batch_size)]
        parts = wait_for(self._ask_all(texts, batches, side))
        vectors = np.zeros((len(texts), self._dimension if parts else 1), dtype=np.float32)
        for batch, rows in zip(batches, parts, strict=True):
            vectors[batch] = rows
        return vectors

    async def _ask_all(self, texts: Sequence[str], batches: Sequence[Batch], side: Side) -> list[NDArray[np.float32]]:
        """Return the rows of each batch; only as many batches as may be under way are held as texts and requests."""
        rows_of: dict[int, NDArray[np.float32]] = {}
        left = iter(enumerate(batches))

        async def work(mine: Iterator[tuple[int, Batch]]) -> None:
            for number, batch in mine:
                rows_of[number] = await self._ask(texts, batch, side)
                progress.step(len(batch))

        progress = StageProgress("embedding", sum(map(len, batches)), "text", inner=True)
        workers = [asyncio.create_task(work(left)) for _ in batches[: self.client.session.concurrency]]
        try:
            with progress:
                await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            # A request that is still being cancelled would open the connections again.
            await asyncio.gather(*workers, return_exceptions=True)
            await self.client.session.disconnect()
        return [rows_of[number] for number in range(len(batches))]

    async def _ask(self, texts: Sequence[str], batch: Batch, side: Side) -> NDArray[np.float32]:
        """Return the unit vectors of a batch, shape `(len(batch), dimension)`."""
        sent = [self._prefixes[side] + texts[place] for place in batch]
        try:
            values = await self.client.embed(sent, lambda vectors: not any(self._faults(vectors)))
        except CallFailed as error:
            cure = "lower 'batch_size'" if error.kind is FaultKind.TOO_LONG else "fix it and run again"
            raise InputError(f"{self._name}: {error}; {cure}") from None
        for place, fault in zip(batch, self._faults(values), strict=True):
            if fault:
                raise InputError(
                    f"{self._name}: the vector of text {place + 1} of {len(texts)} {fault}; check the endpoint, and "
                    "run with --no-cache if its model has changed"
                )
        rows = np.asarray(values, dtype=np.float64)
        self._dimension = rows.shape[1]
        return unit_rows(rows)

    def _faults(self, vectors: Sequence[object]) -> list[str]:
        """Return what is wrong with each vector of a reply; empty where nothing is."""
        length = self._dimension or next((len(vector) for vector in vectors if isinstance(vector, list)), 0)
        return [_fault(vector, length) for vector in vectors]


def _fault(vector: object, length: int) -> str:
    if not isinstance(vector, list) or not vector:
        return "is no list of numbers"
    if len(vector) != length:
        return f"has {len(vector)} numbers where others have {length}"
    if not set(map(type, vector)) <= {int, float}:
        return "holds something that is no number"
    try:
        # The length too: by it the vector is divided.
        with np.errstate(over="ignore"):
            finite = bool(np.isfinite(np.linalg.norm(np.asarray(vector, dtype=np.float64))))
    except OverflowError:
        finite = False
    return "" if finite else "is not finite"
