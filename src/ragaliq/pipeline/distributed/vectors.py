"""The vectors of a corpus, embedded once on all workers and shipped to those that search."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.execution.stopping import together
from ragaliq.pipeline.distributed.calls import Calls
from ragaliq.retrieve import Embedder, Side
from ragaliq.retrieve.index.store import VectorStore

Vectors = NDArray[np.float32]
# Texts that a worker embeds in one task, or the embedder's batch, if that is greater: a lost worker loses no more.
_BLOCK = 64


class DistributedEmbedder:
    """An embedder whose texts are embedded by the workers, block by block.

    Each block that came back is kept in a folder, under the hash of the embedder's name and its texts, until the whole
    corpus is stored: a command that was killed goes on behind them.
    """

    def __init__(self, embedder: Embedder, calls: Calls, loop: asyncio.AbstractEventLoop, folder: Path | None) -> None:
        self._embedder = embedder
        self._calls = calls
        self._loop = loop
        self._folder = folder
        batch = int(getattr(embedder, "batch_size", 1))
        # Whole batches, so that the calls are those of a local run.
        self._size = batch * max(1, _BLOCK // batch)

    def __getattr__(self, name: str) -> Any:
        """Return what the embedder says of itself, such as its weight."""
        return getattr(self._embedder, name)

    def __str__(self) -> str:
        return str(self._embedder)

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        """Return one vector for each text; called in another thread than the event loop's."""
        blocks = [texts[start : start + self._size] for start in range(0, len(texts), self._size)]
        if not blocks:
            return self._embedder.embed(texts, side)

        async def all_blocks() -> list[Vectors]:
            return await together(*(self._block(block, side) for block in blocks))

        return np.concatenate(asyncio.run_coroutine_threadsafe(all_blocks(), self._loop).result())

    async def _block(self, texts: Sequence[str], side: Side) -> Vectors:
        place = self._place(texts) if side is Side.PASSAGE else None
        if place is not None and place.is_file():
            kept: Vectors = np.load(place, allow_pickle=False)
            return kept
        rows: Vectors = await self._calls.call("embedding", (list(texts), side))
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            draft = place.with_name(f".{place.name}.{os.getpid()}.draft.npy")
            np.save(draft, rows, allow_pickle=False)
            draft.rename(place)
        return rows

    def _place(self, texts: Sequence[str]) -> Path | None:
        """Return the file of a block; None for an embedder without a name, whose vectors nothing identifies."""
        if self._folder is None or not is_named(self._embedder):
            return None
        digest = hashlib.sha256("\0".join((str(self._embedder), *texts)).encode("utf-8"))
        return self._folder / f"{digest.hexdigest()}.npy"

    def forget(self) -> None:
        """Remove the blocks: the corpora that they are of are stored whole."""
        for file in self._folder.glob("*.npy") if self._folder is not None else ():
            file.unlink(missing_ok=True)


class KnownQueries:
    """An embedder in a worker that has the vectors of queries which the command had embedded together."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows: dict[str, Vectors] = {}

    def __getattr__(self, name: str) -> Any:
        """Return what the embedder says of itself, such as its weight."""
        return getattr(self._embedder, name)

    def __str__(self) -> str:
        return str(self._embedder)

    def take(self, text: str, row: Vectors) -> None:
        """Take the vector of a query."""
        self._rows[text] = row

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        """Return one vector for each text."""
        if side is Side.QUERY and all(text in self._rows for text in texts) and texts:
            return np.stack([self._rows[text] for text in texts])
        return self._embedder.embed(texts, side)


def is_named(embedder: Embedder) -> bool:
    """Return whether an embedder has a text form that names its settings."""
    return type(embedder).__str__ is not object.__str__


class KeptVectors(VectorStore):
    """A store that remembers what it was asked for."""

    def __init__(self, folder: Path | None) -> None:
        super().__init__(folder)
        self.kept: dict[str, Vectors] = {}

    def vectors(self, key: str, ids: Sequence[str], make: Callable[[], Vectors]) -> Vectors:
        """Return what is stored under `key`, see `VectorStore.vectors`."""
        self.kept[key] = super().vectors(key, ids, make)
        return self.kept[key]


class ShippedVectors(VectorStore):
    """A store in a worker that has what the command has shipped; it keeps nothing else."""

    def __init__(self, shipped: Mapping[str, Vectors]) -> None:
        super().__init__()
        self._shipped = shipped

    def vectors(self, key: str, ids: Sequence[str], make: Callable[[], Vectors]) -> Vectors:
        """Return the vectors under `key`, made here if they were not shipped."""
        return self._shipped[key] if key in self._shipped else make()
