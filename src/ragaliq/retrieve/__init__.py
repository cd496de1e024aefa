"""Retrieval: from a query to ranked chunks.

Here are the records and the one-method protocols of the room. Most retrievers rank by `Channel`s (`bm25`, vectors of an
`embed/` embedder, `sparse/` vectors), alone or fused (`hybrid`, `fusion`), over the exact searches of `index/`. A new
retriever or embedder is one file and one row of `components.KINDS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from ragaliq.types import Chunk, Hit, Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Channel",
    "Embedder",
    "Retriever",
    "Side",
    "TopDocs",
    "bm25",
    "embed",
    "fusion",
    "gold",
    "hybrid",
    "index",
    "langchain",
    "none",
    "passages",
    "ranking",
    "sparse",
    "stored",
]


class Side(StrEnum):
    """Which side of the comparison a text stands on; many models embed the two differently."""

    QUERY = "query"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True)
class TopDocs:
    """The best documents of a query, best first.

    Attributes:
        docs: numbers of the documents.
        scores: their scores, all above 0.
    """

    docs: NDArray[np.int32]
    scores: NDArray[np.float32]


class Embedder(Protocol):
    """Anything that turns texts into vectors.

    An embedder that learns from the corpus (term frequencies, say) also has `fit(passages)`, which returns the
    embedder to use for that corpus.
    """

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one row of unit length for each text, shape `(len(texts), dimension)`; no evidence is a zero row."""
        ...


class Retriever(Protocol):
    """Anything that ranks the chunks of a corpus. Chunks and queries of several languages are kept apart.

    A retriever may also have `retrieve_batch(queries, top_k)`, which returns what `retrieve` returns for each query,
    faster, and `prepare(queries)`, which is told what will be asked.
    """

    def index(self, chunks: Sequence[Chunk]) -> None:
        """Take a corpus; chunks of a language replace that language's earlier ones."""
        ...

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        """Return at most `top_k` chunks of the query's language: score descending, then doc id descending."""
        ...


class Channel(Protocol):
    """Anything that finds the passages of one corpus, numbered in ascending order of their doc ids.

    A channel that can make ready for queries also has `prepare(queries)`.
    """

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` best passages: score descending, then the greater number; 0 is no evidence."""
        ...
