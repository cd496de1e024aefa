"""Nuggets: the facts in each answer, vital or okay, each with the part of the answer that says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragaliq.build.candidates import candidate_value, carried_value
from ragaliq.build.context import BuildContext, WorkItem, work_on_items
from ragaliq.build.documents.language import in_another_language
from ragaliq.build.documents.quotes import find_quote
from ragaliq.build.model.ask import Unreadable, ask
from ragaliq.build.model.prompts import TEXT, builder_prompt, fenced_messages, json_list, json_object, one_of
from ragaliq.build.near_texts import folded_text
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import dedupe
from ragaliq.llm import Request
from ragaliq.types import Importance, Nugget, Query

NAME = "nuggets"
PROMPTS = ("nuggets",)
_MOST = 12
_NUGGET = json_object({"text": TEXT, "quote": TEXT, "importance": one_of([str(value) for value in Importance])})
_SCHEMA = json_object({"nuggets": json_list(_NUGGET)})
_PARAMETERS = {"temperature": 0.0, "max_tokens": 1024}


def nuggets(context: BuildContext) -> None:
    """Write a row for each query: its nuggets `QUERY_n1`, `QUERY_n2`, …, the vital ones first."""
    rows = context.workspace.kept(dedupe.NAME)
    items = [
        WorkItem(row.item_id, row.lang, [row.value["text"], row.value["reference"]], row, carried_value(row))
        for row in rows
    ]
    model, prompt = context.model(), builder_prompt("nuggets")

    async def work(item: WorkItem) -> StageRow:
        question, answer = item.inputs
        messages = fenced_messages("nuggets", item.lang, {"QUESTION": question, "ANSWER": answer})
        request = Request(messages, _PARAMETERS, _SCHEMA, Query(item.item_id, item.lang, ""), prompt.hash)
        asked = await ask(model, request, lambda value: _read(value, item.item_id, answer, item.lang))
        value = {**candidate_value(item.data), "nuggets": asked.value or []}
        return StageRow(item.item_id, item.lang, value, asked.reason, asked.detail, traces=asked.traces)

    work_on_items(context, NAME, items, work, {"prompt": prompt.hash, "model": model.name, "parameters": _PARAMETERS})


def nuggets_of(row: StageRow) -> list[Nugget]:
    """Return the nuggets in a row of this stage; no document is known yet to support them."""
    return [
        Nugget(one["nugget_id"], row.item_id, row.lang, one["text"], Importance(one["importance"]), ())
        for one in row.value["nuggets"]
    ]


def _read(value: Mapping[str, Any], query_id: str, answer: str, lang: str) -> list[dict[str, Any]]:
    """Return the nuggets of a reply, each with the span of the answer that says it; of equal texts the first stays.

    Raises:
        Unreadable: if the list is empty or too long, an entry is incomplete, a quote is not in the answer, a text is in
            another language, or no nugget is vital.
    """
    entries = value.get("nuggets")
    if not isinstance(entries, list) or not 1 <= len(entries) <= _MOST:
        raise Unreadable(f"'nuggets' must be a list of 1 to {_MOST}")
    listed: dict[str, dict[str, Any]] = {}
    for entry in entries:
        text, quote, importance = _texts(entry)
        span = find_quote(quote, answer)
        if span is None:
            raise Unreadable(f"the quote '{quote[:80]}' is not in the answer")
        if in_another_language(text, lang):
            raise Unreadable(f"nuggets must be in the language '{lang}', which '{text[:80]}' is not", "other language")
        one = {"text": text, "importance": importance, "start": span[0], "end": span[1]}
        first = listed.setdefault(folded_text(text), one)
        if importance == Importance.VITAL:
            first["importance"] = importance
    ordered = sorted(listed.values(), key=lambda one: one["importance"] != Importance.VITAL)
    if ordered[0]["importance"] != Importance.VITAL:
        raise Unreadable("at least one nugget must be vital")
    return [{"nugget_id": f"{query_id}_n{number}", **one} for number, one in enumerate(ordered, start=1)]


def _texts(entry: Any) -> tuple[str, str, str]:
    """Return text, quote and importance of a nugget."""
    values = [entry.get(key) for key in ("text", "quote", "importance")] if isinstance(entry, dict) else []
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < 3 or not texts[0].strip():
        raise Unreadable("a nugget needs 'text', 'quote' and 'importance'")
    if texts[2] not in set(Importance):
        raise Unreadable(f"'importance' must be vital or okay, not '{texts[2]}'")
    # Line ends and indents within stay: they may be those of program text.
    return texts[0].strip(), texts[1], texts[2]
