"""Query texts that a language model makes of the question alone: sub-questions, or an answer from its own knowledge.

Sub-questions are asked together, as one query; the closed-book answer takes the place of the question (Gao et al. 2023,
arXiv 2212.10496). The model sees the question and nothing else: a `Query` holds neither reference nor nuggets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import regex

from ragaliq.errors import InputError, Stopped
from ragaliq.execution.engine import Stage, each, work
from ragaliq.experiment.settings.queries import Mode, Source
from ragaliq.llm import TIMEOUT_S, CallFailed, FaultKind, LLMClient, LLMSession, Request
from ragaliq.llm.prompts import load_prompt
from ragaliq.storage.files import Journal, Row, read_journal, write_jsonl
from ragaliq.types import Query, Usage

_PROMPTS = Path(__file__).with_name("prompts")
_FILES = {Source.SUBQUESTIONS: "subquestions.yaml", Source.CLOSED_BOOK: "closed_book.yaml"}
_PARAMETERS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 512}
# The endpoint refuses this one request, and would again.
_REFUSALS = {FaultKind.REQUEST, FaultKind.CONTEXT_LENGTH, FaultKind.FILTERED, FaultKind.ACCESS}
_BULLET = regex.compile(r"^\s*(?:[-*•–—·]|[(\[]?\p{N}{1,2}[.):\]、．）])\s*")


@dataclass(frozen=True, slots=True)
class Made:
    """What a model made of a question.

    `texts` are asked one behind the other. They are empty if the model refused; then the question itself is asked, and
    `error` says why. If `passing`, the endpoint failed for now, and the same command tries again.
    """

    texts: tuple[str, ...]
    error: str = ""
    passing: bool = False
    usage: Usage | None = None


class Expander:
    """Asks a model for query texts.

    Attributes:
        prompt_hash: changes with the prompt.
    """

    def __init__(self, mode: Mode, session: LLMSession | None = None, seed: int = 0) -> None:
        """Take a mode with a model; its options are `prompt`, a file in place of the shipped one, and `timeout_s`."""
        assert mode.model is not None, "a mode that no model makes"
        options = mode.model.options
        self.source = mode.source
        self.client = LLMClient("queries", mode.model.model, session, float(options.get("timeout_s", TIMEOUT_S)))
        file = str(options.get("prompt") or _PROMPTS / _FILES[mode.source])
        self._prompt = load_prompt(Path(file))
        self._seed = seed
        self.prompt_hash = self._prompt.hash

    def request(self, query: Query) -> Request:
        """Return what the model is asked."""
        digest = hashlib.sha256(f"{self._seed}\0{query.text}".encode("utf-8", "surrogatepass")).hexdigest()
        user = self._prompt.fill("user", fence=f"====={digest[:16]}", question=query.text)
        messages = [{"role": "system", "content": self._prompt.fill("system")}, {"role": "user", "content": user}]
        return Request(messages, _PARAMETERS)

    async def make(self, query: Query) -> Made:
        """Return the texts for a query, or why there are none.

        Raises:
            ConfigError, Stopped: as `LLMClient.complete`.
        """
        try:
            reply = await self.client.complete(self.request(query), lambda reply: bool(reply.text.strip()))
        except CallFailed as error:
            return Made((), str(error), error.kind not in _REFUSALS)
        if reply.refused or reply.finish_reason == "content_filter":
            return Made((), f"refused: {reply.text[:80]!r}", usage=reply.usage)
        texts = (" ".join(reply.text.split()),) if self.source is Source.CLOSED_BOOK else lines(reply.text)
        return Made(texts, "" if any(texts) else "the reply is empty", not any(texts), reply.usage)


def lines(reply: str) -> tuple[str, ...]:
    """Return the lines of a reply without the numbers and bullets before them; of equal lines the first."""
    found = (" ".join(_BULLET.sub("", line).split()) for line in reply.splitlines())
    return tuple(dict.fromkeys(line for line in found if any(char.isalnum() for char in line)))


async def expand(
    expander: Expander, queries: Sequence[Query], file: Path, session: LLMSession
) -> tuple[list[Query], int]:
    """Return the queries with the texts that a model makes, and how many keep their question.

    Every text is in `file` at once, a row `{query_id, lang, question, texts, error, model, prompt_hash, usage}`; the
    same call after a kill asks for the others only.

    Raises:
        InputError: if the file's texts were made by another model or prompt.
        Stopped: if texts are missing because the endpoint failed, or the work was stopped; the same command goes on.
    """
    made = _kept(expander, queries, file)
    pending = [query for query in queries if query.query_id not in made]
    if pending:
        with Journal(file) as journal:
            failures: list[str] = []

            async def do(batch: Sequence[Query]) -> list[Made]:
                return [await expander.make(query) for query in batch]

            def keep(query: Query, found: Made) -> None:
                if found.passing:
                    failures.append(found.error)
                    return
                journal.append(_row(expander, query, found))
                made[query.query_id] = found.texts

            name = f"{expander.source} {queries[0].lang}"
            stage: Stage[Query, Made] = Stage(
                name, do, keep, journal.sync, lambda found: bool(found.error), len(pending), session.concurrency
            )
            await work(stage, each(pending), session.signal)
        if failures:
            raise Stopped(f"{len(failures)} of {len(queries)} queries have no text ({failures[0]}); try again")
        # As they came, they stand in the order of the replies.
        write_jsonl(file, sorted((row for _, row in read_journal(file)), key=lambda row: str(row["query_id"])))
    kept = sum(not made[query.query_id] for query in queries)
    return [replace(query, text=" ".join(made[query.query_id]) or query.text) for query in queries], kept


def _kept(expander: Expander, queries: Sequence[Query], file: Path) -> dict[str, tuple[str, ...]]:
    """Return the texts that an earlier call made, by query id."""
    asked = {query.query_id: query.text for query in queries}
    made: dict[str, tuple[str, ...]] = {}
    maker = (expander.client.endpoint.model, expander.prompt_hash)
    for number, row in read_journal(file):
        where = f"{file}:{number}"
        texts = row.get("texts")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise InputError(f"{where}: not a row of this file ('texts' is missing); mend or remove the line")
        if (row.get("model"), row.get("prompt_hash")) != maker:
            raise InputError(f"{where}: made by another model or prompt; begin anew with --fresh")
        if asked.get(str(row.get("query_id"))) == row.get("question"):
            made[str(row["query_id"])] = tuple(texts)
    return made


def _row(expander: Expander, query: Query, made: Made) -> Row:
    return {
        "query_id": query.query_id,
        "lang": query.lang,
        "question": query.text,
        "texts": list(made.texts),
        "error": made.error,
        "model": expander.client.endpoint.model,
        "prompt_hash": expander.prompt_hash,
        "temperature": _PARAMETERS["temperature"],
        "usage": made.usage and asdict(made.usage),
    }
