"""Vectors kept in Milvus through its LangChain integration: in a file (Milvus Lite), or in a cluster behind an address.

As with Chroma, Milvus keeps and the default search is ours and exact; its own index is asked for `search: approximate`.
"""

from __future__ import annotations

import hashlib
import logging
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError, InputError, RagaliqError, Stopped
from ragaliq.retrieve.index.store import StoredVectors, VectorStore
from ragaliq.storage.redaction import error_line

if TYPE_CHECKING:
    from langchain_milvus import Milvus

Vectors = NDArray[np.float32]
PREFIX = "milvus:"
# The variable of a cluster's token, `user:password` or a key; it is written nowhere.
TOKEN = "MILVUS_TOKEN"
_BATCH = 1000
_MOST_HITS = 16_384


class MilvusVectors(StoredVectors):
    """A whole collection of Milvus."""

    def __init__(self, store: Milvus, ids: Sequence[str], uri: str) -> None:
        self._store = store
        self._ids = ids
        self._uri = uri

    def batches(self) -> Iterator[Vectors]:
        """Yield the vectors as they were given, in the order of the ids, some rows at a time."""
        for start in range(0, len(self._ids), _BATCH):
            ids = list(self._ids[start : start + _BATCH])
            with _answering(self._uri, at_work=True):
                read = self._store.client.query(self._store.collection_name, ids=ids, output_fields=["vector"])
            rows = {row["doc_id"]: row["vector"] for row in read}
            yield np.asarray([rows[doc_id] for doc_id in ids], dtype=np.float32)

    def nearest(self, vector: Vectors, n: int) -> dict[str, float]:
        """Return the ids and inner products of the `n` nearest vectors, best first, as Milvus finds them."""
        most = min(n, len(self._ids), _MOST_HITS)
        with _answering(self._uri, at_work=True):
            hits = self._store.similarity_search_with_score_by_vector(vector.tolist(), k=most)
        return {document.metadata["doc_id"]: float(score) for document, score in hits}


class MilvusStore(VectorStore):
    """Collections of vectors by content key in Milvus.

    A collection gets its name only when it is complete, as in `VectorStore`.
    """

    def __init__(self, server: str) -> None:
        """Take the place, `milvus:FILE.db` or `milvus:http://HOST:PORT`; it is opened when it is needed.

        Raises:
            ConfigError: if it is neither, or the integration is not installed.
        """
        uri = server.removeprefix(PREFIX)
        if not uri.startswith(("http://", "https://")) and not uri.endswith(".db"):
            raise ConfigError(
                "retriever: option 'server' is milvus:FILE.db (Milvus Lite) or milvus:http://HOST:19530, such as "
                "milvus:vectors.db"
            )
        if find_spec("langchain_milvus") is None:
            raise ConfigError("retriever: option 'server': Milvus needs pip install langchain-milvus milvus-lite")
        super().__init__()
        self._uri = uri if "://" in uri else str(Path(uri).resolve())

    def collection(self, key: str, ids: Sequence[str], make: Callable[[], Vectors]) -> StoredVectors:
        """Return what is stored under `key`, see `VectorStore.collection`."""
        # A name begins with a letter.
        name = "r" + hashlib.sha256("\0".join((key, *ids)).encode("utf-8")).hexdigest()[:32]
        with _answering(self._uri, at_work=False):
            store = self._open(name)
            there = store.client.has_collection(name)
        if not there:
            vectors = make()
            with _answering(self._uri, at_work=True):
                self._publish(name, ids, vectors)
                store = self._open(name)
        return MilvusVectors(store, ids, self._uri)

    def _open(self, name: str) -> Milvus:
        from langchain_milvus import Milvus

        # Its account of how it connects is no news for a user.
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
        token = os.environ.get(TOKEN, "")
        if "://" not in self._uri:
            Path(self._uri).parent.mkdir(parents=True, exist_ok=True)
        no_embedding: Any = _NoEmbedding()
        return Milvus(
            embedding_function=no_embedding,
            connection_args={"uri": self._uri, **({"token": token} if token else {})},
            collection_name=name,
            # By the inner product a vector of zeros scores 0.
            index_params={"metric_type": "IP", "index_type": "AUTOINDEX", "params": {}},
            primary_field="doc_id",
            text_field="text",
            vector_field="vector",
            auto_id=False,
        )

    def _publish(self, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Write a collection under a passing name, and give it its own when it is whole."""
        draft = f"{name}_{uuid.uuid4().hex}"
        store = self._open(draft)
        try:
            for start in range(0, len(ids), _BATCH):
                some = list(ids[start : start + _BATCH])
                store.add_embeddings([""] * len(some), vectors[start : start + _BATCH].tolist(), ids=some)
            if store.client.has_collection(name):
                # Another process was quicker; its vectors are the same.
                raise FileExistsError(name)
            store.client.rename_collection(draft, name)
        except BaseException as error:
            with suppress(Exception):
                store.client.drop_collection(draft)
            if not isinstance(error, FileExistsError):
                raise
        for other in store.client.list_collections():
            # What a killed process has left.
            if other.startswith(f"{name}_"):
                store.client.drop_collection(other)


class _NoEmbedding:
    """Stands for the embedding function that the integration asks for: the vectors come from elsewhere."""

    def embed_documents(self, texts: list[str]) -> Any:
        """Refuse."""
        raise NotImplementedError

    def embed_query(self, text: str) -> Any:
        """Refuse."""
        raise NotImplementedError


def open_store(folder: Path | None, server: str) -> VectorStore:
    """Return where vectors are kept: in Milvus or a Chroma server if `server` names one, else in a folder, or memory.

    Raises:
        ConfigError: if `server` is no address.
    """
    return MilvusStore(server) if server.startswith(PREFIX) else VectorStore(folder, server)


@contextmanager
def _answering(uri: str, at_work: bool) -> Iterator[None]:
    """Tell in one line that Milvus fails; `at_work` says that it has answered before.

    Raises:
        InputError: if it cannot be opened.
        Stopped: if it goes away while it is used.
    """
    try:
        yield
    except (RagaliqError, KeyboardInterrupt):
        raise
    except Exception as error:  # Milvus, its client and gRPC each raise kinds of their own.
        if at_work:
            raise Stopped(
                f"{uri}: Milvus went away ({error_line(error)[:200]}); when it is back, the same command goes on"
            ) from None
        raise InputError(f"{uri}: no Milvus here ({error_line(error)[:200]}); start it, or name a file") from None
