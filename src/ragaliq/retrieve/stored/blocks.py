"""Blocks of an index under construction: each is kept under the hash of what decides it, and is not made again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.storage.files import new_file

# Passages of a block: what a kill loses, and what is held in memory at once.
BLOCK = 20_000
Arrays = Mapping[str, NDArray[Any]]


class IndexBlocks:
    """The blocks of one kind of work over the texts of a corpus."""

    def __init__(self, folder: Path, kind: str) -> None:
        """Take the folder of the blocks; `kind` names everything but the texts that decides them."""
        self._folder = folder
        self._kind = kind

    def each(
        self, texts: Sequence[str], make: Callable[[Sequence[str]], Arrays], took: Callable[[int], object]
    ) -> Iterator[Arrays]:
        """Yield the arrays of each block of the texts, made if they are not there.

        Args:
            texts: read block by block.
            make: makes the arrays of a block.
            took: is called with the number of texts of each block that is done.
        """
        key = hashlib.sha256(self._kind.encode("utf-8")).hexdigest()
        for start in range(0, len(texts), BLOCK):
            block = [texts[place] for place in range(start, min(start + BLOCK, len(texts)))]
            # The numbers of terms depend on the blocks before.
            key = hashlib.sha256("\0".join((key, *block)).encode("utf-8", "surrogatepass")).hexdigest()
            path = self._folder / f"{key}.npz"
            if not path.is_file():
                path.parent.mkdir(parents=True, exist_ok=True)
                with new_file(path) as out:
                    np.savez(out, **make(block))  # type: ignore[arg-type]
            with np.load(path, allow_pickle=False) as arrays:
                made = dict(arrays)
            took(len(block))
            yield made
