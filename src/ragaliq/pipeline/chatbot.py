"""The system under test: embedder → retriever → reranker → reader."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ragaliq.benchmark.kb_language import mixed_language, retrieval_units
from ragaliq.components import adapt, make, resolved
from ragaliq.config import ALL, SAME, RunConfig
from ragaliq.errors import InputError, RagaliqError
from ragaliq.execution.carry_out import run_to_end
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm import LLMSession
from ragaliq.read import Reader
from ragaliq.read.context import fill_context
from ragaliq.rerank import Reranker
from ragaliq.retrieve import Embedder, Retriever
from ragaliq.runs.rows import ANSWERS, RunAnswer
from ragaliq.storage.redaction import count_altered, error_line, redactor
from ragaliq.text.refusals import abstains
from ragaliq.types import Answer, AnswerOutcome, Chunk, CitedSentence, Hit, Item, Query, Reading, Usage

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
        session: LLMSession | None = None,
    ) -> None:
        self.config = config or RunConfig()
        self.session = session or LLMSession()
        self.thread = SerialThread()
        if retriever is not None and embedder is not None:
            raise InputError("Chatbot: a retriever brings its own embedder; give one of the two")
        context = {
            "seed": self.config.seed, "sampling": self.config.sampling, "index_dir": index_dir, "session": self.session,
        }  # fmt: skip

        def part(stage: str, replacement: Any, **more: Any) -> Any:
            if replacement is not None:
                return adapt(stage, replacement)
            return make(stage, getattr(self.config, stage), **context, **more)

        self.embedder: Embedder | None = part("embedder", embedder) if retriever is None else None
        self.retriever: Retriever = part("retriever", retriever, embedder=self.embedder)
        self.reranker: Reranker = part("reranker", reranker)
        self.reader: Reader = part("reader", reader)
        self._langs: set[str] = set()
        self._mixed = ""
        self._units: dict[str, Chunk] = {}

    def index(self, corpus: Iterable[Chunk]) -> Chatbot:
        """Take a corpus, and return the chatbot; the languages of the chunks are kept apart.

        Where the configuration says `kb_lang: all`, they become one index instead, in place of an earlier one, and a
        chunk's id is `doc_id@lang`.
        """
        chunks = self.units(corpus)
        if not chunks:
            raise InputError("index: the corpus holds no chunk; give at least one")
        if self.config.kb_lang == ALL:
            self._mixed = mixed_language(chunks)
            self._units = {chunk.doc_id: chunk for chunk in chunks}
            self.retriever.index([replace(chunk, lang=self._mixed) for chunk in chunks])
        else:
            self.retriever.index(chunks)
        self._langs |= {chunk.lang for chunk in chunks}
        return self

    def units(self, corpus: Iterable[Chunk]) -> list[Chunk]:
        """Return the chunks of a corpus as rankings and contexts name them."""
        return retrieval_units(corpus, self.config.kb_lang)

    def retrieve(self, query: Query | str, top_k: int | None = None) -> list[Hit]:
        """Return the chunks for a query, retrieved and reranked, best first."""
        return _wait_for(self.rank(self._query(query), top_k), self.session)

    async def rank(self, query: Query, top_k: int | None = None) -> list[Hit]:
        """Return the chunks for a query, retrieved and reranked, best first."""
        wanted = self.config.top_k if top_k is None else top_k

        def ranked() -> Any:
            retrieved = self.retriever.retrieve(self._retrieval_query(query), max(wanted, self.config.top_k))
            return self.reranker.rerank(query, self._in_own_language(retrieved))

        hits: list[Hit] = await self.thread.call(ranked)
        return hits[:wanted]

    def resolved(self) -> dict[str, str]:
        """Return what the models of the parts turned out to be, such as the hub's commit, once they are loaded."""
        return resolved(embedder=self.embedder, reranker=self.reranker, reader=self.reader)

    def prepare(self, queries: Sequence[Query]) -> None:
        """Tell the retriever which queries will come, so that it may embed them together."""
        prepare = getattr(self.retriever, "prepare", None)
        if callable(prepare):
            prepare([self._retrieval_query(query) for query in queries])

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
        pairs = list(zip(queries, contexts, strict=True))
        readings = await self._read_batch(queries, contexts) if len(pairs) > 1 else None
        if readings is None:
            readings = [await self._read(query, context) for query, context in pairs]
        return [_answer(*pair, _redacted(reading)) for pair, reading in zip(pairs, readings, strict=True)]

    async def _read_batch(self, queries: Sequence[Query], contexts: Sequence[tuple[Hit, ...]]) -> list[Reading] | None:
        """Return the readings of a batch; None if the reader takes none, or if this one as a whole failed."""
        if not hasattr(self.reader, "read_batch"):
            return None
        try:
            readings = await self.thread.call(self.reader.read_batch, queries, contexts)
            return [_reading(reading, query) for query, reading in zip(queries, readings, strict=True)]
        except RagaliqError:
            raise
        except Exception:
            # One query may have failed the others: read each by itself.
            return None

    async def _read(self, query: Query, context: tuple[Hit, ...]) -> Reading:
        try:
            return _reading(await self.thread.call(self.reader.read, query, context), query)
        except RagaliqError:
            raise
        except (Exception, SystemExit) as error:
            # A reader may be anybody's code; whatever it raises is this item's failure.
            return Reading("", AnswerOutcome.ERROR, error=error_line(error))

    def answer(self, query: Query | str) -> Answer:
        """Answer a query: retrieve, rerank, read."""
        record = self._query(query)

        async def answered() -> Answer:
            return (await self.read([record], [await self.rank(record)]))[0]

        return _wait_for(answered(), self.session)

    def _retrieval_query(self, query: Query) -> Query:
        """Return a query in the language whose chunks the retriever is to rank."""
        if self.config.kb_lang == SAME:
            return query
        return query.to_documents_in(self._mixed if self.config.kb_lang == ALL else self.config.kb_lang)

    def _in_own_language(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Return hits of a mixed index with their chunks in their own languages."""
        if self.config.kb_lang != ALL:
            return hits
        return [replace(hit, chunk=self._units.get(hit.chunk.doc_id, hit.chunk)) for hit in hits]

    def _query(self, query: Query | str) -> Query:
        """Return a query record; a plain text is taken to be in the likeliest of the indexed languages.

        Where all queries go to one language's knowledge base, common languages are candidates, too.
        """
        if isinstance(query, Query):
            return query
        if not self._langs:
            raise InputError("retrieve: nothing is indexed; call index(corpus) first")
        foreign = self.config.kb_lang not in (SAME, ALL)
        if len(self._langs) == 1 and not foreign:
            return Query("query", next(iter(self._langs)), query)
        from ragaliq.text.language import COMMON, likeliest

        return Query("query", likeliest(query, {*self._langs, *(COMMON if foreign else ())}), query)


def _wait_for(work: Coroutine[Any, Any, Result], session: LLMSession) -> Result:
    # What stopped an earlier answer, such as an endpoint that was down, may have passed.
    session.signal = StopSignal()
    return run_to_end(work, session)


def _answer(query: Query, context: tuple[Hit, ...], reading: Reading) -> Answer:
    r = reading
    return Answer(query, r.text, r.outcome, context, r.usage, r.error, r.logprobs, r.sentences, r.reasoning)


def _reading(result: Reading | str, query: Query) -> Reading:
    """Return a reader's result as a record; a reader may also return plain text."""
    if isinstance(result, str):
        outcome = AnswerOutcome.ABSTAINED if abstains(result, query.lang) else AnswerOutcome.ANSWERED
        result = Reading(result, outcome)
    if not isinstance(result, Reading) or not isinstance(result.text, str):
        raise TypeError(f"a reader returns a text or a Reading, not {result!r}")
    texts = (result.error, result.reasoning)
    if not isinstance(result.usage, Usage | None) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"a Reading has a Usage or None, and texts for its error and reasoning, not {result!r}")
    if not all(isinstance(sentence, CitedSentence) for sentence in result.sentences):
        raise TypeError(f"the sentences of a Reading are CitedSentences, not {result.sentences!r}")
    result = replace(result, outcome=AnswerOutcome(result.outcome))
    ANSWERS.check(RunAnswer(Item(query, ""), _answer(query, (), result)))
    if result.outcome is AnswerOutcome.ANSWERED and not result.text.strip():
        return replace(result, outcome=AnswerOutcome.EMPTY)
    return result


def _redacted(reading: Reading) -> Reading:
    """Return a reading without secrets: what comes from anybody's code may hold what it read from the environment."""
    clean = redactor()
    cleaned = replace(
        reading,
        text=clean(reading.text),
        error=clean(reading.error),
        sentences=tuple(replace(sentence, text=clean(sentence.text)) for sentence in reading.sentences),
        reasoning=clean(reading.reasoning),
    )
    said = [(one.text, one.sentences, one.reasoning) for one in (reading, cleaned)]
    count_altered(*said)
    return cleaned
