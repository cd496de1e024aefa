"""Questions of a query log, answered from the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ragaliq.build.candidates import LEAK, LOG, candidate_of, leak_of
from ragaliq.build.context import BuildContext, WorkItem
from ragaliq.build.documents.language import in_another_language
from ragaliq.build.model import Model
from ragaliq.build.model.ask import Unreadable, ask
from ragaliq.build.model.evidence import EVIDENCE, passage_inputs, read_evidence
from ragaliq.build.model.prompts import TEXT, builder_prompt, fenced_messages, json_object
from ragaliq.build.questions.drawing import drawn_questions
from ragaliq.build.settings import PoolSettings
from ragaliq.build.stage_row import StageRow, content_hash
from ragaliq.build.update.retired_rows import retired_row
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


class EarlierQuestions(Protocol):
    """The questions of the earlier version; `update.staying.EarlierCandidates`."""

    def stays(self, lang: str, item_id: str) -> StageRow | None:
        """Return the row of a question that was answered and stays so."""

    def id_of(self, lang: str, item_id: str) -> str:
        """Return the present id of a question."""

    def why_out(self, lang: str, item_id: str) -> str:
        """Return why a question is retired for good; empty if it is not."""


def question_items(
    context: BuildContext, chunks: Mapping[str, Sequence[Chunk]], earlier: EarlierQuestions
) -> list[WorkItem]:
    """Return the work on what people asked: finished rows, and `Unanswered` ones for `answered`.

    Passages are the eight best of the default retriever. A question that people answered has the three best for
    question and answer as `near`: such chunks must not be withheld for other queries. An answer of the earlier version
    stays if all its passages are still there.
    """
    if not context.settings.questions:
        return []
    rows = drawn_questions(context, sorted(chunks))
    items = [WorkItem(row.item_id, row.lang, [row.value, row.reason], row) for row in rows if not row.kept]
    asked_with = content_hash([context.model().name, builder_prompt("answer").hash, _PARAMETERS])
    for lang in sorted({row.lang for row in rows if row.kept}):
        fitting = [row for row in rows if row.kept and row.lang == lang]
        for row, hits in zip(fitting, _retrieved(context, chunks[lang], fitting), strict=True):
            item_id = earlier.id_of(lang, row.item_id)
            why = earlier.why_out(lang, item_id)
            if why:
                out = retired_row(replace(row, item_id=item_id), why)
                items.append(WorkItem(item_id, lang, [out.value, out.reason], out))
            elif row.value["origin"] != LOG:
                value = {**row.value, "near": [chunk.doc_id for chunk in hits[:NEAR]]}
                items.append(WorkItem(item_id, lang, value, StageRow(item_id, lang, value)))
            else:
                answer = earlier.stays(lang, row.item_id)
                items.append(_log_item(replace(row, item_id=item_id), hits, asked_with, answer))
    return items


def _log_item(row: StageRow, hits: Sequence[Chunk], asked_with: str, answer: StageRow | None) -> WorkItem:
    """Return the work on a question of a log; an answer that was asked for in the same way is taken as it is."""
    value = {**row.value, "asked_with": asked_with}
    if answer is not None and answer.value.get("asked_with") == asked_with:
        return WorkItem(row.item_id, row.lang, [value, answer.value["gold"]], answer)
    inputs = [value, [passage_inputs(chunk) for chunk in hits]]
    return WorkItem(row.item_id, row.lang, inputs, Unanswered(replace(row, value=value), tuple(hits)))


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
