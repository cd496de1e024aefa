"""What a system retrieves and answers, and what its calls of models took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ragaliq.types.queries import Query


class AnswerOutcome(StrEnum):
    """What became of a query at the reader."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Chunk:
    """An indexed unit of text: `source[start:end] == text`, offsets in Unicode code points."""

    doc_id: str
    lang: str
    text: str
    source_id: str
    start: int
    end: int
    title: str = ""

    @property
    def titled(self) -> str:
        """The text below its title, if it has one."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk. `rank` counts from 1; a greater `score` is better."""

    chunk: Chunk
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as its endpoint reported them."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """A token that a model could have written at a place, with its probability in 0..1."""

    token: str
    prob: float


# For each token that a model wrote, its most probable candidates there, best first.
TokenChoices = tuple[tuple[TokenChoice, ...], ...]


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of an answer, with the ids of the documents that it cites."""

    text: str
    citations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A reader's answer to a query; `error` says what went wrong, `sentences` are those of an answer that cites.

    `reasoning` is what a model thought before it; no part of the answer.
    """

    text: str
    outcome: AnswerOutcome
    usage: Usage | None = None
    error: str = ""
    logprobs: TokenChoices = ()
    sentences: tuple[CitedSentence, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A system's answer with the context that its reader saw; `error` says what went wrong.

    `reasoning` is what the reader's model thought before it. Without `context_known` nobody knows what the reader saw;
    the context is empty then.
    """

    query: Query
    text: str
    outcome: AnswerOutcome
    context: tuple[Hit, ...]
    usage: Usage | None = None
    error: str = ""
    logprobs: TokenChoices = ()
    sentences: tuple[CitedSentence, ...] = ()
    reasoning: str = ""
    context_known: bool = True

    @property
    def key(self) -> tuple[str, str]:
        """Language and query id, the order of every output."""
        return (self.query.lang, self.query.query_id)

    @property
    def failed(self) -> bool:
        """Whether the reader failed: it neither answered nor abstained, and there is nothing to grade."""
        cut_before = self.outcome is AnswerOutcome.TRUNCATED and not self.text.strip()
        return cut_before or self.outcome in (AnswerOutcome.ERROR, AnswerOutcome.FILTERED, AnswerOutcome.EMPTY)


@dataclass(frozen=True, slots=True)
class Trace:
    """One call of a model that writes, here or at an endpoint, or of an endpoint's embedder.

    Vectors and scores that a model on this machine computes have none; the run's configuration says how to repeat them.

    Attributes:
        component: who asked: `reader`, `reranker`, `embedder`, `judge` or `check`.
        model: its name at the endpoint, its id on this machine, or the address of an `http` reader.
        lang: of the query that the call is about; empty where it is about none, as an embedder's.
        query_id: of the same query.
        turn: number of the request in its conversation, from 1.
        parameters: the request without its messages.
        prompt_hash: of the prompt files that the messages were made from.
        request_hash: SHA-256 of the request with its messages; no address is part of it.
        raw_reply: the text as it came, without the thought; empty if the call failed, and for vectors.
        reasoning: what the model thought before the reply.
        finish_reason: why the reply ends, in the endpoint's word.
        usage: as reported.
        attempts: requests that the reply, or the failure, took.
        error: why there is no reply.
        condition: the other context that the reader was shown; empty for the calls of the run itself.
    """

    component: str
    model: str
    lang: str = ""
    query_id: str = ""
    turn: int = 1
    parameters: Mapping[str, Any] = field(default_factory=dict)
    prompt_hash: str = ""
    request_hash: str = ""
    raw_reply: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    usage: Usage | None = None
    attempts: int = 1
    error: str = ""
    condition: str = ""
