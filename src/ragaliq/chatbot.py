"""The system under test: embedder → retriever → reranker → reader."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ragaliq.components import adapt, make
from ragaliq.config import RunConfig
from ragaliq.engine import Lane
from ragaliq.errors import InputError, RagaliqError
from ragaliq.llm import Calls
from ragaliq.read import Reader
from ragaliq.read.context import fill_context
from ragaliq.rerank import Reranker
from ragaliq.retrieve import Embedder, Retriever
from ragaliq.scrub import error_line
from ragaliq.text.abstention import abstains
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Query, Reading

Result = TypeVar("Result")


class Chatbot:
    """Answers questions from a corpus; every part can be replaced.

    A part is any object with the stage's one method: an embedder's `embed`, a retriever's `retrieve` (with `index`), a
    reranker's `rerank`, a reader's `read`; or a LangChain object; for the reader also a plain function. Parts that are
    not given are those of the configuration, by default the ones that need no model. To change the flow itself,
    override a method of this class.
    """

    def __init__(
        self,
        config: RunConfig | None = None,
        *,
        embedder: Embedder | None = None,
        retriever: Retriever | None = None,
        reranker: Reranker | None = None,
        reader: Reader | Any = None,
        index_dir: Path | None = None,
        calls: Calls | None = None,
    ) -> None:
        self.config = config or RunConfig()
        self.calls = calls or Calls()
        self.lane = Lane()
        context = {"seed": self.config.seed, "sampling": self.config.sampling, "index_dir": index_dir}
        offered = {**context, "calls": self.calls}
        if retriever is not None and embedder is not None:
            raise InputError("Chatbot: a retriever brings its own embedder; give one of the two")
        if retriever is None:
            own = make("embedder", self.config.embedder, **offered) if embedder is None else adapt("embedder", embedder)
            self.embedder: Embedder | None = own
            self.retriever: Retriever = make("retriever", self.config.retriever, embedder=own, **offered)
        else:
            self.embedder = None
            self.retriever = adapt("retriever", retriever)
        made = make("reranker", self.config.reranker, **offered) if reranker is None else adapt("reranker", reranker)
        self.reranker: Reranker = made
        self.reader: Reader = (
            make("reader", self.config.reader, **offered) if reader is None else adapt("reader", reader)
        )
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
        return _wait_for(self.rank(self._query(query), top_k), self.calls)

    async def rank(self, query: Query, top_k: int | None = None) -> list[Hit]:
        """Return the chunks for a query, retrieved and reranked, best first."""
        wanted = self.config.top_k if top_k is None else top_k

        def ranked() -> Any:
            return self.reranker.rerank(query, self.retriever.retrieve(query, max(wanted, self.config.top_k)))

        hits: list[Hit] = await self.lane.call(ranked)
        return hits[:wanted]

    def resolved(self) -> dict[str, str]:
        """Return what the models of the parts turned out to be, such as the hub's commit, once they are loaded."""
        parts = {"embedder": self.embedder, "reranker": self.reranker, "reader": self.reader}
        found = {name: str(getattr(part, "resolved", "")) for name, part in parts.items()}
        return {name: text for name, text in found.items() if text}

    def prepare(self, queries: Sequence[Query]) -> None:
        """Tell the retriever which queries will come, so that it may embed them together."""
        prepare = getattr(self.retriever, "prepare", None)
        if callable(prepare):
            prepare(queries)

    def context(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return what the reader is shown of the ranked chunks."""
        return fill_context(hits, self.config.context_k, self.config.context_chars)

    @property
    def batch_size(self) -> int:
        """How many queries the reader likes to get at once."""
        return int(getattr(self.reader, "batch_size", 1)) if hasattr(self.reader, "read_batch") else 1

    async def read(self, queries: Sequence[Query], hits: Sequence[Sequence[Hit]]) -> list[Answer]:
        """Answer queries from their ranked chunks. A reader that fails is an answer of outcome `error`."""
        contexts = [self.context(ranked) for ranked in hits]
        try:
            if hasattr(self.reader, "read_batch") and len(queries) > 1:
                readings = await self.lane.call(self.reader.read_batch, queries, contexts)
            else:
                readings = [
                    await self.lane.call(self.reader.read, q, c) for q, c in zip(queries, contexts, strict=True)
                ]
            checked = [_reading(reading, query.lang) for query, reading in zip(queries, readings, strict=True)]
        except RagaliqError:
            raise
        except (Exception, SystemExit) as error:
            # A reader may be anybody's code; whatever it raises is these items' failure.
            checked = [Reading("", AnswerOutcome.ERROR, error=error_line(error))] * len(queries)
        return [
            Answer(query, r.text, r.outcome, context, r.usage, r.error, r.logprobs)
            for query, context, r in zip(queries, contexts, checked, strict=True)
        ]

    def answer(self, query: Query | str) -> Answer:
        """Answer a query: retrieve, rerank, read."""
        asked = self._query(query)

        async def answered() -> Answer:
            return (await self.read([asked], [await self.rank(asked)]))[0]

        return _wait_for(answered(), self.calls)

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


def _wait_for(work: Coroutine[Any, Any, Result], calls: Calls) -> Result:
    async def finished() -> Result:
        try:
            return await work
        finally:
            await calls.close()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(finished())
    # In a notebook a loop is running already; it cannot be waited for from inside.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, finished()).result()


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
