"""The context judged against the reference by a language model, one request for each answer.

Only a model does this: words in common show neither usefulness nor attribution, so there is no offline form.
"""

from __future__ import annotations

import hashlib
from typing import Any

from ragaliq.judge import fence
from ragaliq.judge.checks.context import ContextMarks, PassageMark, StatementMark
from ragaliq.judge.fence import fenced_list, neutralise
from ragaliq.judge.outcome import failure_outcome, reply_outcome
from ragaliq.judge.parse import object_schema, read_object
from ragaliq.judge.rubric import PROMPTS
from ragaliq.llm import DEFAULT_OPTIONS, CallFailed, CallOptions, LLMClient, LLMSession, Reply, Request
from ragaliq.llm.prompts import fence_word, load_prompt
from ragaliq.text.sentences import sentences
from ragaliq.types import Answer, Item, VerdictOutcome

_BASE_TOKENS, _TOKENS_PER_MARK = 128, 24
_YES_NO = {"yes": True, "no": False}
# The mark of each passage, and of each sentence of the reference.
Marks = tuple[tuple[bool, ...], tuple[bool, ...]]


class OpenAIContextJudge:
    """Asks a model for the marks of all chunks shown and of all sentences of the reference at once.

    A reply without one of them counts as unparseable. Nothing is asked where no chunk was shown: then none of the
    reference is supported; nor for a query without a reference, which has no marks.
    """

    def __init__(
        self, model: str = "", options: CallOptions = DEFAULT_OPTIONS, seed: int = 0, session: LLMSession | None = None
    ) -> None:
        self.client = LLMClient("check", model, session, options)
        self._prompt = load_prompt(PROMPTS / "context.yaml")
        self._seed = seed
        self.name = self.client.name
        self.prompt_hash = hashlib.sha256(f"{self._prompt.hash}{fence.VERSION}".encode()).hexdigest()[:12]

    def asks(self, item: Item, answer: Answer) -> bool:
        """Return whether the model is needed."""
        return bool(answer.context and _statements(item))

    async def judge(self, item: Item, answer: Answer) -> ContextMarks:
        """Return the model's marks, or the typed reason that there are none."""
        statements, n_passages = _statements(item), len(answer.context)

        def read(reply: Reply) -> Marks | None:
            return None if reply_outcome(reply) else marks_in(reply.text, n_passages, len(statements))

        marks: Marks | None = ((), (False,) * len(statements))
        reply, outcome = Reply("", attempts=0), VerdictOutcome.SCORED
        if self.asks(item, answer):
            try:
                reply = await self.client.complete(self.request(item, answer), lambda one: read(one) is not None)
                marks = read(reply)
                outcome = reply_outcome(reply) or (outcome if marks else VerdictOutcome.UNPARSEABLE)
            except CallFailed as error:
                marks, outcome, reply = None, failure_outcome(error), Reply(str(error), attempts=error.attempts)
        useful, attributable = marks or ((), ())
        return ContextMarks(
            item.query.query_id,
            item.query.lang,
            tuple(
                PassageMark(hit.chunk.doc_id, mark) for hit, mark in zip(answer.context, useful, strict=bool(useful))
            ),
            tuple(StatementMark(*pair) for pair in zip(statements, attributable, strict=bool(attributable))),
            outcome,
            self.name,
            self.prompt_hash,
            reply.attempts,
            reply.usage,
            error="" if marks else reply.text,
        )

    def request(self, item: Item, answer: Answer) -> Request:
        """Return what the model is asked."""
        statements, passages = _statements(item), [hit.chunk.text for hit in answer.context]
        word = fence_word(self._seed, item.query.text, *statements, *passages)
        messages = self._prompt.messages(
            fence=word,
            question=neutralise(item.query.text),
            passages=fenced_list(word, "PASSAGE", passages),
            sentences=fenced_list(word, "SENTENCE", statements),
        )
        most = _BASE_TOKENS + _TOKENS_PER_MARK * (len(statements) + len(passages))
        return Request(messages, {"temperature": 0.0, "max_tokens": most}, _schema(), item.query, self.prompt_hash)


def marks_in(reply: str, n_passages: int, n_sentences: int) -> Marks | None:
    """Return the marks of passages and sentences, each counted from 1; None if one is missing, repeated or unreadable.

    A reply is the JSON object `{"passages": [{"passage": 1, "useful": "yes"}, …], "sentences": [{"sentence": 1,
    "attributable": "no"}, …]}`, bare or in a code fence.
    """
    value = read_object(reply)
    if not isinstance(value, dict):
        return None
    useful = _column(value.get("passages"), n_passages, "passage", "useful")
    attributable = _column(value.get("sentences"), n_sentences, "sentence", "attributable")
    return None if useful is None or attributable is None else (useful, attributable)


def _column(rows: Any, n: int, place: str, key: str) -> tuple[bool, ...] | None:
    if not isinstance(rows, list) or len(rows) != n or not all(isinstance(row, dict) for row in rows):
        return None
    # Of numbers equal to a place only whole ones count; lists keep what is not hashable from being looked up.
    in_order = all(type(row.get(place)) is int and row[place] == number for number, row in enumerate(rows, start=1))
    said = [row.get(key) for row in rows]
    return tuple(_YES_NO[one] for one in said) if in_order and all(one in list(_YES_NO) for one in said) else None


def _statements(item: Item) -> list[str]:
    return sentences(item.reference) if item.answerable else []


def _schema() -> dict[str, Any]:
    mark = {"type": "string", "enum": list(_YES_NO)}
    passage = object_schema({"passage": {"type": "integer"}, "useful": mark})
    sentence = object_schema({"sentence": {"type": "integer"}, "attributable": mark})
    return object_schema(
        {"passages": {"type": "array", "items": passage}, "sentences": {"type": "array", "items": sentence}}
    )
