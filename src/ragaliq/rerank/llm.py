"""A chat model as reranker, behind any OpenAI-compatible endpoint: it is asked about each chunk by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.execution.progress import say
from ragaliq.llm import DEFAULT_OPTIONS, CallFailed, CallOptions, FaultKind, LLMClient, LLMSession, Reply, Request
from ragaliq.llm.prompts import fence_word, load_prompt
from ragaliq.rerank import RerankFailed, ranked
from ragaliq.rerank.relevance import parse_relevance
from ragaliq.types import Hit, Query

_PROMPT = Path(__file__).with_name("prompts") / "relevance.yaml"
_PARAMETERS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 512}
# The endpoint refuses the one request, and would again; all other failures are the endpoint's own, and may pass.
_REFUSALS = {FaultKind.REQUEST, FaultKind.CONTEXT_LENGTH, FaultKind.FILTERED, FaultKind.ACCESS}


class LLMReranker:
    """Ranks the first hits by the relevance, 0 to 10, that a model gives to each; equal ones keep their order.

    A hit without a relevance (the request is refused, or the reply holds none) is not taken for an irrelevant one: it
    goes with the hit before it, directly behind it; the first ones go with the first that has one, directly before it.
    Where the endpoint fails, or no hit has a relevance, there is no ranking.

    Attributes:
        depth: so many of the first hits are asked about.
        failed: number of ranked hits so far that got no relevance.
        prompt_hash: changes with the prompt.
    """

    def __init__(
        self,
        model: str,
        prompt: str = "",
        depth: int = 20,
        options: CallOptions = DEFAULT_OPTIONS,
        seed: int = 0,
        session: LLMSession | None = None,
    ) -> None:
        """Take the endpoint, which is the reader's.

        Args:
            model: the model's name at the endpoint.
            prompt: file in place of the shipped one.
            depth: so many of the first hits are ranked anew; the others follow in their old order.
            options: how the endpoint is called.
            seed: of the words that enclose question and chunk.
            session: what all clients of one command share.

        Raises:
            ConfigError: if `depth` is below 1 or the endpoint is not set.
        """
        if depth < 1:
            raise ConfigError(f"reranker 'llm:{model}': option 'depth' must be at least 1, not {depth}")
        self.client = LLMClient("reranker", model, session, options)
        self._prompt = load_prompt(Path(prompt) if prompt else _PROMPT)
        self.depth = depth
        self._seed = seed
        self._told = False
        self.prompt_hash = self._prompt.hash
        self.failed = 0

    def __str__(self) -> str:
        """Name the model."""
        return f"llm:{self.client.endpoint.model}"

    async def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits, the most relevant first.

        A score is the relevance plus a part below 1 that keeps the order of equal ones; the hits that were not ranked
        score −1, −2, ….

        Raises:
            RerankFailed: if the endpoint failed for a hit, or no hit that was asked about has a relevance.
            ConfigError, Stopped: as `LLMClient.complete`.
        """
        head = hits[: self.depth]
        relevances = self._filled(query, await self._ask_all(query, head))
        order = sorted(range(len(head)), key=lambda i: -relevances[i])
        scored = [(head[i], relevances[i] + 1 - (i + 1) / (len(head) + 1)) for i in order]
        return ranked(scored + [(hit, float(-place)) for place, hit in enumerate(hits[len(head) :], start=1)])

    def request(self, query: Query, hit: Hit) -> Request:
        """Return what the model is asked about a hit."""
        document = hit.chunk.titled
        fence = fence_word(self._seed, query.text, document)
        messages = self._prompt.messages(fence=fence, question=query.text, document=document)
        return Request(messages, _PARAMETERS, query=query, prompt_hash=self.prompt_hash)

    async def _ask_all(self, query: Query, hits: Sequence[Hit]) -> list[int | str]:
        """Return each hit's relevance, or why there is none; a failure comes when the other replies are kept."""
        tasks = [asyncio.create_task(self._ask(query, hit)) for hit in hits]
        try:
            results = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, CallFailed) and result.kind not in _REFUSALS:
                raise self._failure(query, str(result))
        relevances = [result if isinstance(result, int) else str(result) for result in results]
        if relevances and not any(isinstance(relevance, int) for relevance in relevances):
            raise self._failure(query, f"no relevance for any of {len(hits)} chunks ({relevances[0]})")
        return relevances

    async def _ask(self, query: Query, hit: Hit) -> int | str | CallFailed:
        try:
            reply = await self.client.complete(self.request(query, hit), lambda r: _relevance(r) is not None)
        except CallFailed as error:
            return error
        relevance = _relevance(reply)
        return f"reply: {reply.text[:40]!r}" if relevance is None else relevance

    def _failure(self, query: Query, why: str) -> RerankFailed:
        line = " ".join(f"reranker '{self}': query '{query.query_id}' ({query.lang}): {why}".split())
        return RerankFailed(f"{line}; the same command tries again")

    def _filled(self, query: Query, relevances: Sequence[int | str]) -> list[int]:
        """Return the relevances, with those of the neighbours where there is none."""
        missing = [relevance for relevance in relevances if isinstance(relevance, str)]
        known = [relevance for relevance in relevances if isinstance(relevance, int)]
        if missing:
            self.failed += len(missing)
            self._tell(query, len(relevances), missing)
        filled, last = [], known[0] if known else 0
        for relevance in relevances:
            last = relevance if isinstance(relevance, int) else last
            filled.append(last)
        return filled

    def _tell(self, query: Query, n: int, missing: Sequence[str]) -> None:
        if not self._told:
            self._told = True
            say(
                f"note: reranker '{self}': no relevance for {len(missing)} of {n} chunks of query '{query.query_id}' "
                f"({query.lang}), perhaps for more ({missing[0]}); these stay behind their neighbours",
            )


def _relevance(reply: Reply) -> int | None:
    # Of a reply that was cut off, the last number may lack its rest.
    whole = not reply.refused and reply.finish_reason not in ("length", "content_filter")
    return parse_relevance(reply.text) if whole else None
