"""The system under test: embedder → retriever → reranker → reader."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from ragaliq.components import make
from ragaliq.config import RunConfig
from ragaliq.errors import InputError
from ragaliq.read import Reader
from ragaliq.read.context import fill_context
from ragaliq.rerank import Reranker
from ragaliq.retrieve import Embedder, Retriever
from ragaliq.text.abstention import abstains
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Query, Reading


class Chatbot:
    """Answers questions from a corpus; every part can be replaced.

    A part is any object with the stage's one method: an embedder's `embed`, a retriever's `retrieve` (with `index`), a
    reranker's `rerank`, a reader's `read`. Parts that are not given are those of the configuration, by default the ones
    that need no model. To change the flow itself, override a method of this class.
    """

    def __init__(
        self,
        config: RunConfig | None = None,
        *,
        embedder: Embedder | None = None,
        retriever: Retriever | None = None,
        reranker: Reranker | None = None,
        reader: Reader | None = None,
        index_dir: Path | None = None,
    ) -> None:
        self.config = config or RunConfig()
        offered = {"seed": self.config.seed, "sampling": self.config.sampling, "index_dir": index_dir}
        if retriever is not None and embedder is not None:
            raise InputError("Chatbot: a retriever brings its own embedder; give one of the two")
        if retriever is None:
            embedder = embedder or make("embedder", self.config.embedder, **offered)
            retriever = make("retriever", self.config.retriever, embedder=embedder, **offered)
        self.retriever: Retriever = retriever
        self.reranker: Reranker = reranker or make("reranker", self.config.reranker, **offered)
        self.reader: Reader = reader or make("reader", self.config.reader, **offered)
        self._langs: set[str] = set()

    def index(self, corpus: Iterable[Chunk]) -> Chatbot:
        """Take a corpus, and return the chatbot; the languages of the chunks are kept apart."""
        chunks = list(corpus)
        if not chunks:
            raise InputError("index: the corpus holds no chunk; give at least one")
        self.retriever.index(chunks)
        self._langs |= {chunk.lang for chunk in chunks}
        return self

    def retrieve(self, query: Query | str, top_k: int | None = None) -> list[Hit]:
        """Return the chunks for a query, retrieved and reranked, best first."""
        asked = self._query(query)
        wanted = self.config.top_k if top_k is None else top_k
        return self.reranker.rerank(asked, self.retriever.retrieve(asked, max(wanted, self.config.top_k)))[:wanted]

    def context(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return what the reader is shown of the ranked chunks."""
        return fill_context(hits, self.config.context_k, self.config.context_chars)

    async def read(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """Answer a query from ranked chunks."""
        context = self.context(hits)
        made = self.reader.read(query, context)
        reading = _reading(await made if inspect.isawaitable(made) else made, query.lang)
        return Answer(query, reading.text, reading.outcome, context, reading.usage, reading.error)

    def answer(self, query: Query | str) -> Answer:
        """Answer a query: retrieve, rerank, read."""
        asked = self._query(query)
        reading = self.read(asked, self.retrieve(asked))
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(reading)
        # In a notebook a loop is running already; it cannot be waited for from inside.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, reading).result()

    def _query(self, query: Query | str) -> Query:
        """Return a query record; a plain text is taken to be in the likeliest of the indexed languages."""
        if isinstance(query, Query):
            return query
        if not self._langs:
            raise InputError("retrieve: nothing is indexed; call index(corpus) first")
        if len(self._langs) == 1:
            return Query("query", next(iter(self._langs)), query)
        from ragaliq.text.language import likeliest

        return Query("query", likeliest(query, self._langs), query)


def _reading(result: Reading | str, lang: str) -> Reading:
    """Return a reader's result as a record; a reader may also return plain text."""
    if isinstance(result, str):
        outcome = AnswerOutcome.ABSTAINED if abstains(result, lang) else AnswerOutcome.ANSWERED
        result = Reading(result, outcome)
    if not isinstance(result, Reading) or not isinstance(result.text, str):
        raise TypeError(f"a reader returns a text or a Reading, not {result!r}")
    result = replace(result, outcome=AnswerOutcome(result.outcome))
    if result.outcome is AnswerOutcome.ANSWERED and not result.text.strip():
        return replace(result, outcome=AnswerOutcome.EMPTY)
    return result
