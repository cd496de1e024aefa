"""Strings on disk in ascending order: their places, and back, without holding them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.storage.files import new_file


class StoredStrings(Sequence[str]):
    """Different strings in ascending order, read from a mapped file as they are asked for.

    The order is that of Python's strings, which is that of their code points and of their bytes in UTF-8.
    """

    def __init__(self, folder: Path, name: str) -> None:
        """Open `NAME.utf8` and `NAME.ends.npy` of a folder."""
        self._ends = np.load(folder / f"{name}.ends.npy", mmap_mode="r", allow_pickle=False)
        text = folder / f"{name}.utf8"
        self._bytes = np.memmap(text, dtype=np.uint8, mode="r") if text.stat().st_size else np.zeros(0, np.uint8)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._ends)

    def __getitem__(self, place: int) -> str:  # type: ignore[override]
        """Return the string at a place."""
        return self._raw(place).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        """Yield the strings in their order."""
        return (self[place] for place in range(len(self)))

    def place(self, text: str) -> int | None:
        """Return the place of a string; None if it is not there."""
        wanted = text.encode("utf-8", "surrogatepass")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._raw(low) == wanted else None

    def _raw(self, place: int) -> bytes:
        if not 0 <= place < len(self._ends):
            raise IndexError(place)
        start = int(self._ends[place - 1]) if place else 0
        return bytes(self._bytes[start : int(self._ends[place])])


def write_strings(folder: Path, name: str, ascending: Sequence[str]) -> None:
    """Write different strings, which come in ascending order, for `StoredStrings`."""
    ends = np.zeros(len(ascending), dtype=np.int64)
    end = 0
    with new_file(folder / f"{name}.utf8") as out:
        for place, text in enumerate(ascending):
            data = text.encode("utf-8", "surrogatepass")
            out.write(data)
            end += len(data)
            ends[place] = end
    write_array(folder / f"{name}.ends.npy", ends)


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array as a `.npy` file, atomically."""
    with new_file(path) as out:
        np.lib.format.write_array(out, np.ascontiguousarray(array), allow_pickle=False)
