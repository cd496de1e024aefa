"""Closed-book: models' answers without documents, and sub-questions; both are made from the question alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragaliq.build.context import BuildContext, WorkItem, work_on_items
from ragaliq.build.documents.language import in_another_language
from ragaliq.build.model import Model
from ragaliq.build.model.ask import Asked, Unreadable, ask
from ragaliq.build.model.prompts import NUMBER, TEXT, builder_prompt, fenced_messages, json_list, json_object, one_of
from ragaliq.build.stage_row import FAILED, StageRow
from ragaliq.build.stages import nuggets
from ragaliq.llm import Request
from ragaliq.types import AssignmentLabel, Importance, Nugget, Query

NAME = "closed-book"
PROMPTS = ("subquestions", "closed_book", "assign")
_MAX_TOKENS = 512
_LABELS = [str(label) for label in AssignmentLabel]
_SUBQUESTIONS = json_object({"questions": json_list(TEXT)})
_CLOSED_BOOK = json_object({"answer": TEXT, "sure": {"type": "boolean"}})
_ASSIGN = json_object({"nuggets": json_list(json_object({"nugget": NUMBER, "reason": TEXT, "label": one_of(_LABELS)}))})


def closed_book(context: BuildContext) -> None:
    """Write a row for each query: sub-questions, closed-book answers, and the share of these that solve it.

    An answer solves a query if it contains all its vital nuggets, as the backend's model assigns them. A query is known
    if more than half of the models solve it, each in more than half of its answers. That is a tag: removing what some
    models know would count against exactly these models (Phang et al., arXiv 2111.08181). Where the settings ask for
    it, `filter` removes known queries, after they have been judged, so that both sets can be scored.
    """
    settings = context.settings.closed_book
    rows = context.workspace.kept(nuggets.NAME)
    items = [WorkItem(row.item_id, row.lang, [row.value["text"], row.value["nuggets"]], row) for row in rows]
    asker = _Asker(context)
    identity = {
        "prompts": [builder_prompt(name).hash for name in PROMPTS],
        "models": [asker.judge.name, *(model.name for model in asker.models)],
        "settings": [settings.samples, settings.temperature],
    }
    work_on_items(context, NAME, items, asker.row, identity)


class _Asker:
    """Asks the models of a build what they know."""

    def __init__(self, context: BuildContext) -> None:
        self._settings = context.settings.closed_book
        self.judge = context.model()
        self.models = [context.model(name) for name in self._settings.models] or [self.judge]

    async def row(self, item: WorkItem) -> StageRow:
        """Return the row of a query; no model that answers sees its nuggets."""
        row: StageRow = item.data
        query, listed = Query(row.item_id, row.lang, row.value["text"]), nuggets.nuggets_of(row)
        parts = await _subquestions(self.judge, query)
        asked: list[Asked[Any]] = [parts]
        answers = []
        for model in self.models:
            for number in range(self._settings.samples):
                said = await _answer(model, query, self._settings.temperature, number)
                asked.append(said)
                if said.value is None:
                    continue
                labels = await assign(self.judge, query, said.value["answer"], listed)
                asked.append(labels)
                if labels.value is not None:
                    solved = _holds_vital(listed, labels.value)
                    answers.append({"model": model.name, "sample": number, **said.value, "labels": labels.value,
                                    "solved": solved})  # fmt: skip
        share = sum(one["solved"] for one in answers) / len(answers) if answers else None
        value = {"subquestions": parts.value or [], "answers": answers, "solved": share, "known": _known(answers)}
        failed = next((one for one in asked if one.value is None), None)
        reason, detail = ("", "") if failed is None else (FAILED, failed.detail)
        traces = tuple(trace for one in asked for trace in one.traces)
        return StageRow(item.item_id, item.lang, value, reason, detail, traces=traces)


def _known(answers: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether most models solve a query in most of their answers."""
    by_model: dict[str, list[bool]] = {}
    for one in answers:
        by_model.setdefault(one["model"], []).append(one["solved"])
    solving = sum(2 * sum(solved) > len(solved) for solved in by_model.values())
    return 2 * solving > len(by_model)


def _holds_vital(listed: Sequence[Nugget], labels: Sequence[str]) -> bool:
    vital = [label for label, one in zip(labels, listed, strict=True) if one.importance is Importance.VITAL]
    return all(label == AssignmentLabel.SUPPORT for label in vital)


async def _subquestions(model: Model, query: Query) -> Asked[list[str]]:
    messages = fenced_messages("subquestions", query.lang, {"QUESTION": query.text})
    parameters = {"temperature": 0.0, "max_tokens": _MAX_TOKENS}
    request = Request(messages, parameters, _SUBQUESTIONS, query, builder_prompt("subquestions").hash)

    def read(value: Mapping[str, Any]) -> list[str]:
        questions = value.get("questions")
        if (
            not isinstance(questions, list)
            or not questions
            or not all(isinstance(q, str) and q.strip() for q in questions)
        ):
            raise Unreadable("'questions' must be a list of at least one text")
        if in_another_language(" ".join(questions), query.lang):
            raise Unreadable(f"the questions must be in the language '{query.lang}'")
        return [question.strip() for question in questions]

    return await ask(model, request, read)


async def _answer(model: Model, query: Query, temperature: float, number: int) -> Asked[Mapping[str, Any]]:
    messages = fenced_messages("closed_book", query.lang, {"QUESTION": query.text})
    parameters = {"temperature": temperature, "max_tokens": _MAX_TOKENS, "seed": number}
    request = Request(messages, parameters, _CLOSED_BOOK, query, builder_prompt("closed_book").hash)

    def read(value: Mapping[str, Any]) -> Mapping[str, Any]:
        if (
            not isinstance(value.get("answer"), str)
            or not value["answer"].strip()
            or type(value.get("sure")) is not bool
        ):
            raise Unreadable("'answer' must be a text and 'sure' true or false")
        if in_another_language(value["answer"], query.lang):
            raise Unreadable(f"the answer must be in the language '{query.lang}'")
        return {"answer": value["answer"].strip(), "sure": value["sure"]}

    return await ask(model, request, read)


async def assign(model: Model, query: Query, answer: str, listed: Sequence[Nugget]) -> Asked[list[str]]:
    """Return, for each nugget, how far an answer contains it."""
    shown: Mapping[str, str | Sequence[str]] = {
        "QUESTION": query.text,
        "ANSWER": answer,
        "NUGGET": [one.text for one in listed],
    }
    parameters = {"temperature": 0.0, "max_tokens": _MAX_TOKENS + 64 * len(listed)}
    request = Request(
        fenced_messages("assign", query.lang, shown), parameters, _ASSIGN, query, builder_prompt("assign").hash
    )

    def read(value: Mapping[str, Any]) -> list[str]:
        entries = value.get("nuggets")
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise Unreadable("'nuggets' must be a list of objects")
        numbers = [entry.get("nugget") for entry in entries]
        # true and 1.0 equal 1, but are not numbers of nuggets.
        if numbers != list(range(1, len(listed) + 1)) or any(type(number) is not int for number in numbers):
            raise Unreadable(f"every nugget from 1 to {len(listed)} needs one entry, in order")
        bad = [entry.get("label") for entry in entries if entry.get("label") not in _LABELS]
        if bad:
            raise Unreadable(f"'label' must be one of {', '.join(_LABELS)}, not {bad[0]!r}")
        return [str(entry["label"]) for entry in entries]

    return await ask(model, request, read)
