"""What a reader would be shown, as far as a plan can know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from ragaliq.benchmark.kb_language import corpus_name, knowledge_base
from ragaliq.benchmark.load import Benchmark
from ragaliq.config import Component, RunConfig
from ragaliq.execution.progress import StageProgress
from ragaliq.llm.tokens import estimate_tokens
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rankings import Rankings
from ragaliq.types import Chunk, Hit, Query

# Parts that need no model: their work is done for the plan.
EMBEDDERS = ("use-multilingual", "char-ngrams")
RETRIEVERS, RERANKERS = ("hybrid", "bm25", "dense", "none"), ("lexical", "none")
_WITHOUT_VECTORS = ("bm25", "none")


class PlannedContexts:
    """What the reader would be shown, as far as it can be known without loading or calling a model."""

    def __init__(self, config: RunConfig, chatbot: Chatbot, benchmark: Benchmark, folder: RunFolder | None) -> None:
        self._chatbot = chatbot
        self._kb_lang = config.kb_lang
        self._benchmark = benchmark
        self._folder = folder
        embeds = config.retriever.kind in _WITHOUT_VECTORS or _needs_no_model(config.embedder, EMBEDDERS)
        self._retrieves = embeds and _needs_no_model(config.retriever, RETRIEVERS)
        self._ranks = self._retrieves and _needs_no_model(config.reranker, RERANKERS)

    @cache  # noqa: B019 - lives as long as one plan
    def _language(self, lang: str) -> tuple[Rankings | None, Sequence[Hit]]:
        by_id, expensive = self._corpus(corpus_name(self._kb_lang, lang))
        rankings = None if self._folder is None else Rankings(self._folder.retrieval_file(lang), by_id)
        return rankings, expensive

    @cache  # noqa: B019
    def _corpus(self, name: str) -> tuple[Mapping[str, Chunk], Sequence[Hit]]:
        corpus = knowledge_base(self._benchmark, self._kb_lang, name)
        with StageProgress(f"indexing {name}", 1, "corpus", inner=True) as progress:
            self._chatbot.index(corpus)
            progress.step()
        # The budget of a context counts characters: the most expensive has the chunks with the most tokens in each.
        chunks = sorted(self._chatbot.units(corpus), key=lambda chunk: (-_density(chunk), chunk.doc_id))
        by_id = {chunk.doc_id: chunk for chunk in chunks}
        return by_id, [Hit(chunk, 0.0, rank) for rank, chunk in enumerate(chunks, start=1)]

    def ranked(self, query: Query) -> Sequence[Hit] | None:
        """Return a query's ranked chunks as far as the run has them."""
        rankings, _ = self._language(query.lang)
        return rankings.hits(query.query_id) if rankings is not None and query.query_id in rankings else None

    def retrieved(self, query: Query) -> Sequence[Hit]:
        """Return what the reranker would be given for a query, or the most expensive possible chunks."""
        _, expensive = self._language(query.lang)
        return self._chatbot.retrieve(query) if self._retrieves else expensive[: self._chatbot.config.top_k]

    def unranked(self, query: Query) -> tuple[Hit, ...]:
        """Return the context that a query would have without the reranker, or the most expensive possible one."""
        return self._chatbot.context(self.retrieved(query))

    @cache  # noqa: B019
    def of(self, query: Query) -> tuple[Hit, ...]:
        """Return a query's context, or the most expensive possible one."""
        hits = self.ranked(query)
        if hits is None:
            _, expensive = self._language(query.lang)
            hits = self._chatbot.rank(query) if self._ranks else expensive
        return self._chatbot.context(hits)


def _needs_no_model(part: Component, kinds: Sequence[str]) -> bool:
    """Return whether a part's work can be done for the plan."""
    return part.kind in kinds and not part.options


def _density(chunk: Chunk) -> float:
    """Return the tokens of a chunk for each of its characters."""
    return estimate_tokens(chunk.text) / (len(chunk.text) or 1)
