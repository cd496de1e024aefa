"""Vectors of a corpus larger than memory: embedded block by block into a mapped file, with their codes beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError
from ragaliq.retrieve import Embedder, Side
from ragaliq.retrieve.embed.rows import check_rows
from ragaliq.retrieve.index.coded import code_rows
from ragaliq.retrieve.index.exact import ExactIndex
from ragaliq.retrieve.stored.blocks import Arrays, IndexBlocks

_FILES: dict[str, Any] = {"vectors": np.float32, "codes": np.int8, "steps": np.float32, "off": np.float64}


def check_ahead(embedder: Embedder) -> None:
    """Refuse an embedder whose vectors depend on the whole corpus, or that has no name.

    Raises:
        ConfigError: that says what to take instead.
    """
    if callable(getattr(embedder, "fit", None)):
        raise ConfigError(
            f"embedder '{embedder}': learns from the whole corpus at once, which an index on disk never holds; take "
            "another embedder, or the retriever bm25"
        )
    if type(embedder).__str__ is object.__str__:
        raise ConfigError(f"embedder {type(embedder).__name__}: needs a method __str__ that names all its settings")


def write_vectors(
    folder: Path, texts: Sequence[str], embedder: Embedder, drafts: Path, took: Callable[[int], object]
) -> dict[str, Any]:
    """Write the vectors of a corpus into a folder; return their number of dimensions and their greatest length.

    Args: see `write_postings`.
    """

    def embedded(block: Sequence[str]) -> Arrays:
        rows = np.ascontiguousarray(check_rows(embedder.embed(block, Side.PASSAGE), len(block)), dtype=np.float32)
        return {"vectors": rows, **code_rows(rows)}

    folder.mkdir(parents=True, exist_ok=True)
    first, longest, dims = 0, 0.0, 0
    out: dict[str, Any] = {}
    for block in IndexBlocks(drafts, f"vectors 1 {embedder}").each(texts, embedded, took):
        rows = block["vectors"]
        if not out:
            dims = rows.shape[1]
            out = {
                name: np.memmap(
                    folder / f".{name}.draft", dtype=kind, mode="w+", shape=(len(texts), *block[name].shape[1:])
                )
                for name, kind in _FILES.items()
            }
        for name, array in out.items():
            array[first : first + len(rows)] = block[name]
        first += len(rows)
        longest = max(longest, float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max(initial=0.0))))
    for name, array in out.items():
        array.flush()
        (folder / f".{name}.draft").replace(folder / f"{name}.bin")
    return {"dims": dims, "longest": longest}


def open_vectors(folder: Path, n: int, dims: int, longest: float) -> ExactIndex:
    """Return the search over the vectors of a folder."""
    shapes = {"vectors": (n, dims), "codes": (n, dims), "steps": (n,), "off": (n,)}
    arrays: dict[str, NDArray[Any]] = {
        name: np.memmap(folder / f"{name}.bin", dtype=kind, mode="r", shape=shapes[name])
        for name, kind in _FILES.items()
    }
    return ExactIndex(arrays.pop("vectors"), coded=arrays, longest=longest)
