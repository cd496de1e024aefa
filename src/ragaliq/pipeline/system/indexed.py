"""What a chatbot has indexed: the languages there are, and how queries and hits go to and from a mixed index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragaliq.benchmark.kb_language import mixed_language
from ragaliq.config import ALL, SAME
from ragaliq.retrieve.stored.index import StoredCorpus
from ragaliq.types import Chunk, Hit, Query


class IndexedCorpus:
    """The languages of the chunks indexed; where all languages are one index, also the chunks by id."""

    def __init__(self) -> None:
        self.langs: set[str] = set()
        self._mixed = ""
        self._units: dict[str, Chunk] = {}

    def take(self, chunks: Sequence[Chunk], kb_lang: str) -> Sequence[Chunk]:
        """Take note of chunks, and return them as the retriever is to index them."""
        self.langs |= {chunks.lang} if isinstance(chunks, StoredCorpus) else {chunk.lang for chunk in chunks}
        if kb_lang != ALL:
            return chunks
        self._mixed = mixed_language(chunks)
        self._units = {chunk.doc_id: chunk for chunk in chunks}
        return [replace(chunk, lang=self._mixed) for chunk in chunks]

    def query(self, query: Query, kb_lang: str) -> Query:
        """Return a query in the language whose chunks the retriever is to rank."""
        if kb_lang == SAME:
            return query
        return query.to_documents_in(self._mixed if kb_lang == ALL else kb_lang)

    def hits(self, hits: list[Hit], kb_lang: str) -> list[Hit]:
        """Return hits with the chunks as they came, each in its own language."""
        if kb_lang != ALL:
            return hits
        return [replace(hit, chunk=self._units.get(hit.chunk.doc_id, hit.chunk)) for hit in hits]
