"""The separate questions asked of a language model, one request for each answer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.judge import fence
from ragaliq.judge.checks.support import Check, SentenceCheck, Support
from ragaliq.judge.fence import fenced_list, neutralise
from ragaliq.judge.outcome import failure_outcome, reply_outcome
from ragaliq.judge.parse import object_schema, read_object
from ragaliq.judge.rubric import PROMPTS
from ragaliq.llm import DEFAULT_OPTIONS, CallFailed, CallOptions, LLMClient, LLMSession, Reply, Request
from ragaliq.llm.prompts import fence_word, load_prompt
from ragaliq.text.sentences import sentences
from ragaliq.types import Answer, Item, VerdictOutcome

_BASE_TOKENS, _TOKENS_PER_SENTENCE = 256, 48
_NONE = "none"
_YES_NO = {"yes": True, "no": False}
_MARKS: dict[str, bool | None] = {**_YES_NO, "unclear": None}


@dataclass(frozen=True, slots=True)
class Findings:
    """What a reply says; without answers to the questions, `outcome` says why."""

    abstains: bool | None = None
    in_language: bool | None = None
    sentences: tuple[SentenceCheck, ...] = ()
    outcome: VerdictOutcome = VerdictOutcome.SCORED


class OpenAIChecker:
    """Asks a model the three questions at once; a reply that leaves one of them open gives no findings at all."""

    def __init__(
        self,
        model: str = "",
        prompt: str = "",
        options: CallOptions = DEFAULT_OPTIONS,
        seed: int = 0,
        session: LLMSession | None = None,
    ) -> None:
        self.client = LLMClient("check", model, session, options)
        self._prompt = load_prompt(Path(prompt) if prompt else PROMPTS / "check.yaml")
        self._seed = seed
        self.name = self.client.name
        self.prompt_hash = hashlib.sha256(f"{self._prompt.hash}{fence.VERSION}".encode()).hexdigest()[:12]

    async def check(self, item: Item, answer: Answer) -> Check:
        """Return what the model found, or the typed reason that it found nothing."""
        parts, doc_ids = sentences(answer.text), [hit.chunk.doc_id for hit in answer.context]
        try:
            reply = await self.client.complete(
                self.request(item, answer), lambda r: _read(r, parts, doc_ids).outcome is VerdictOutcome.SCORED
            )
            findings = _read(reply, parts, doc_ids)
        except CallFailed as error:
            reply, findings = Reply(str(error), attempts=error.attempts), Findings(outcome=failure_outcome(error))
        return Check(
            item.query.query_id,
            item.query.lang,
            findings.abstains,
            findings.in_language,
            findings.sentences,
            findings.outcome,
            self.name,
            self.prompt_hash,
            reply.attempts,
            reply.usage,
            error="" if findings.outcome is VerdictOutcome.SCORED else reply.text,
        )

    def request(self, item: Item, answer: Answer) -> Request:
        """Return what the model is asked."""
        parts, passages = sentences(answer.text), [hit.chunk.text for hit in answer.context]
        word = fence_word(self._seed, item.query.text, answer.text, *passages)
        messages = self._prompt.messages(
            fence=word,
            lang=item.query.lang,
            question=neutralise(item.query.text),
            passages=fenced_list(word, "PASSAGE", passages) or f"{word} NO PASSAGES",
            sentences=fenced_list(word, "SENTENCE", parts),
        )
        most = _BASE_TOKENS + _TOKENS_PER_SENTENCE * len(parts)
        return Request(messages, {"temperature": 0.0, "max_tokens": most}, _schema(), item.query, self.prompt_hash)


def read_findings(reply: str, parts: Sequence[str], doc_ids: Sequence[str]) -> Findings | None:
    """Return the answers of a reply to the three questions, None if one is missing or not among those on offer.

    A reply is a JSON object, bare or in a code fence. It has an entry for each of the sentences `parts`, numbered from
    1; `passage` counts `doc_ids` from 1 and is needed where a sentence is supported, partly so, or contradicted.
    """
    value = read_object(reply)
    if not isinstance(value, dict):
        return None
    abstains, language, rows = value.get("abstains"), value.get("in_language"), value.get("sentences")
    # Lists keep what is not hashable from being looked up.
    if abstains not in list(_YES_NO) or language not in list(_MARKS):
        return None
    if not isinstance(rows, list) or len(rows) != len(parts):
        return None
    read = [_sentence(row, n, text, doc_ids) for n, (row, text) in enumerate(zip(rows, parts, strict=True), start=1)]
    whole = tuple(sentence for sentence in read if sentence is not None)
    return Findings(_YES_NO[abstains], _MARKS[language], whole) if len(whole) == len(parts) else None


def _sentence(row: Any, number: int, text: str, doc_ids: Sequence[str]) -> SentenceCheck | None:
    if not isinstance(row, dict) or type(row.get("sentence")) is not int or row["sentence"] != number:
        return None
    support, passage = row.get("support"), row.get("passage")
    if support in (_NONE, Support.NOT):
        return SentenceCheck(text, None if support == _NONE else Support.NOT)
    if support not in list(Support) or type(passage) is not int:
        return None
    # The same passage may have been shown twice; its number is what counts.
    return SentenceCheck(text, Support(support), doc_ids[passage - 1]) if 1 <= passage <= len(doc_ids) else None


def _read(reply: Reply, parts: Sequence[str], doc_ids: Sequence[str]) -> Findings:
    outcome = reply_outcome(reply)
    findings = None if outcome else read_findings(reply.text, parts, doc_ids)
    return findings or Findings(outcome=outcome or VerdictOutcome.UNPARSEABLE)


def _schema() -> dict[str, Any]:
    support = {"type": "string", "enum": [*(str(value) for value in Support), _NONE]}
    sentence = {"sentence": {"type": "integer"}, "support": support, "passage": {"type": "integer"}}
    return object_schema(
        {
            "sentences": {"type": "array", "items": object_schema(sentence)},
            "abstains": {"type": "string", "enum": list(_YES_NO)},
            "in_language": {"type": "string", "enum": list(_MARKS)},
        }
    )
