"""Query texts that a language model makes of the question alone: sub-questions, or an answer from its own knowledge.

Sub-questions are asked together, as one query; the closed-book answer takes the place of the question (Gao et al. 2023,
arXiv 2212.10496).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import regex

from ragaliq.errors import InputError, Stopped
from ragaliq.execution.run_stage import run_stage
from ragaliq.experiment.settings.queries import Mode, Source
from ragaliq.llm import CallFailed, FaultKind, LLMClient, LLMSession, Request
from ragaliq.llm.prompts import fence_word, load_prompt
from ragaliq.storage.files import Row, write_jsonl
from ragaliq.storage.journal import Journal, read_journal
from ragaliq.storage.own_json import ModelText, check_row
from ragaliq.types import Query, Usage

_PROMPTS = Path(__file__).with_name("prompts")
_FILES = {Source.SUBQUESTIONS: "subquestions.yaml", Source.CLOSED_BOOK: "closed_book.yaml"}
_TEXTS = {**dict.fromkeys(("query_id", "model", "prompt_hash"), str), "question": ModelText, "texts": [ModelText]}
_PARAMETERS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 512}
# The endpoint would refuse the same request again.
_REFUSALS = {FaultKind.REQUEST, FaultKind.CONTEXT_LENGTH, FaultKind.FILTERED, FaultKind.ACCESS}
_BULLET = regex.compile(r"^\s*(?:[-*•–—·]|[(\[]?\p{N}{1,2}[.):\]、．）])\s*")


@dataclass(frozen=True, slots=True)
class Expanded:
    """What a model made of a question: texts that are asked one behind the other.

    Without texts the question itself is asked, and `error` says why. If `passing`, the same command tries again.
    """

    texts: tuple[str, ...]
    error: str = ""
    passing: bool = False
    usage: Usage | None = None


class Expander:
    """Asks a model for query texts."""

    def __init__(self, mode: Mode, session: LLMSession | None = None, seed: int = 0) -> None:
        """Take a mode with a model."""
        assert mode.model is not None, "a mode that no model makes"
        self.source = mode.source
        self.client = LLMClient("queries", mode.model.model, session)
        self._prompt = load_prompt(_PROMPTS / _FILES[mode.source])
        self._seed = seed
        self.prompt_hash = self._prompt.hash

    async def make(self, query: Query) -> Expanded:
        """Return the texts for a query, or why there are none.

        Raises:
            ConfigError, Stopped: as `LLMClient.complete`.
        """
        messages = self._prompt.messages(fence=fence_word(self._seed, query.text), question=query.text)
        request = Request(messages, _PARAMETERS, query=query, prompt_hash=self.prompt_hash)
        try:
            reply = await self.client.complete(request, lambda reply: bool(reply.text.strip()))
        except CallFailed as error:
            return Expanded((), str(error), error.kind not in _REFUSALS)
        if reply.refused or reply.finish_reason == "content_filter":
            return Expanded((), f"refused: {reply.text[:80]!r}", usage=reply.usage)
        texts = (" ".join(reply.text.split()),) if self.source is Source.CLOSED_BOOK else lines(reply.text)
        return Expanded(texts, "" if any(texts) else "the reply is empty", not any(texts), reply.usage)


def lines(reply: str) -> tuple[str, ...]:
    """Return the different lines of a reply, without the numbers and bullets before them."""
    bare = (" ".join(_BULLET.sub("", line).split()) for line in reply.splitlines())
    return tuple(dict.fromkeys(line for line in bare if any(map(str.isalnum, line))))


async def expand(
    expander: Expander, queries: Sequence[Query], file: Path, session: LLMSession
) -> tuple[list[Query], int]:
    """Return the queries with the texts that a model makes, and how many keep their question.

    Every text is in `file` at once; the same call after a kill asks for the others only.

    Raises:
        InputError: if the file's texts were made by another model or prompt.
        Stopped: if texts are missing because the endpoint failed, or the work was stopped; the same command goes on.
    """
    texts = _kept(expander, queries, file)
    pending = [query for query in queries if query.query_id not in texts]
    if pending:

        async def do(batch: Sequence[Query]) -> list[tuple[Query, Expanded]]:
            return [(query, await expander.make(query)) for query in batch]

        with Journal(file) as journal:
            store = _Texts(expander, journal, texts)
            await run_stage(f"{expander.source} {queries[0].lang}", pending, do, store, session)
        if store.failures:
            counts = f"{len(store.failures)} of {len(queries)} queries"
            raise Stopped(f"{counts} have no text ({store.failures[0]}); try again")
        # As they came, they stand in the order of the replies.
        write_jsonl(file, sorted((row for _, row in read_journal(file)), key=lambda row: str(row["query_id"])))
    kept = sum(not texts[query.query_id] for query in queries)
    return [replace(query, text=" ".join(texts[query.query_id]) or query.text) for query in queries], kept


class _Texts:
    """The texts of queries as they come; an endpoint's passing failure is not written down."""

    def __init__(self, expander: Expander, journal: Journal, texts: dict[str, tuple[str, ...]]) -> None:
        self._expander = expander
        self._journal = journal
        self._texts = texts
        self.failures: list[str] = []
        self.sync = journal.sync

    def append(self, result: tuple[Query, Expanded]) -> None:
        """Write what a model made of a question."""
        query, expanded = result
        if expanded.passing:
            self.failures.append(expanded.error)
            return
        self._journal.append(_row(self._expander, query, expanded))
        self._texts[query.query_id] = expanded.texts

    def failed(self, result: tuple[Query, Expanded]) -> bool:
        """Return whether there is no text."""
        return bool(result[1].error)


def _kept(expander: Expander, queries: Sequence[Query], file: Path) -> dict[str, tuple[str, ...]]:
    """Return the texts that an earlier call made, by query id."""
    questions = {query.query_id: query.text for query in queries}
    kept: dict[str, tuple[str, ...]] = {}
    maker = (expander.client.endpoint.model, expander.prompt_hash)
    for number, row in read_journal(file):
        where = f"{file}:{number}"
        check_row(row, _TEXTS, where)
        if (row["model"], row["prompt_hash"]) != maker:
            raise InputError(f"{where}: made by another model or prompt; begin anew with --fresh")
        if questions.get(row["query_id"]) == row["question"]:
            kept[row["query_id"]] = tuple(row["texts"])
    return kept


def _row(expander: Expander, query: Query, expanded: Expanded) -> Row:
    return {
        "query_id": query.query_id,
        "lang": query.lang,
        "question": query.text,
        "texts": list(expanded.texts),
        "error": expanded.error,
        "model": expander.client.endpoint.model,
        "prompt_hash": expander.prompt_hash,
        "temperature": _PARAMETERS["temperature"],
        "usage": expanded.usage and asdict(expanded.usage),
    }
