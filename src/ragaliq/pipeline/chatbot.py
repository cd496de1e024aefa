"""The system under test: embedder → retriever → reranker → reader."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from inspect import iscoroutinefunction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ragaliq.benchmark.kb_language import retrieval_units
from ragaliq.components import resolved
from ragaliq.config import Component, RunConfig, as_config, path_of
from ragaliq.errors import InputError
from ragaliq.execution.carry_out import run_to_end
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm import LLMSession
from ragaliq.pipeline.system.indexed import IndexedCorpus
from ragaliq.pipeline.system.inputs import as_chunks, as_query
from ragaliq.pipeline.system.parts import STAGE_METHODS, ChatbotParts, check_embed, import_path, make_parts
from ragaliq.pipeline.system.results import Ranked, checked_hits, read_one, read_together
from ragaliq.read import Reader
from ragaliq.read.context import fill_context
from ragaliq.retrieve import Embedder, Retriever, Side
from ragaliq.types import Answer, Chunk, Hit, Query, Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Result = TypeVar("Result")


class Chatbot:
    """Answers questions from a corpus; every part can be replaced, and every stage overridden.

    A part is any object with the stage's one method: an embedder's `embed`, a retriever's `retrieve` (with `index`), a
    reranker's `rerank`, a reader's `read`; or a LangChain object; for the reader also a plain function. Parts that are
    not given are those of the configuration, by default the ones that need no model.

    A stage is a method that a subclass may override: `embed`, `retrieve`, `rerank`, `read`, or all of them by `answer`.
    Its own version, plain or coroutine, counts in `answer()` and in a run; what it leaves to `super()` the part does.

    Attributes:
        path: `module:object` by which a command names the chatbot.
    """

    path = ""

    def __init__(
        self,
        config: RunConfig | Mapping[str, Any] | None = None,
        *,
        embedder: Embedder | None = None,
        retriever: Retriever | None = None,
        reranker: Any = None,
        reader: Reader | Any = None,
        index_dir: Path | str | None = None,
        session: LLMSession | None = None,
    ) -> None:
        self.config = as_config(config)
        # The parts hold this object; in a run it becomes the run's session.
        self.session = LLMSession()
        if session is not None:
            self.session.become(session)
        self.thread = SerialThread()
        if retriever is not None and embedder is not None:
            raise InputError("Chatbot: a retriever brings its own embedder; give one of the two")
        given = {"embedder": embedder, "retriever": retriever, "reranker": reranker, "reader": reader}
        self._given = {stage: part for stage, part in given.items() if part is not None}
        self._index_dir = None if index_dir is None else path_of(index_dir, "Chatbot: index_dir")
        self._parts = self._make_parts()
        self.embedder, self.retriever, self.reranker, self.reader = self._parts
        self._corpus = IndexedCorpus()
        self._at_work = False

    def _make_parts(self) -> ChatbotParts:
        embed = self.embed if self.overrides("embed") else None
        return make_parts(self.config, self._given, self.session, self._index_dir, embed)

    def join(self, session: LLMSession, index_dir: Path | None) -> None:
        """Take part in a run: the parts call in its session, and the retriever keeps indexes in its folder.

        Raises:
            InputError: if an `embed` of the chatbot's own would have no effect.
        """
        self._given |= self._assigned()
        # Each of the other methods may call `embed` by itself.
        if self.overrides("embed") and not self.overrides("retrieve", "rerank", "read", "answer"):
            check_embed(self.config.retriever, self._given)
        self.session.become(session)
        if "retriever" in self._given:
            return
        self._index_dir = self._index_dir or index_dir
        if self.embedder is not self._parts.embedder:
            # The retriever has the embedder that was there before.
            self.retriever = self._make_parts().retriever
            self._parts = self._parts._replace(embedder=self.embedder, retriever=self.retriever)
        elif self._index_dir is not None and hasattr(self.retriever, "keep_in"):
            self.retriever.keep_in(self._index_dir)

    def _assigned(self) -> dict[str, Any]:
        """Return the parts that were put in the place of those of the constructor."""
        pairs = zip(self._parts._fields, self._parts, strict=True)
        return {stage: getattr(self, stage) for stage, part in pairs if getattr(self, stage) is not part}

    @property
    def identity(self) -> str:
        """What names the chatbot, `module:object`; empty where configuration and parts say all."""
        return self.path or ("" if type(self) is Chatbot else import_path(self))

    def named_config(self) -> RunConfig:
        """Return the configuration with `python:module:object` for each stage whose part is none of its own."""
        named = {stage: import_path(part) for stage, part in {**self._given, **self._assigned()}.items()}
        named |= {stage: self.identity for stage, methods in STAGE_METHODS.items() if self.overrides(*methods)}
        components: dict[str, Any] = {stage: Component("python", path) for stage, path in named.items()}
        return replace(self.config, **components)

    def overrides(self, *stages: str) -> bool:
        """Return whether a subclass, or this very object, has a version of one of these methods of its own."""
        return any(getattr(getattr(self, one), "__func__", None) is not getattr(Chatbot, one) for one in stages)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Keep an `answer()` that a stage calls within a run from ending its session; the run ends the thread."""
        self._at_work = True
        try:
            yield
        finally:
            self._at_work, self.thread = False, SerialThread()

    def index(self, corpus: Iterable[Chunk | str]) -> Chatbot:
        """Take a corpus, and return the chatbot; the languages of the chunks are kept apart.

        Plain texts get the ids d1, d2, … and the language that they are likeliest in, all of them. Where the
        configuration says `kb_lang: all`, the languages become one index instead, in place of an earlier one, and a
        chunk's id is `doc_id@lang`.
        """
        chunks = self.units(as_chunks(corpus))
        if not chunks:
            raise InputError("index: the corpus holds no chunk; give at least one")
        self.retriever.index(self._corpus.take(chunks, self.config.kb_lang))
        return self

    def units(self, corpus: Iterable[Chunk]) -> Sequence[Chunk]:
        """Return the chunks of a corpus as rankings and contexts name them."""
        return retrieval_units(corpus, self.config.kb_lang)

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Stage: return one vector for each text; `side` says whether they are queries or passages."""
        if self.embedder is None:
            raise InputError("embed: this chatbot's retriever brings its own embedder")
        return self.embedder.embed(texts, side)

    def retrieve(self, query: Query | str, top_k: int | None = None) -> list[Hit]:
        """Stage: return the chunks that the retriever finds for a query, best first."""
        record, wanted = as_query(query, self.config, self._corpus.langs), self.config.top_k if top_k is None else top_k
        hits = self.retriever.retrieve(self._corpus.query(record, self.config.kb_lang), wanted)
        return self._corpus.hits(hits, self.config.kb_lang)

    def rerank(self, query: Query, hits: Sequence[Hit]) -> Any:
        """Stage: return the hits in a new order. As the reranker's method, it is a coroutine for some."""
        return self.reranker.rerank(query, hits)

    def context(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return what the reader is shown of the ranked chunks."""
        return fill_context(hits, self.config.context_k, self.config.context_chars)

    def read(self, query: Query, context: Sequence[Hit]) -> Reading | str | Awaitable[Reading | str]:
        """Stage: return an answer from the context. As the reader's method, it is a coroutine for some."""
        return self.reader.read(query, context)

    def answer(self, query: Query | str) -> Answer:
        """Answer a query: retrieve, rerank, read. To replace all of that, override this; a text will do as result."""
        record = as_query(query, self.config, self._corpus.langs)

        async def answered() -> Answer:
            ((answer, _),) = await self.read_all([record], [(await self.rank_query(record)).hits])
            return answer

        return self._wait_for(answered())

    def rank(self, query: Query | str, top_k: int | None = None) -> list[Hit]:
        """Return the chunks for a query, retrieved and reranked, best first."""
        return self._wait_for(self.rank_query(as_query(query, self.config, self._corpus.langs), top_k)).hits

    async def rank_query(self, query: Query, top_k: int | None = None) -> Ranked:
        """Return the chunks for a query, retrieved and reranked, with the order before the reranker.

        Raises:
            InputError: if one of the two stages returns something else.
        """
        wanted = self.config.top_k if top_k is None else top_k
        depth = max(wanted, self.config.top_k)
        found = await self.retrieve(query, depth) if iscoroutinefunction(self.retrieve) else None

        retrieved: list[Hit] = []

        def ranked() -> Any:
            # One turn of the thread for both.
            hits = self.retrieve(query, depth) if found is None else found
            retrieved.extend(checked_hits(hits, "retrieve"))
            # A reranker may sort in place.
            return self.rerank(query, list(retrieved))

        return Ranked(checked_hits(await self.thread.call(ranked), "rerank")[:wanted], retrieved)

    def resolved(self) -> dict[str, str]:
        """Return what the models of the parts turned out to be, such as the hub's commit, once they are loaded."""
        return resolved(embedder=self.embedder, reranker=self.reranker, reader=self.reader)

    def prepare(self, queries: Sequence[Query]) -> None:
        """Tell the retriever which queries will come, so that it may embed them together."""
        prepare = getattr(self.retriever, "prepare", None)
        # An `embed` of one's own may fail for one query: then it is that item's failure.
        if callable(prepare) and not self.overrides("embed", "retrieve", "answer"):
            prepare([self._corpus.query(query, self.config.kb_lang) for query in queries])

    @property
    def batch_size(self) -> int:
        """How many queries the reader likes to get at once."""
        batches = hasattr(self.reader, "read_batch") and not self.overrides("read", "answer")
        return int(getattr(self.reader, "batch_size", 1)) if batches else 1

    async def read_all(self, queries: Sequence[Query], hits: Sequence[Sequence[Hit]]) -> list[tuple[Answer, float]]:
        """Answer queries from their ranked chunks, each with the seconds that the reader took."""
        return await self.read_contexts(queries, [self.context(ranked) for ranked in hits])

    async def read_contexts(
        self, queries: Sequence[Query], contexts: Sequence[tuple[Hit, ...]]
    ) -> list[tuple[Answer, float]]:
        """Answer queries from contexts as `read_all` does; a reader that fails is an answer of outcome `error`."""
        pairs = list(zip(queries, contexts, strict=True))
        read_batch = None if self.overrides("read") else getattr(self.reader, "read_batch", None)
        if len(pairs) > 1 and read_batch is not None:
            answers = await read_together(self.thread, read_batch, pairs)
            if answers is not None:
                return answers
        # A coroutine of the part's own need not wait for the thread to be begun.
        read = self.read if self.overrides("read") else self.reader.read
        return [await read_one(self.thread, read, *pair) for pair in pairs]

    def _wait_for(self, work: Coroutine[Any, Any, Result]) -> Result:
        if self._at_work:
            return run_to_end(work, self.session, self.session.disconnect)
        # What stopped an earlier answer, such as an endpoint that was down, may have passed.
        self.session.signal = StopSignal()
        return run_to_end(work, self.session)
