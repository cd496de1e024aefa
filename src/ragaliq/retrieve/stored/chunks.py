"""Chunks on disk: written one after the other as they come, read by their place in the order of the doc ids."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import numpy as np

from ragaliq.errors import InputError
from ragaliq.retrieve.stored.strings import StoredStrings, write_array, write_strings
from ragaliq.storage.files import dump_row, new_file
from ragaliq.types import Chunk


class StoredChunks(Sequence[Chunk]):
    """The chunks of one language in ascending order of their doc ids, each read when it is asked for."""

    def __init__(self, folder: Path) -> None:
        """Open the files that `write_chunks` wrote."""
        self.folder = folder.resolve()
        self.doc_ids = StoredStrings(folder, "doc_ids")
        self._starts = np.load(folder / "starts.npy", mmap_mode="r", allow_pickle=False)
        self._sizes = np.load(folder / "sizes.npy", mmap_mode="r", allow_pickle=False)
        self._bytes = np.memmap(folder / "chunks.jsonl", dtype=np.uint8, mode="r")

    def __reduce__(self) -> tuple[type[StoredChunks], tuple[Path]]:
        """Go to another process as the place of the files, which are mapped there."""
        return StoredChunks, (self.folder,)

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._starts)

    def __getitem__(self, place: int) -> Chunk:  # type: ignore[override]
        """Return the chunk at a place."""
        start, size = int(self._starts[place]), int(self._sizes[place])
        return Chunk(**json.loads(bytes(self._bytes[start : start + size])))

    def __iter__(self) -> Iterator[Chunk]:
        """Yield the chunks in their order."""
        return (self[place] for place in range(len(self)))


class ChunksById(Mapping[str, Chunk]):
    """Stored chunks by their doc ids."""

    def __init__(self, chunks: StoredChunks) -> None:
        self._chunks = chunks

    def __getitem__(self, doc_id: str) -> Chunk:
        """Return a chunk."""
        place = self._chunks.doc_ids.place(doc_id)
        if place is None:
            raise KeyError(doc_id)
        return self._chunks[place]

    def __contains__(self, doc_id: object) -> bool:
        """Return whether there is such a chunk."""
        return isinstance(doc_id, str) and self._chunks.doc_ids.place(doc_id) is not None

    def __iter__(self) -> Iterator[str]:
        """Yield the doc ids, ascending."""
        return iter(self._chunks.doc_ids)

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._chunks)


def write_chunks(folder: Path, chunks: Iterable[Chunk], where: str) -> int:
    """Write chunks as they come, and where each stands in the order of the doc ids; return how many there are.

    Blank ones, without text and title, are left out. Only the doc ids are held in memory.

    Raises:
        InputError: if a doc id occurs twice, or no chunk holds text; `where` names the data.
    """
    ids: list[str] = []
    starts, sizes = array("q"), array("i")
    start = 0
    with new_file(folder / "chunks.jsonl") as out:
        for chunk in chunks:
            if not (chunk.text.strip() or chunk.title.strip()):
                continue
            line = dump_row(asdict(chunk))
            out.write(line + b"\n")
            ids.append(chunk.doc_id)
            starts.append(start)
            sizes.append(len(line))
            start += len(line) + 1
    if not ids:
        raise InputError(f"{where}: no document holds text; give a corpus")
    order = sorted(range(len(ids)), key=ids.__getitem__)
    for before, after in pairwise(order):
        if ids[before] == ids[after]:
            raise InputError(f"{where}: doc id '{ids[after]}' occurs twice; ids must be unique")
    write_strings(folder, "doc_ids", [ids[place] for place in order])
    write_array(folder / "starts.npy", np.frombuffer(starts, dtype=np.int64)[order])
    write_array(folder / "sizes.npy", np.frombuffer(sizes, dtype=np.int32)[order])
    return len(ids)
