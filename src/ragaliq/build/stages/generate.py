"""Generate: candidates written from chunks, each with evidence found in them; and people's questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragaliq.build.candidates import GENERATED, LEAK, candidate_of, leak_of
from ragaliq.build.context import BuildContext, WorkItem, work_on_items
from ragaliq.build.documents.language import in_another_language
from ragaliq.build.model import Model
from ragaliq.build.model.ask import Unreadable, ask
from ragaliq.build.model.evidence import EVIDENCE, passage_inputs, read_evidence
from ragaliq.build.model.prompts import TEXT, builder_prompt, fenced_messages, json_object
from ragaliq.build.plan import Wanted, plan_candidates
from ragaliq.build.questions.answering import Unanswered, answered, question_items
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import chunk as chunk_stage
from ragaliq.build.stages.chunk import chunks_of
from ragaliq.build.update.staying import EarlierCandidates, relocated
from ragaliq.llm import Request
from ragaliq.types import Chunk, Query

NAME = "generate"
PROMPTS = ("generate", "answer")
_KINDS = {
    "single": "It asks for one fact.",
    "numeric": "Its answer is a number, an amount or a measure, with its unit.",
    "temporal": "Its answer is a time, a date, a duration or an order of events.",
    "conditional": "It names a case, and the answer depends on a rule or an exception that holds in this case.",
    "list": "Its answer is a list of two or more things, and the passage names all of them.",
    "comparative": "It compares two things, one in each passage; neither passage alone answers it.",
    "multi-hop": "One needs a fact of each passage to answer it; neither passage alone answers it.",
}
_SCHEMA = json_object({"rationale": TEXT, "evidence": EVIDENCE, "question": TEXT, "answer": TEXT})


def generate(context: BuildContext) -> None:
    """Write a row for each candidate of the plan, and for each question of people.

    A candidate is removed if the model finds nothing to ask, cites evidence that is not in the passages, or gives the
    answer in the question. In an update, candidates whose chunks are all still there stay; the others are `retired`.
    """
    chunks = chunks_of(context)
    earlier = EarlierCandidates(context, chunks)
    model = context.model()
    settings = context.settings.generate
    parameters = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}

    async def work(item: WorkItem) -> StageRow:
        if isinstance(item.data, Wanted):
            return await _candidate(model, item.data, parameters)
        return await answered(model, item.data) if isinstance(item.data, Unanswered) else item.data

    items = [
        *_planned(context, chunks, earlier, parameters),
        *question_items(context, chunks, earlier),
        *(WorkItem(row.item_id, row.lang, [row.value, row.reason], row) for row in earlier.retired()),
    ]
    work_on_items(context, NAME, items, work, {"model": model.name})
    if context.planned is None and context.workspace.update.serial:
        _relocate(context, chunks)


def _relocate(context: BuildContext, chunks: Mapping[str, Sequence[Chunk]]) -> None:
    """Give the evidence of candidates that stay its places in documents that have changed around it."""
    places = {lang: {chunk.doc_id: chunk for chunk in listed} for lang, listed in chunks.items()}
    earlier: dict[str, dict[str, int]] = {}
    for row in context.earlier.kept(chunk_stage.NAME):
        earlier.setdefault(row.lang, {})[row.item_id] = row.value["start"]
    rows = context.workspace.rows(NAME)
    context.workspace.write_rows(
        NAME, (relocated(row, places.get(row.lang, {}), earlier.get(row.lang, {})) for row in rows)
    )


def _planned(
    context: BuildContext,
    chunks: Mapping[str, Sequence[Chunk]],
    earlier: EarlierCandidates,
    parameters: Mapping[str, Any],
) -> list[WorkItem]:
    prompt = builder_prompt("generate").hash
    return [
        WorkItem(
            wanted.candidate_id,
            wanted.lang,
            [wanted.type, [passage_inputs(one) for one in wanted.chunks], prompt, dict(parameters)],
            wanted,
        )
        for lang, listed in chunks.items()
        for wanted in plan_candidates(listed, context.settings.generate, context.settings.seed, earlier.plan(lang))
    ]


async def _candidate(model: Model, wanted: Wanted, parameters: Mapping[str, Any]) -> StageRow:
    """Return the row of a candidate of the plan."""
    request = Request(
        fenced_messages(
            "generate",
            wanted.lang,
            {"PASSAGE": [one.text for one in wanted.chunks]},
            type=wanted.type,
            kind=_KINDS[wanted.type],
        ),
        dict(parameters),
        _SCHEMA,
        Query(wanted.candidate_id, wanted.lang, ""),
        builder_prompt("generate").hash,
    )
    asked = await ask(model, request, lambda value: _read(value, wanted))
    base = {"type": wanted.type, "origin": GENERATED, "gold": [[one.doc_id] for one in wanted.chunks]}
    if asked.value is None:
        return StageRow(wanted.candidate_id, wanted.lang, base, asked.reason, asked.detail, traces=asked.traces)
    if not asked.value["text"]:
        return StageRow(wanted.candidate_id, wanted.lang, base, "nothing to ask", traces=asked.traces)
    row = StageRow(wanted.candidate_id, wanted.lang, {**asked.value, **base}, traces=asked.traces)
    leak = leak_of(candidate_of(row))
    return StageRow(row.item_id, row.lang, row.value, LEAK if leak else "", leak, traces=asked.traces)


def _read(value: Mapping[str, Any], wanted: Wanted) -> dict[str, Any]:
    """Return text, reference and evidence of a reply; all are empty where there is nothing to ask.

    Raises:
        Unreadable: if the form is not right, or the evidence is not in the passages.
    """
    question, answer = value.get("question"), value.get("answer")
    if not isinstance(question, str) or not isinstance(answer, str):
        raise Unreadable("'question' and 'answer' must be texts")
    if bool(question.strip()) != bool(answer.strip()):
        raise Unreadable("question and answer must both be there, or both be empty")
    if not question.strip():
        return {"text": "", "reference": "", "evidence": []}
    for text in (question, answer):
        if in_another_language(text, wanted.lang):
            raise Unreadable(f"question and answer must be in the language '{wanted.lang}'", "other language")
    evidence = read_evidence(value.get("evidence"), wanted.chunks)
    if {one["doc_id"] for one in evidence} != {one.doc_id for one in wanted.chunks}:
        raise Unreadable("there must be evidence of each passage", "evidence missing")
    return {"text": question.strip(), "reference": answer.strip(), "evidence": evidence}
