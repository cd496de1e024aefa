"""Relevance: how well each pooled document answers its query, 0 to 3, and how far people agree (an option)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ragaliq.build.context import BuildContext, WorkItem, work_on_items
from ragaliq.build.judging.batches import document_batches
from ragaliq.build.judging.earlier import EarlierBatches
from ragaliq.build.judging.rounds import in_rounds
from ragaliq.build.model import Model
from ragaliq.build.model.ask import Asked, Unreadable, ask
from ragaliq.build.model.prompts import NUMBER, TEXT, builder_prompt, fenced_messages, json_list, json_object
from ragaliq.build.stage_row import FAILED, StageRow, content_hash
from ragaliq.build.stages import pool
from ragaliq.build.stages.chunk import chunks_of
from ragaliq.formats.trec.qrels import read_qrels
from ragaliq.llm import Request
from ragaliq.metrics.agreement.coefficients import agreement
from ragaliq.storage.files import write_json
from ragaliq.types import Chunk, Query

NAME = "relevance"
PROMPTS = ("relevance",)
SCORED, MISSING = "scored", "missing"
_GRADES = range(4)
# From this grade on a document counts as relevant, as in UMBRELA (arXiv 2406.06519).
_RELEVANT = 2
_SCHEMA = json_object({"documents": json_list(json_object({"document": NUMBER, "reason": TEXT, "relevance": NUMBER}))})
_BASE_TOKENS, _TOKENS_PER_DOCUMENT = 256, 80


def relevance(context: BuildContext) -> None:
    """Write a row for each batch of documents, with a grade from 0 to 3 and its status for each.

    The judge sees the question alone: neither its answer nor its nuggets. A document that no reply grades is `missing`,
    which is not a grade. Where the settings name people's grades, `DIR/build/relevance_agreement.json` compares the
    two.
    """
    settings = context.settings.judge
    model = context.model(settings.model)
    parameters = [settings.temperature, settings.rounds]
    identity = {"prompt": builder_prompt("relevance").hash, "model": model.name, "settings": parameters}
    items = list(_items(context, EarlierBatches(context, NAME, identity, _documents)))

    async def work(item: WorkItem) -> StageRow:
        query, documents, earlier = item.data
        grading = _Grading(query, documents, model, settings.temperature, _known(earlier, documents))
        before = earlier.traces if earlier else ()
        traces, detail = await in_rounds(grading.pending, grading.ask_for, settings.rounds)
        entries = grading.entries()
        n_missing = sum(entry["status"] == MISSING for entry in entries)
        reason, told = (FAILED, f"{n_missing} of {len(entries)} documents missing: {detail}") if n_missing else ("", "")
        value = {"query_id": grading.query.query_id, "documents": entries}
        return StageRow(item.item_id, item.lang, value, reason, told, traces=(*before, *traces))

    work_on_items(context, NAME, items, work, identity)
    if settings.relevance_labels:
        labels = read_qrels(context.workspace.path / settings.relevance_labels)
        write_json(context.workspace.build / f"{NAME}_agreement.json", _agreement(grades_of(context), labels))


def labels_hash(context: BuildContext) -> str:
    """Return the hash of people's grades; empty if the settings name none."""
    path = context.settings.judge.relevance_labels
    return content_hash(read_qrels(context.workspace.path / path)) if path else ""


def grades_of(context: BuildContext) -> dict[tuple[str, str], dict[str, int]]:
    """Return language and query → document → grade, of what was graded."""
    grades: dict[tuple[str, str], dict[str, int]] = {}
    for row in context.workspace.rows(NAME):
        scored = {one["doc_id"]: one["relevance"] for one in row.value["documents"] if one["status"] == SCORED}
        grades.setdefault((row.lang, row.value["query_id"]), {}).update(scored)
    return {key: dict(sorted(documents.items())) for key, documents in sorted(grades.items())}


def _agreement(
    grades: Mapping[tuple[str, str], Mapping[str, int]], labels: Mapping[str, Mapping[str, int]]
) -> dict[str, Any]:
    """Return how far the grades agree with people's: κ over the four grades, and over relevant (2, 3) or not.

    `n` documents have both; `ungraded` are those that only people have graded. κ is null where it is not defined.
    """
    by_query = {query_id: documents for (_, query_id), documents in grades.items()}
    pairs = [
        (by_query[query_id][doc_id], min(max(label, 0), 3))
        for query_id, documents in labels.items()
        for doc_id, label in documents.items()
        if doc_id in by_query.get(query_id, {})
    ]
    ours, theirs = [one for one, _ in pairs], [two for _, two in pairs]
    whole = agreement(ours, theirs)
    binary = agreement([int(one >= _RELEVANT) for one in ours], [int(two >= _RELEVANT) for two in theirs])
    return {
        "n": whole.n,
        "ungraded": sum(map(len, labels.values())) - len(pairs),
        "kappa": whole.cohen_kappa,
        "kappa_quadratic": whole.qwk,
        "kappa_relevant": binary.cohen_kappa,
        "exact": whole.exact,
        "bias": whole.bias,
        "confusion": [list(row[:4]) for row in whole.confusion[:4]],
    }


def _items(context: BuildContext, earlier: EarlierBatches) -> Iterator[WorkItem]:
    chunks = {(lang, chunk.doc_id): chunk for lang, own in chunks_of(context).items() for chunk in own}
    for pooled in context.workspace.kept(pool.NAME):
        query = Query(pooled.item_id, pooled.lang, pooled.value["texts"]["question"])
        doc_ids = [entry["doc_id"] for entry in pooled.value["documents"]]
        seed, most = context.settings.seed, context.settings.judge.documents
        kept = earlier.of(query.lang, query.query_id)
        for batch_id, batch in document_batches(doc_ids, query.query_id, seed, most, kept).items():
            documents = tuple(chunks[query.lang, doc_id] for doc_id in batch)
            inputs = [query.text, [[one.doc_id, one.text] for one in documents]]
            graded = earlier.same(query.lang, batch_id, partial(_earlier_inputs, query.text, earlier.texts))
            yield WorkItem(batch_id, query.lang, inputs, (query, documents, graded))


def _earlier_inputs(question: str, texts: Mapping[tuple[str, str], str], row: StageRow) -> list[Any]:
    """Return the inputs of a row of the earlier version, if it was graded for this question."""
    return [question, [[doc_id, texts.get((row.lang, doc_id), "")] for doc_id in _documents(row)]]


def _documents(row: StageRow) -> list[str]:
    return [one["doc_id"] for one in row.value["documents"]]


def _known(earlier: StageRow | None, documents: Sequence[Chunk]) -> dict[int, int]:
    """Return the grades that an earlier row has, by the number of the document."""
    entries = earlier.value["documents"] if earlier else ()
    grades = {one["doc_id"]: one["relevance"] for one in entries if one["status"] == SCORED}
    return {number: grades[one.doc_id] for number, one in enumerate(documents) if one.doc_id in grades}


@dataclass(slots=True)
class _Grading:
    """The work on a batch: document → grade, as far as it is known."""

    query: Query
    documents: tuple[Chunk, ...]
    model: Model
    temperature: float
    known: dict[int, int] = field(default_factory=dict)

    def pending(self) -> list[int]:
        """Return the documents without a grade."""
        return [number for number in range(len(self.documents)) if number not in self.known]

    async def ask_for(self, documents: Sequence[int], attempt: int) -> Asked[dict[int, int]]:
        """Ask for some documents, and keep their grades."""
        texts: Mapping[str, str | Sequence[str]] = {
            "QUESTION": self.query.text,
            "DOCUMENT": [self.documents[number].text for number in documents],
        }
        most = _BASE_TOKENS + _TOKENS_PER_DOCUMENT * len(documents)
        parameters = {"temperature": self.temperature, "max_tokens": most, **({"seed": attempt} if attempt else {})}
        messages = fenced_messages("relevance", self.query.lang, texts)
        request = Request(messages, parameters, _SCHEMA, self.query, builder_prompt("relevance").hash)
        asked = await ask(self.model, request, _read)
        for place, grade in (asked.value or {}).items():
            if 1 <= place <= len(documents):
                self.known.setdefault(documents[place - 1], grade)
        return asked

    def entries(self) -> list[dict[str, Any]]:
        """Return the documents in their order, each with grade and status."""
        return [
            {
                "doc_id": chunk.doc_id,
                "relevance": self.known.get(number),
                "status": SCORED if number in self.known else MISSING,
            }
            for number, chunk in enumerate(self.documents)
        ]


def _read(value: Mapping[str, Any]) -> dict[int, int]:
    """Return the grades of a reply by the number of the document, without those off the scale or given in two ways."""
    listed = value.get("documents")
    if not isinstance(listed, list):
        raise Unreadable("'documents' must be a list")
    grades: dict[int, set[int]] = {}
    for entry in listed:
        place, grade = (entry.get("document"), entry.get("relevance")) if isinstance(entry, dict) else (None, None)
        if type(place) is int and type(grade) is int and grade in _GRADES:
            grades.setdefault(place, set()).add(grade)
    if not grades:
        raise Unreadable("no entry names a document and its relevance, a whole number from 0 to 3")
    return {place: min(values) for place, values in grades.items() if len(values) == 1}
