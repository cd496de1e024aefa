"""A corpus never lies in memory: reading one takes as much as a block and a row."""

from __future__ import annotations

import tracemalloc
import zipfile
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragaliq.formats.beir import read_beir, write_beir
from ragaliq.formats.miracl import read_miracl, write_miracl
from ragaliq.formats.mmarco import read_mmarco, write_mmarco
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.reading.truncation import truncate
from ragaliq.types import Chunk, Query
from unit.formats.sets import items_for

N_DOCS, TEXT = 1500, "слово и ещё слово " * 300
# The texts together take 16 MB.
LIMIT = 5 * 2**20


def chunks() -> Iterator[Chunk]:
    return (document(str(number), "ru", f"{number} {TEXT}") for number in range(N_DOCS))


LARGE = Collection("large", "ru", "dev", chunks, items_for([Query("q", "ru", "где?")]), {"q": {"7": 1}})


def zipped(folder: Path) -> Collection:
    write_beir(LARGE, folder / "large")
    with zipfile.ZipFile(folder / "large.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        for path in (folder / "large").rglob("*.*"):
            # Numbers alone differ, so that this corpus shrinks more than a bomb's limit allows.
            kind = zipfile.ZIP_STORED if path.name == "corpus.jsonl" else zipfile.ZIP_DEFLATED
            out.write(path, path.relative_to(folder).as_posix(), kind)
    return read_beir(folder / "large.zip", "dev", "ru")


def sharded(folder: Path) -> Collection:
    write_miracl(LARGE, folder)
    return read_miracl(folder, "ru")


def tabled(folder: Path) -> Collection:
    write_mmarco(LARGE, folder)
    return truncate(read_mmarco(folder, "ru"), N_DOCS - 1)


@pytest.mark.slow
def test_e6_reading_and_writing_take_a_block_and_a_row(tmp_path: Path) -> None:
    for number, through in enumerate([zipped, sharded, tabled]):
        folder = tmp_path / str(number)
        folder.mkdir()
        tracemalloc.start()
        try:
            collection = through(folder)
            (last,) = deque(collection.chunks(), maxlen=1)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert last.text.startswith(f"{N_DOCS - 1 - collection.truncated} "), through
        assert peak < LIMIT, through
