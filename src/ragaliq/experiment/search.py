"""A retriever over the corpus of one language, asked in batches for documents of that corpus."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ragaliq.errors import InputError, RagaliqError
from ragaliq.experiment.chunked import Units, collapse_hits, enough, token_windows
from ragaliq.experiment.corpus import Corpus
from ragaliq.experiment.settings.system import Parts, System
from ragaliq.formats.reading.stored_documents import StoredDocuments
from ragaliq.rerank import RerankFailed
from ragaliq.retrieve import Retriever
from ragaliq.storage.redaction import error_line
from ragaliq.types import Hit, Query


@dataclass(slots=True)
class Search:
    """An indexed corpus.

    Attributes:
        retriever: holds the index.
        name: of the retriever, for errors.
        units: what is indexed in place of the documents.
        n_unsorted: rankings so far whose scores did not descend.
    """

    retriever: Retriever
    name: str
    units: Units | None = None
    n_unsorted: int = 0

    def batch(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        """Return at most `top_k` documents for each query: score descending, then doc id descending.

        Raises:
            InputError: if the retriever raises, returns a document twice, or a score that is no finite number.
        """
        if self.units is None:
            return self._rankings(queries, top_k)
        units: dict[int, list[Hit]] = {}
        depth, pending = top_k, list(range(len(queries)))
        # A document may take many places of the list of units: ask for more until nothing can change.
        while pending:
            depth *= 2
            lists = self._rankings([queries[place] for place in pending], depth)
            units.update(zip(pending, lists, strict=True))
            full = (place for place in pending if len(units[place]) >= depth)
            pending = [place for place in full if not enough(units[place], self.units.documents, top_k)]
        return [collapse_hits(units[place], self.units.documents, top_k) for place in range(len(queries))]

    def _rankings(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        with blamed(self.name):
            lists = _retrieved(self.retriever, queries, top_k)
            if len(lists) != len(queries):
                raise InputError(f"{self.name}: returned {len(lists)} rankings for {len(queries)} queries; fix it")
            return [self._sorted(query, hits)[:top_k] for query, hits in zip(queries, lists, strict=True)]

    def _sorted(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        if not all(math.isfinite(hit.score) for hit in hits):
            raise InputError(f"{self.name}: query '{query.query_id}' has a score that is not a finite number; fix it")
        if len({hit.chunk.doc_id for hit in hits}) < len(hits):
            raise InputError(f"{self.name}: returned a document twice for query '{query.query_id}'; fix it")
        if any(before.score < hit.score for before, hit in pairwise(hits)):
            self.n_unsorted += 1
        return sorted(hits, key=lambda hit: (hit.score, hit.chunk.doc_id), reverse=True)


def index(corpus: Corpus, system: System, parts: Parts) -> Search:
    """Index a corpus as a system says: with or without titles, in documents or in windows.

    Raises:
        InputError: if the retriever cannot take it.
    """
    name = f"retriever '{system.retriever}'"
    retriever = parts.retriever(system)
    # An index on disk says by itself whether it has the titles.
    whole = system.title or isinstance(corpus.chunks, StoredDocuments)
    chunks = corpus.chunks if whole else corpus.without_titles()
    units = token_windows(chunks, system.chunk_tokens) if system.chunk_tokens else None
    with blamed(name):
        retriever.index(units.chunks if units else chunks)
    return Search(retriever, name, units)


def _retrieved(retriever: Retriever, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
    batch: Any = getattr(retriever, "retrieve_batch", None)
    if callable(batch):
        return list(batch(queries, top_k))
    prepare: Any = getattr(retriever, "prepare", None)
    if callable(prepare):
        prepare(queries)
    return [retriever.retrieve(query, top_k) for query in queries]


@contextmanager
def blamed(name: str) -> Iterator[None]:
    """Turn an error of a part that is not ours into an `InputError` of one line that names the part."""
    try:
        yield
    except (RagaliqError, RerankFailed):
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"{name}: {error_line(error)}; fix it and run again") from error
