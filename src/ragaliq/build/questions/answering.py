"""Questions of a query log, answered from the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragaliq.build.candidates import LEAK, LOG, candidate_of, leak_of
from ragaliq.build.context import BuildContext, WorkItem
from ragaliq.build.documents.language import in_another_language
from ragaliq.build.model import Model
from ragaliq.build.model.ask import Unreadable, ask
from ragaliq.build.model.evidence import EVIDENCE, passage_inputs, read_evidence
from ragaliq.build.model.prompts import TEXT, builder_prompt, fenced_messages, json_object
from ragaliq.build.questions.drawing import drawn_questions
from ragaliq.build.settings import PoolSettings
from ragaliq.build.stage_row import StageRow
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.llm import Request
from ragaliq.types import Chunk, Query

PASSAGES, NEAR = 8, 3
_RETRIEVER = Component("hybrid")
_SCHEMA = json_object({"evidence": EVIDENCE, "answer": TEXT})
_PARAMETERS = {"temperature": 0.0, "max_tokens": 1024}


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question of a log, and the passages that it is to be answered from."""

    row: StageRow
    passages: tuple[Chunk, ...]


def question_items(context: BuildContext, chunks: Mapping[str, Sequence[Chunk]]) -> list[WorkItem]:
    """Return the work on what people asked: finished rows, and `Unanswered` ones for `answered`.

    Passages are the eight best of the default retriever. A question that people answered has the three best for
    question and answer as `near`: such chunks must not be withheld for other queries.
    """
    if not context.settings.questions:
        return []
    rows = drawn_questions(context, sorted(chunks))
    items = [WorkItem(row.item_id, row.lang, [row.value, row.reason], row) for row in rows if not row.kept]
    prompt = builder_prompt("answer").hash
    for lang in sorted({row.lang for row in rows if row.kept}):
        fitting = [row for row in rows if row.kept and row.lang == lang]
        for row, hits in zip(fitting, _retrieved(context, chunks[lang], fitting), strict=True):
            if row.value["origin"] != LOG:
                value = {**row.value, "near": [chunk.doc_id for chunk in hits[:NEAR]]}
                items.append(WorkItem(row.item_id, lang, value, StageRow(row.item_id, lang, value)))
                continue
            inputs = [row.value, [passage_inputs(chunk) for chunk in hits], prompt, _PARAMETERS]
            items.append(WorkItem(row.item_id, lang, inputs, Unanswered(row, tuple(hits))))
    return items


async def answered(model: Model, item: Unanswered) -> StageRow:
    """Return the row of a question of a log: answered with evidence, or removed if the passages do not answer it."""
    row = item.row
    shown: Mapping[str, str | Sequence[str]] = {
        "QUESTION": row.value["text"],
        "PASSAGE": [chunk.text for chunk in item.passages],
    }
    messages = fenced_messages("answer", row.lang, shown)
    query = Query(row.item_id, row.lang, row.value["text"])
    request = Request(messages, _PARAMETERS, _SCHEMA, query, builder_prompt("answer").hash)
    asked = await ask(model, request, lambda value: _read(value, item))
    if asked.value is None:
        return StageRow(row.item_id, row.lang, row.value, asked.reason, asked.detail, traces=asked.traces)
    if not asked.value["reference"]:
        return StageRow(row.item_id, row.lang, row.value, "not in the documents", traces=asked.traces)
    answer = StageRow(row.item_id, row.lang, {**row.value, **asked.value}, traces=asked.traces)
    leak = leak_of(candidate_of(answer))
    return StageRow(row.item_id, row.lang, answer.value, LEAK if leak else "", leak, traces=asked.traces)


def _read(value: Mapping[str, Any], item: Unanswered) -> dict[str, Any]:
    """Return reference, evidence and gold of a reply; the reference is empty where the passages do not answer."""
    answer = value.get("answer")
    if not isinstance(answer, str):
        raise Unreadable("'answer' must be a text")
    if in_another_language(answer, item.row.lang):
        raise Unreadable(f"the answer must be in the language '{item.row.lang}'", "other language")
    evidence = read_evidence(value.get("evidence"), item.passages)
    if answer.strip() and not evidence:
        raise Unreadable("an answer needs evidence", "evidence missing")
    gold = list(dict.fromkeys(one["doc_id"] for one in evidence))
    return {"reference": answer.strip(), "evidence": evidence, "gold": [[doc_id] for doc_id in gold]}


def _retrieved(context: BuildContext, chunks: Sequence[Chunk], rows: Sequence[StageRow]) -> list[list[Chunk]]:
    embedder = make(
        "embedder",
        Component.parse(PoolSettings().embedder, "questions"),
        seed=context.settings.seed,
        session=context.session,
    )
    retriever = make("retriever", _RETRIEVER, embedder=embedder, index_dir=None, session=context.session)
    retriever.index(chunks)
    hits = []
    for row in rows:
        text = f"{row.value['text']} {row.value['reference']}".strip()
        hits.append([hit.chunk for hit in retriever.retrieve(Query(row.item_id, row.lang, text), PASSAGES)])
    return hits
