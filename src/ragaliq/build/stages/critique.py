"""Critique: candidates voted on by five criteria, rewritten where that may help, removed where it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median_low
from typing import Any

from ragaliq.build.candidates import LEAK, LOG, PEOPLE, candidate_of, candidate_value, carried_value, leak_of
from ragaliq.build.context import BuildContext, WorkItem, work_on_items
from ragaliq.build.documents.language import in_another_language
from ragaliq.build.model.ask import Asked, Unreadable, ask
from ragaliq.build.model.prompts import NUMBER, TEXT, builder_prompt, fenced_messages, json_object
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import generate
from ragaliq.build.stages.chunk import chunks_of
from ragaliq.llm import Request
from ragaliq.types import Query

NAME = "critique"
PROMPTS = ("critique", "rewrite")
CRITERIA = ("usefulness", "standalone", "groundedness", "single_answer", "no_leakage")
_LEAST, _MOST = 1, 5
_SCHEMA = json_object({name: json_object({"reason": TEXT, "score": NUMBER}) for name in CRITERIA})
_MAX_TOKENS = 1024


def critique(context: BuildContext) -> None:
    """Write a row for each candidate: its votes, and its text as it was rewritten.

    A candidate is kept if the median of its votes (of an even number, the lower middle one) reaches the threshold on
    every criterion. One that does not is rewritten with the criticism and voted on anew, as often as the settings say;
    the last text goes on, unless it contains its answer. A question of a log is voted on and not rewritten: another
    text would be nobody's question. A question that people answered is taken as it is.
    """
    passages = {chunk.doc_id: chunk.text for chunks in chunks_of(context).values() for chunk in chunks}
    rows = context.workspace.kept(generate.NAME)
    items = [WorkItem(row.item_id, row.lang, _inputs(row, passages), row, carried_value(row)) for row in rows]
    work = _Critic(context)
    settings = context.settings.critique
    identity = {
        "prompts": [builder_prompt(name).hash for name in PROMPTS],
        "model": work.model.name,
        "settings": [settings.votes, settings.threshold, settings.rewrites, settings.temperature],
    }
    work_on_items(context, NAME, items, work.row, identity)


def _inputs(row: StageRow, passages: Mapping[str, str]) -> dict[str, Any]:
    shown = [passages[doc_id] for group in row.value["gold"] for doc_id in group]
    return {"text": row.value["text"], "reference": row.value["reference"], "origin": row.value["origin"],
            "passages": shown}  # fmt: skip


class _Critic:
    """Votes on candidates and has them rewritten."""

    def __init__(self, context: BuildContext) -> None:
        self.model = context.model()
        self._settings = context.settings.critique

    async def row(self, item: WorkItem) -> StageRow:
        """Return the row of a candidate."""
        row: StageRow = item.data
        if row.value["origin"] == PEOPLE:
            return StageRow(row.item_id, row.lang, candidate_value(row, rounds=[]))
        text, rounds, traces = row.value["text"], list[dict[str, Any]](), list[str]()
        rewrites = 0 if row.value["origin"] == LOG else self._settings.rewrites
        while True:
            votes = [await self._vote(item, text, number) for number in range(self._settings.votes)]
            traces += [trace for vote in votes for trace in vote.traces]
            failed = next((vote for vote in votes if vote.value is None), None)
            if failed is not None:
                value = candidate_value(row, text=text, rounds=rounds)
                return StageRow(row.item_id, row.lang, value, failed.reason, failed.detail, traces=tuple(traces))
            scores = [_scores(vote.value or {}) for vote in votes]
            medians = {name: median_low(score[name] for score in scores) for name in CRITERIA}
            rounds.append({"text": text, "votes": scores, "median": medians})
            low = [name for name in CRITERIA if medians[name] < self._settings.threshold]
            value = candidate_value(row, text=text, rounds=rounds)
            if not low or len(rounds) > rewrites:
                return _decided(StageRow(row.item_id, row.lang, value, traces=tuple(traces)), low)
            rewritten = await self._rewrite(item, text, _criticism(votes, low))
            traces += rewritten.traces
            if rewritten.value is None:
                return StageRow(row.item_id, row.lang, value, rewritten.reason, rewritten.detail, traces=tuple(traces))
            text = rewritten.value

    async def _vote(self, item: WorkItem, text: str, number: int) -> Asked[Mapping[str, Any]]:
        shown = {"QUESTION": text, "ANSWER": item.inputs["reference"], "PASSAGE": item.inputs["passages"]}
        # The number makes each vote a request of its own, for the endpoint and for the cache.
        parameters = {"temperature": self._settings.temperature, "max_tokens": _MAX_TOKENS, "seed": number}
        return await ask(self.model, self._request("critique", item, shown, parameters, _SCHEMA), _read)

    async def _rewrite(self, item: WorkItem, text: str, criticism: str) -> Asked[str]:
        shown = {"QUESTION": text, "ANSWER": item.inputs["reference"], "PASSAGE": item.inputs["passages"],
                 "CRITICISM": criticism}  # fmt: skip
        parameters = {"temperature": self._settings.temperature, "max_tokens": _MAX_TOKENS}
        request = self._request("rewrite", item, shown, parameters, json_object({"question": TEXT}))
        return await ask(self.model, request, lambda value: _question(value, item.lang))

    def _request(
        self,
        task: str,
        item: WorkItem,
        shown: Mapping[str, str | Sequence[str]],
        parameters: dict[str, Any],
        schema: dict[str, Any],
    ) -> Request:
        messages = fenced_messages(task, item.lang, shown)
        return Request(messages, parameters, schema, Query(item.item_id, item.lang, ""), builder_prompt(task).hash)


def _decided(row: StageRow, low: Sequence[str]) -> StageRow:
    """Return the row of a candidate that has been voted on for the last time."""
    medians = row.value["rounds"][-1]["median"]
    if low:
        return replace(row, reason=f"critique: {low[0]}", detail=", ".join(f"{name} {medians[name]}" for name in low))
    # A rewrite may give the answer away where the first text did not.
    leak = leak_of(candidate_of(row))
    return replace(row, reason=LEAK, detail=leak) if leak else row


def _read(value: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in CRITERIA:
        entry = value.get(name)
        score = entry.get("score") if isinstance(entry, dict) else None
        if type(score) is not int or not _LEAST <= score <= _MOST:
            raise Unreadable(f"'{name}' needs a 'score', a whole number from {_LEAST} to {_MOST}")
    return value


def _scores(value: Mapping[str, Any]) -> dict[str, int]:
    return {name: value[name]["score"] for name in CRITERIA}


def _criticism(votes: Sequence[Asked[Mapping[str, Any]]], low: Sequence[str]) -> str:
    lines = [f"{name}: {(vote.value or {})[name].get('reason') or ''}" for name in low for vote in votes]
    return "\n".join(dict.fromkeys(lines))


def _question(value: Mapping[str, Any], lang: str) -> str:
    question = value.get("question")
    if not isinstance(question, str) or not question.strip():
        raise Unreadable("'question' must be a text")
    if in_another_language(question, lang):
        raise Unreadable(f"the question must be in the language '{lang}'", "other language")
    return question.strip()
