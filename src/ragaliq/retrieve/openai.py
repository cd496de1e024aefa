"""An embedding model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.llm import TIMEOUT_S, CallFailed, Calls, LLMClient
from ragaliq.retrieve import Side


class OpenAIEmbedder:
    """Asks an endpoint for vectors, many texts in a request and many requests at once.

    Prefixes go before the texts of their side alone. Blank texts are not sent; their vectors are zero.
    """

    def __init__(
        self,
        model: str,
        query_prefix: str = "",
        passage_prefix: str = "",
        batch_size: int = 64,
        timeout_s: float = TIMEOUT_S,
        calls: Calls | None = None,
    ) -> None:
        self.client = LLMClient("embedder", model, calls, timeout_s)
        self._prefixes = {Side.QUERY: query_prefix, Side.PASSAGE: passage_prefix}
        self.batch_size = batch_size

    def __str__(self) -> str:
        """Name everything that decides the vectors; an endpoint tells no revision of its model."""
        prefixes = (self._prefixes[Side.QUERY], self._prefixes[Side.PASSAGE])
        return f"openai:{self.client.endpoint.model} {prefixes!r}"

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one vector of unit length for each text.

        Raises:
            InputError: if the endpoint gives no vectors: without them there is nothing to search.
        """
        said = [(row, self._prefixes[side] + text) for row, text in enumerate(texts) if text.strip()]
        batches = [said[start : start + self.batch_size] for start in range(0, len(said), self.batch_size)]
        try:
            found = asyncio.run(self._ask_all([[text for _, text in batch] for batch in batches]))
        except CallFailed as error:
            raise InputError(f"embedder '{self.client.endpoint.model}': {error}; mend it and run again") from None
        vectors = np.zeros((len(texts), len(found[0][0]) if found else 1), dtype=np.float32)
        for batch, rows in zip(batches, found, strict=True):
            for (row, _), values in zip(batch, rows, strict=True):
                vector = np.asarray(values, dtype=np.float64)
                vectors[row] = vector / (np.linalg.norm(vector) or 1.0)
        return vectors

    async def _ask_all(self, batches: Sequence[Sequence[str]]) -> list[list[list[float]]]:
        try:
            return await asyncio.gather(*(self.client.embed(batch) for batch in batches))
        finally:
            await self.client.calls.disconnect()
