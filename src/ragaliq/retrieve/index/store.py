"""Vectors kept in Chroma, embedded or behind its server, and read back exactly as they were given.

Chroma keeps; the default search is ours and exact. Its own index can be asked instead: that is approximate, and differs
between two builds of the same data.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.retrieve.index.chroma import answering, check_address, folder_client, memory_client, server_client, whole

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

Vectors = NDArray[np.float32]
_BATCH = 1000
# Chroma's server takes 40 MiB in one request; vectors grow by a third on the way.
_BATCH_BYTES = 16 * 2**20
# By the inner product a vector of zeros scores 0; by the distance or the cosine it has no such place.
_SPACE: Final = "ip"


class StoredVectors:
    """A whole collection: one vector of unit length, or of zeros, for each id."""

    def __init__(self, collection: Collection, ids: Sequence[str], server: str = "") -> None:
        self._collection = collection
        self._ids = ids
        self._server = server

    def batches(self) -> Iterator[Vectors]:
        """Yield the vectors as they were given, in the order of the ids, some rows at a time."""
        for start in range(0, len(self._ids), _BATCH):
            ids = list(self._ids[start : start + _BATCH])
            with answering(self._server):
                batch = self._collection.get(ids, include=["embeddings"])
            embeddings = batch["embeddings"]
            rows = dict(zip(batch["ids"], embeddings if embeddings is not None else (), strict=True))
            yield np.asarray([rows[doc_id] for doc_id in ids], dtype=np.float32)

    def nearest(self, vector: Vectors, n: int) -> dict[str, float]:
        """Return the ids and inner products of the `n` nearest vectors, best first, as Chroma's index finds them."""
        with answering(self._server):
            nearest = self._collection.query(
                query_embeddings=[vector.tolist()], n_results=min(n, len(self._ids)), include=["distances"]
            )
        distances = nearest["distances"]
        assert distances is not None
        return {doc_id: 1 - distance for doc_id, distance in zip(nearest["ids"][0], distances[0], strict=True)}


class VectorStore:
    """Collections of vectors by content key: behind a server, else in a folder, else in memory.

    A collection becomes visible under its name only when it is complete, so a process that is killed while it writes
    leaves none behind. Of two processes that write the same one, the first to end decides.
    """

    def __init__(self, folder: Path | None = None, server: str = "") -> None:
        """Take the place; it is opened when it is needed.

        Raises:
            ConfigError: if `server` is no address.
        """
        # Chroma knows folders by their names: after a change of the working directory a relative one is another's.
        self._folder = None if folder is None else folder.resolve()
        self._server = check_address(server) if server else ""
        self._client: ClientAPI | None = None

    def vectors(self, key: str, ids: Sequence[str], make: Callable[[], Vectors]) -> Vectors:
        """Return the vectors stored under `key`, one row for each id in the order of `ids`; see `collection`."""
        return np.concatenate(list(self.collection(key, ids, make).batches()))

    def collection(self, key: str, ids: Sequence[str], make: Callable[[], Vectors]) -> StoredVectors:
        """Return what is stored under `key`.

        Args:
            key: names everything that decides the vectors.
            ids: different ids, one for each vector.
            make: computes the vectors, one row for each id, if they are not stored yet.

        Raises:
            InputError: if the folder cannot be written, its index is damaged, or the server does not answer.
        """
        name = hashlib.sha256("\0".join((_SPACE, key, *ids)).encode("utf-8")).hexdigest()[:32]
        if self._folder is None or self._server:
            client = self._shared_client()
            with answering(self._server):
                stored = _find(client, name)
            if stored is None:
                vectors = make()
                with answering(self._server):
                    stored = _publish(client, name, ids, vectors)
            return StoredVectors(stored, ids, self._server)
        home = self._folder / name
        if not home.is_dir():
            self._keep(home, name, ids, make())
        with whole(home):
            kept = folder_client(home).get_collection(name, embedding_function=None)
        return StoredVectors(kept, ids)

    def _shared_client(self) -> ClientAPI:
        if self._client is None:
            self._client = server_client(self._server) if self._server else memory_client()
        return self._client

    def _keep(self, home: Path, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Write a collection beside its place, and move it there when it is whole."""
        assert self._folder is not None
        draft = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # A new name each time: Chroma keeps a client for each path that it has seen in this process.
            draft = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".draft", dir=self._folder))
            _write(folder_client(draft), name, ids, vectors)
            draft.rename(home)
        except OSError as error:
            # Another process may have been quicker; its vectors are the same.
            if not home.is_dir():
                raise InputError(f"{self._folder}: the index cannot be written ({error.strerror})") from None
        finally:
            if draft is not None:
                shutil.rmtree(draft, ignore_errors=True)


def _find(client: ClientAPI, name: str) -> Collection | None:
    from chromadb.errors import NotFoundError

    try:
        # Without `embedding_function=None` Chroma would try to download a model.
        return client.get_collection(name, embedding_function=None)
    except NotFoundError:
        return None


def _publish(client: ClientAPI, name: str, ids: Sequence[str], vectors: Vectors) -> Collection:
    """Write a collection under a passing name, and give it its own when it is whole."""
    from chromadb.errors import ChromaError

    draft = f"{name}-{uuid.uuid4().hex}"
    try:
        _write(client, draft, ids, vectors).modify(name=name)
    except BaseException as error:
        _delete(client, draft)
        # Another process may have been quicker: then the name is taken, or the draft was cleared away.
        whole = _find(client, name) if isinstance(error, ChromaError) else None
        if whole is None:
            raise
        return whole
    for other in client.list_collections():
        # What a killed process has left, or a slower one is at; neither is needed any more.
        if other.name.startswith(f"{name}-"):
            _delete(client, other.name)
    return client.get_collection(name, embedding_function=None)


def _write(client: ClientAPI, name: str, ids: Sequence[str], vectors: Vectors) -> Collection:
    collection = client.create_collection(name, embedding_function=None, configuration={"hnsw": {"space": _SPACE}})
    fitting = _BATCH_BYTES // max(vectors[:1].nbytes, 1)
    size = max(1, min(_BATCH, client.get_max_batch_size(), fitting))
    for start in range(0, len(ids), size):
        collection.add(list(ids[start : start + size]), embeddings=vectors[start : start + size])
    return collection


def _delete(client: ClientAPI, name: str) -> None:
    from chromadb.errors import NotFoundError

    with suppress(NotFoundError):
        client.delete_collection(name)
