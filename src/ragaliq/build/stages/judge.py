"""Judge: which pooled document supports which nugget, cell by cell, with a quote; what stays open is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ragaliq.build.context import BuildContext, WorkItem, work_on_items
from ragaliq.build.documents.quotes import find_quote
from ragaliq.build.judging.batches import document_batches
from ragaliq.build.judging.earlier import EarlierBatches
from ragaliq.build.judging.rounds import in_rounds
from ragaliq.build.model import Model
from ragaliq.build.model.ask import Asked, Unreadable, ask
from ragaliq.build.model.prompts import NUMBER, TEXT, builder_prompt, fenced_messages, json_list, json_object, one_of
from ragaliq.build.stage_row import FAILED, StageRow
from ragaliq.build.stages import nuggets, pool
from ragaliq.build.stages.chunk import chunks_of
from ragaliq.llm import Request
from ragaliq.types import AssignmentLabel, Chunk, Nugget, Query

NAME = "judge"
PROMPTS = ("support",)
MISSING = "missing"
_LABELS = [str(label) for label in AssignmentLabel]
_CELL = json_object({"document": NUMBER, "label": one_of(_LABELS), "quote": TEXT})
_ENTRY = json_object({"nugget": NUMBER, "reason": TEXT, "documents": json_list(_CELL)})
_SCHEMA = json_object({"nuggets": json_list(_ENTRY)})
_BASE_TOKENS, _TOKENS_PER_CELL = 512, 60


@dataclass(frozen=True, slots=True)
class _Batch:
    """Up to twenty documents of a query that are judged in one call.

    `negatives` are those drawn at random; `earlier` is a row of the earlier version whose cells still hold.
    """

    query: Query
    reference: str
    nuggets: tuple[Nugget, ...]
    documents: tuple[Chunk, ...]
    negatives: frozenset[str]
    earlier: StageRow | None = None


@dataclass(frozen=True, slots=True)
class _Cell:
    """What a reply says of a nugget and a document, both by the numbers that the request gave them."""

    nugget: int
    document: int
    label: str
    quote: str


def judge(context: BuildContext) -> None:
    """Write a row for each batch of documents: label and quote of every cell, documents by nuggets.

    A model sees all nuggets of a query and up to `documents` of its documents at once, so a query takes as many calls
    as it has batches. Cells that a reply lacks or contradicts itself on, or whose quote is not in the document, are
    asked for again; after the last round they are `missing`, which is not a label, and the next call tries the row
    again. Cells of documents that were drawn at random are marked `negative`. In an update, cells that the earlier
    version has of the same texts are taken over.
    """
    settings = context.settings.judge
    model = context.model(settings.model)
    parameters = [settings.temperature, settings.rounds]
    identity = {"prompt": builder_prompt("support").hash, "model": model.name, "settings": parameters}
    batches = _batches(context, EarlierBatches(context, NAME, identity, _documents))
    items = [WorkItem(batch_id, batch.query.lang, _inputs(batch), batch) for batch_id, batch in batches]

    async def work(item: WorkItem) -> StageRow:
        judging = _Judging(item.data, model, settings.temperature)
        earlier = judging.take_over()
        traces, detail = await in_rounds(judging.pending, judging.ask_for, settings.rounds)
        cells = judging.cells()
        n_missing = sum(cell["label"] == MISSING for cell in cells)
        reason, told = (FAILED, f"{n_missing} of {len(cells)} cells missing: {detail}") if n_missing else ("", "")
        value = {"query_id": judging.batch.query.query_id, "cells": cells}
        return StageRow(item.item_id, item.lang, value, reason, told, traces=(*earlier, *traces))

    work_on_items(context, NAME, items, work, identity)


def _batches(context: BuildContext, earlier: EarlierBatches) -> Iterator[tuple[str, _Batch]]:
    chunks = {(lang, chunk.doc_id): chunk for lang, own in chunks_of(context).items() for chunk in own}
    rows = {(row.lang, row.item_id): row for row in context.workspace.kept(nuggets.NAME)}
    for pooled in context.workspace.kept(pool.NAME):
        row = rows[pooled.lang, pooled.item_id]
        query = Query(row.item_id, row.lang, row.value["text"])
        entries = pooled.value["documents"]
        negatives = frozenset(entry["doc_id"] for entry in entries if entry.get("negative"))
        batches = document_batches(
            (entry["doc_id"] for entry in entries),
            row.item_id,
            context.settings.seed,
            context.settings.judge.documents,
            earlier.of(row.lang, row.item_id),
        )
        for batch_id, doc_ids in batches.items():
            documents = tuple(chunks[row.lang, doc_id] for doc_id in doc_ids)
            facts = tuple(nuggets.nuggets_of(row))
            batch = _Batch(query, row.value["reference"], facts, documents, negatives & set(doc_ids))
            judged = earlier.same(row.lang, batch_id, partial(_earlier_inputs, batch, earlier.texts))
            yield batch_id, replace(batch, earlier=judged)


def _inputs(batch: _Batch) -> list[Any]:
    return [*_asked(batch), [[one.doc_id, one.text, one.doc_id in batch.negatives] for one in batch.documents]]


def _asked(batch: _Batch) -> list[Any]:
    return [batch.query.text, batch.reference, [one.text for one in batch.nuggets]]


def _earlier_inputs(batch: _Batch, texts: Mapping[tuple[str, str], str], row: StageRow) -> list[Any]:
    """Return the inputs of a row of the earlier version, if it was judged for the query and the nuggets of a batch."""
    negatives = {cell["doc_id"] for cell in row.value["cells"] if cell.get("negative")}
    documents = [[one, texts.get((row.lang, one), ""), one in negatives] for one in _documents(row)]
    return [*_asked(batch), documents]


def _documents(row: StageRow) -> list[str]:
    return list(dict.fromkeys(cell["doc_id"] for cell in row.value["cells"]))


@dataclass(slots=True)
class _Judging:
    """The work on a batch: what is known of its cells, (nugget, document) → label and quote."""

    batch: _Batch
    model: Model
    temperature: float
    known: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)

    def take_over(self) -> tuple[str, ...]:
        """Take the cells of the earlier row, and return its traces."""
        row = self.batch.earlier
        if row is None:
            return ()
        nugget_numbers = {one.nugget_id: number for number, one in enumerate(self.batch.nuggets)}
        numbers = {one.doc_id: number for number, one in enumerate(self.batch.documents)}
        for cell in row.value["cells"]:
            if cell["doc_id"] in numbers and cell["label"] != MISSING:
                place = nugget_numbers[cell["nugget_id"]], numbers[cell["doc_id"]]
                self.known[place] = cell["label"], cell.get("quote", "")
        return row.traces

    def pending(self) -> list[int]:
        """Return the documents with open cells."""
        numbers = range(len(self.batch.nuggets))
        return [d for d in range(len(self.batch.documents)) if any((n, d) not in self.known for n in numbers)]

    async def ask_for(self, documents: Sequence[int], attempt: int) -> Asked[list[_Cell]]:
        """Ask for some documents, all nuggets that are open for one of them; keep the cells that are proven."""
        open_nuggets = [n for n in range(len(self.batch.nuggets)) if any((n, d) not in self.known for d in documents)]
        shown = [self.batch.documents[d] for d in documents]
        request = self._request([self.batch.nuggets[n] for n in open_nuggets], shown, attempt)
        asked = await ask(self.model, request, _read)
        for (nugget, document), labelled in _agreeing(asked.value or ()).items():
            if 1 <= nugget <= len(open_nuggets) and 1 <= document <= len(shown):
                proof = _proof(labelled, shown[document - 1].text)
                if proof is not None:
                    self.known.setdefault((open_nuggets[nugget - 1], documents[document - 1]), (labelled.label, proof))
        return asked

    def cells(self) -> list[dict[str, Any]]:
        """Return all cells, nugget by nugget, documents in their order."""
        cells = []
        for n, nugget in enumerate(self.batch.nuggets):
            for d, chunk in enumerate(self.batch.documents):
                label, quote = self.known.get((n, d), (MISSING, ""))
                marks = {"negative": True} if chunk.doc_id in self.batch.negatives else {}
                quoted = {"quote": quote} if quote else {}
                cells.append({"nugget_id": nugget.nugget_id, "doc_id": chunk.doc_id, "label": label, **quoted, **marks})
        return cells

    def _request(self, facts: Sequence[Nugget], shown: Sequence[Chunk], attempt: int) -> Request:
        batch = self.batch
        texts: Mapping[str, str | Sequence[str]] = {
            "QUESTION": batch.query.text,
            "ANSWER": batch.reference,
            "NUGGET": [one.text for one in facts],
            "DOCUMENT": [one.text for one in shown],
        }
        most = _BASE_TOKENS + _TOKENS_PER_CELL * len(facts) * len(shown)
        # The same cells asked for again are another request.
        parameters = {"temperature": self.temperature, "max_tokens": most, **({"seed": attempt} if attempt else {})}
        messages = fenced_messages("support", batch.query.lang, texts)
        return Request(messages, parameters, _SCHEMA, batch.query, builder_prompt("support").hash)


def _agreeing(cells: Sequence[_Cell]) -> dict[tuple[int, int], _Cell]:
    """Return the cells by nugget and document, without those that a reply labels in two ways."""
    by_place: dict[tuple[int, int], list[_Cell]] = {}
    for cell in cells:
        by_place.setdefault((cell.nugget, cell.document), []).append(cell)
    return {place: same[0] for place, same in by_place.items() if len({cell.label for cell in same}) == 1}


def _proof(cell: _Cell, text: str) -> str | None:
    """Return the quote as the document has it, empty where none is needed; None if it is not there."""
    if cell.label == AssignmentLabel.NOT_SUPPORT:
        return ""
    # A full stop is in every document, and proves nothing.
    span = find_quote(cell.quote, text) if any(char.isalnum() for char in cell.quote) else None
    return None if span is None else text[span[0] : span[1]]


def _read(value: Mapping[str, Any]) -> list[_Cell]:
    """Return the cells of a reply; those of another form are left out, and so missing."""
    entries = value.get("nuggets")
    if not isinstance(entries, list):
        raise Unreadable("'nuggets' must be a list")
    cells = []
    for entry in entries:
        listed = entry.get("documents") if isinstance(entry, dict) else None
        for cell in listed if isinstance(listed, list) else ():
            if not isinstance(cell, dict):
                continue
            nugget, document, quote = entry.get("nugget"), cell.get("document"), cell.get("quote", "")
            labelled = cell.get("label") in _LABELS and isinstance(quote, str)
            if labelled and type(nugget) is int and type(document) is int:
                cells.append(_Cell(nugget, document, cell["label"], quote))
    if not cells:
        raise Unreadable("no entry names a nugget, a document and a label")
    return cells
