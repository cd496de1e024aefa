"""Vectors kept in embedded Chroma, and read back exactly as they were given.

Chroma keeps; the search is ours and exact. (Its approximate index finds only part of the true top 100, and not the
same part in two builds of the same data.)
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

Vectors = NDArray[np.float32]
_BATCH = 1000


class VectorStore:
    """Collections of vectors by content key, in a folder or, without one, in memory."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def vectors(self, key: str, ids: Sequence[str], make: Callable[[], Vectors]) -> Vectors:
        """Return the vectors stored under `key`, one row for each id in the order of `ids`.

        Args:
            key: names everything that decides the vectors.
            ids: different ids, one for each vector.
            make: computes the vectors if they are not stored yet.

        A collection becomes visible under its name only when it is complete, so a process that is killed while it
        writes leaves none behind.
        """
        name = hashlib.sha256("\0".join((key, *ids)).encode("utf-8")).hexdigest()[:32]
        if self._folder is None:
            client = _client(None)
            if name not in [collection.name for collection in client.list_collections()]:
                _write(client, name, ids, make())
            return _read(client, name, ids)
        home = self._folder / name
        if not home.is_dir():
            self._keep(home, name, ids, make())
        return _read(_client(home), name, ids)

    def _keep(self, home: Path, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Write a collection beside its place, and move it there when it is whole."""
        assert self._folder is not None
        draft = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # A new name each time: Chroma keeps a client for each path that it has seen in this process.
            draft = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".draft", dir=self._folder))
            _write(_client(draft), name, ids, vectors)
            draft.rename(home)
        except OSError as error:
            # Another process may have been quicker; its vectors are the same.
            if not home.is_dir():
                raise InputError(f"{self._folder}: the index cannot be written ({error.strerror})") from None
        finally:
            if draft is not None:
                shutil.rmtree(draft, ignore_errors=True)


def _client(folder: Path | None) -> ClientAPI:
    import chromadb
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    if folder is None:
        return chromadb.EphemeralClient(settings)
    return chromadb.PersistentClient(str(folder), settings)


def _write(client: ClientAPI, name: str, ids: Sequence[str], vectors: Vectors) -> None:
    # Without `embedding_function=None` Chroma would try to download a model.
    collection = client.create_collection(name, embedding_function=None)
    for start in range(0, len(ids), _BATCH):
        collection.add(list(ids[start : start + _BATCH]), embeddings=vectors[start : start + _BATCH])


def _read(client: ClientAPI, name: str, ids: Sequence[str]) -> Vectors:
    collection = client.get_collection(name, embedding_function=None)
    rows: dict[str, object] = {}
    for start in range(0, len(ids), _BATCH):
        batch = collection.get(list(ids[start : start + _BATCH]), include=["embeddings"])
        embeddings = batch["embeddings"]
        if embeddings is not None:
            rows.update(zip(batch["ids"], embeddings, strict=True))
    return np.asarray([rows[doc_id] for doc_id in ids], dtype=np.float32)
