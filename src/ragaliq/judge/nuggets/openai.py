"""Nuggets matched by a language model, one request for each answer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from ragaliq.judge import fence
from ragaliq.judge.fence import fenced_list, neutralise
from ragaliq.judge.nuggets.matches import NuggetMatch, NuggetMatches
from ragaliq.judge.outcome import failure_outcome, reply_outcome
from ragaliq.judge.parse import object_schema, read_object
from ragaliq.judge.rubric import PROMPTS
from ragaliq.llm import DEFAULT_OPTIONS, CallFailed, CallOptions, LLMClient, LLMSession, Reply, Request
from ragaliq.llm.prompts import fence_word, load_prompt
from ragaliq.types import Answer, AssignmentLabel, Item, Nugget, VerdictOutcome

_BASE_TOKENS, _TOKENS_PER_NUGGET = 128, 32


class OpenAIMatcher:
    """Asks a model for the labels of all nuggets of a query at once; a reply that lacks one is unparseable."""

    def __init__(
        self, model: str = "", options: CallOptions = DEFAULT_OPTIONS, seed: int = 0, session: LLMSession | None = None
    ) -> None:
        self.client = LLMClient("check", model, session, options)
        self._prompt = load_prompt(PROMPTS / "nuggets.yaml")
        self._seed = seed
        self.name = self.client.name
        self.prompt_hash = hashlib.sha256(f"{self._prompt.hash}{fence.VERSION}".encode()).hexdigest()[:12]

    async def match(self, item: Item, answer: Answer, nuggets: Sequence[Nugget]) -> NuggetMatches:
        """Return the model's label for each nugget, or the typed reason that there is none."""

        def read(reply: Reply) -> tuple[AssignmentLabel, ...]:
            return () if reply_outcome(reply) else labels_in(reply.text, len(nuggets))

        labels: tuple[AssignmentLabel, ...] = ()
        try:
            reply = await self.client.complete(self.request(item, answer, nuggets), lambda one: bool(read(one)))
            labels = read(reply)
            outcome = VerdictOutcome.SCORED if labels else reply_outcome(reply) or VerdictOutcome.UNPARSEABLE
        except CallFailed as error:
            reply, outcome = Reply(str(error), attempts=error.attempts), failure_outcome(error)
        matches = (
            NuggetMatch(one.nugget_id, one.importance, label)
            for one, label in zip(nuggets, labels, strict=bool(labels))
        )
        return NuggetMatches(
            item.query.query_id,
            item.query.lang,
            tuple(matches),
            outcome,
            self.name,
            self.prompt_hash,
            reply.attempts,
            reply.usage,
            error="" if labels else reply.text,
        )

    def request(self, item: Item, answer: Answer, nuggets: Sequence[Nugget]) -> Request:
        """Return what the model is asked."""
        texts = [nugget.text for nugget in nuggets]
        word = fence_word(self._seed, item.query.text, answer.text, *texts)
        messages = self._prompt.messages(
            fence=word,
            question=neutralise(item.query.text),
            answer=neutralise(answer.text),
            facts=fenced_list(word, "FACT", texts),
        )
        most = _BASE_TOKENS + _TOKENS_PER_NUGGET * len(texts)
        return Request(messages, {"temperature": 0.0, "max_tokens": most}, _schema(), item.query, self.prompt_hash)


def labels_in(reply: str, n: int) -> tuple[AssignmentLabel, ...]:
    """Return the labels of the facts 1 to n, in this order; none if one is missing, repeated or unknown.

    A reply is the JSON object `{"facts": [{"fact": 1, "label": "support"}, …]}`, bare or in a code fence.
    """
    value = read_object(reply)
    rows = value.get("facts") if isinstance(value, dict) else None
    if not isinstance(rows, list) or len(rows) != n:
        return ()
    labels = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or type(row.get("fact")) is not int or row["fact"] != number:
            return ()
        if row.get("label") not in list(AssignmentLabel):
            return ()
        labels.append(AssignmentLabel(row["label"]))
    return tuple(labels)


def _schema() -> dict[str, Any]:
    fact = {"fact": {"type": "integer"}, "label": {"type": "string", "enum": [str(label) for label in AssignmentLabel]}}
    return object_schema({"facts": {"type": "array", "items": object_schema(fact)}})
