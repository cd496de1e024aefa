"""Answers in the spans of OpenTelemetry: a trace is one answer, or one for each of its spans that names an item."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ragaliq.errors import InputError, nearest
from ragaliq.formats.results.rows import ResultColumns
from ragaliq.formats.traces.attributes import (
    answer_of,
    answers,
    documents_of,
    is_evaluator,
    is_of_model,
    question_of,
    reference_of,
    scores_of,
)
from ragaliq.formats.traces.rows import Score, TraceRow, Traces
from ragaliq.formats.traces.spans import Span, read_spans
from ragaliq.formats.traces.values import Numbered, number_of, seconds_between, short_texts

# Attributes that name the item of a data set, and the language.
_ITEMS = ("langfuse.experiment.item.id", "langsmith.reference_example_id", "reference_example_id", "dataset.item.id",
    "query_id", "item_id")  # fmt: skip
_LANGS = ("lang", "language", "locale")
_COSTS = ("llm.cost.total", "gen_ai.usage.cost")
_MODELS = ("gen_ai.request.model", "gen_ai.response.model", "llm.model_name")


def opentelemetry_traces(rows: Numbered, columns: ResultColumns, name: str) -> Traces:
    """Return the answers in spans; `columns` names attributes of item, system and language, `name` the file in errors.

    Scores are evaluation events, of the answer in whose spans they stand, or whose response they name.

    Raises:
        InputError: if a span is malformed, a named attribute is nowhere, or no span is of a model.
    """
    spans = read_spans(rows)
    _check_named(spans, columns, name)
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace, []).append(span)
    trees = [_Tree(tuple(members), columns) for members in traces.values()]
    kept = [tree for tree in trees if any(map(is_of_model, tree.spans))]
    if not kept:
        raise InputError(f"{name}: no span has attributes of a model (gen_ai.… or OpenInference); export those traces")
    scores, linked = _scores(kept)
    found = [(anchor, tree) for tree in kept for anchor in tree.anchors]
    built = [replace(_row(a, t), scores=tuple(scores.get((a.trace, a.id), ()))) for a, t in found]
    # What evaluators trace apart from the system is no answer.
    whole = [row for row in built if row.trace not in linked or row.question or row.answer]
    whole = _with_models(whole) if not columns.system else whole
    order = {(span.trace, span.id): place for place, span in enumerate(spans)}
    whole.sort(key=lambda row: order[row.trace, row.span])
    return Traces("OpenTelemetry", tuple(whole), notes=tuple(_notes(len(trees) - len(kept), whole, kept)))


@dataclass(frozen=True)
class _Tree:
    """The spans of one trace, in the order of the file; some may be missing."""

    spans: tuple[Span, ...]
    columns: ResultColumns

    @cached_property
    def anchors(self) -> tuple[Span, ...]:
        """The spans that are answers: the topmost ones that name an item, else the first of the trace."""
        named = [span for span in self.spans if self.item(span)]
        if named:
            near = self._nearest({span.id for span in named})
            return tuple(span for span in named if not near.get(span.parent)) or (min(named, key=_when),)
        tops = [span for span in self.spans if span.parent not in self._by_id] or list(self.spans)
        return (min(tops, key=lambda span: (bool(span.parent), _when(span))),)

    def lost(self, anchor: Span) -> str:
        """Return the id of the span above an answer that names no item, where the file does not have it; else empty."""
        whole = self.item(anchor) or anchor.from_elsewhere or anchor.parent in self._by_id
        return "" if whole else anchor.parent

    @cached_property
    def _by_id(self) -> dict[str, Span]:
        return {span.id: span for span in self.spans}

    def _nearest(self, ids: set[str]) -> dict[str, str]:
        """Return by span the nearest of some spans, which it is or is part of; empty where there is none."""
        found: dict[str, str] = {}
        for span in self.spans:
            path: dict[str, None] = {}
            at: Span | None = span
            while at is not None and at.id not in found and at.id not in ids and at.id not in path:
                path[at.id] = None
                at = self._by_id.get(at.parent)
            # A circle ends where it began.
            nearest_of = "" if at is None or at.id in path else at.id if at.id in ids else found[at.id]
            found |= dict.fromkeys(path, nearest_of)
            if span.id in ids:
                found[span.id] = span.id
        return found

    @cached_property
    def owners(self) -> dict[str, str]:
        """By span the answer that it belongs to; what is above several answers belongs to none."""
        ids = {anchor.id for anchor in self.anchors}
        only = self.anchors[0].id if len(ids) == 1 else ""
        return {span: owner or only for span, owner in self._nearest(ids).items()}

    @cached_property
    def _evaluators(self) -> dict[str, str]:
        return self._nearest({span.id for span in self.spans if is_evaluator(span)})

    @cached_property
    def members(self) -> dict[str, list[Span]]:
        """By answer its spans in order of time, without what evaluators did."""
        found: dict[str, list[Span]] = {anchor.id: [] for anchor in self.anchors}
        for span in sorted(self.spans, key=_when):
            if self.owners[span.id] and not self.evaluates(span):
                found[self.owners[span.id]].append(span)
        return found

    def evaluates(self, span: Span) -> bool:
        """Return whether a span is an evaluator's, or part of one."""
        return bool(self._evaluators[span.id])

    def item(self, span: Span) -> str:
        """Return the id of the item that a span names; empty where it names none."""
        named = {**_metadata(span.attributes), **span.attributes}
        return _named(named, (self.columns.item,) if self.columns.item else _ITEMS)


def _row(anchor: Span, tree: _Tree) -> TraceRow:
    members, columns = tree.members[anchor.id], tree.columns
    speaking = [span for span in members if answers(span)]
    ended = sorted(speaking, key=lambda span: (span.end or 0.0, span.id), reverse=True)
    # Where the first span is lost, each that is left is one step among others, and none is known to be the answer.
    lost = tree.lost(anchor)
    answer = "" if lost else next(filter(None, map(answer_of, (anchor, *ended))), "")
    failed = next((span.error for span in reversed(members) if span.error), "") if not answer else ""
    failed = f"the trace's first span '{lost}' is missing" if lost else anchor.error or failed
    attributes = {**_metadata(anchor.attributes), **anchor.attributes}
    return TraceRow(
        where=anchor.where, trace=anchor.trace, span=anchor.id, item=tree.item(anchor),
        system=_system(anchor, speaking, columns),
        lang=_named({**anchor.resource, **attributes}, (columns.lang,)) if columns.lang else _named(attributes, _LANGS),
        question=next(filter(None, map(question_of, (anchor, *speaking, *members))), ""), answer=answer,
        reference=next(filter(None, map(reference_of, (anchor, *members))), ""), contexts=_contexts(members),
        error=failed, start=anchor.start,
        seconds=seconds_between(anchor.start, anchor.end), cost=_cost(anchor, members), fields=short_texts(attributes),
    )  # fmt: skip


def _contexts(members: Sequence[Span]) -> tuple[str, ...] | None:
    """Return the documents that the last ranking left, else all that were retrieved, equal texts once."""
    found = [documents_of(span) for span in members]
    ranked = [texts for again, texts in found if again and texts is not None]
    retrieved = ranked[-1:] or [texts for _, texts in found if texts is not None]
    return tuple(dict.fromkeys(text for texts in retrieved for text in texts)) if retrieved else None


def _system(anchor: Span, speaking: Sequence[Span], columns: ResultColumns) -> str:
    """Return the service and the model that answered, such as `canteen-bot/model-a`."""
    if columns.system:
        return _named({**anchor.resource, **anchor.attributes}, (columns.system,))
    service = _named(anchor.resource, ("service.name",))
    models = [_named(span.attributes, _MODELS) for span in (*reversed(speaking), anchor)]
    parts = ("" if service.startswith("unknown_service") else service, next(filter(None, models), ""))
    return "/".join(filter(None, parts))


def _with_models(rows: Sequence[TraceRow]) -> list[TraceRow]:
    """Return the rows, those that failed before a model was asked with the only model of their service."""
    systems = {row.system for row in rows}
    found = []
    for row in rows:
        others = {
            name for name in systems if name != row.system and (not row.system or name.startswith(f"{row.system}/"))
        }
        found.append(replace(row, system=others.pop()) if len(others) == 1 else row)
    return found


def _cost(anchor: Span, members: Sequence[Span]) -> float | None:
    for spans in ([anchor], members):
        found = [number_of(span.attributes, key, span.where) for span in spans for key in _COSTS]
        known = [cost for cost in found if cost is not None]
        if known:
            return math.fsum(known)
    return None


_Scores = dict[tuple[str, str], list[Score]]


def _scores(trees: Sequence[_Tree]) -> tuple[_Scores, set[str]]:
    """Return the scores by trace and span of their answer, and the traces whose scores are all of others."""
    responses: dict[str, tuple[str, str]] = {}
    for tree in trees:
        for span in tree.spans:
            response, owner = span.attributes.get("gen_ai.response.id"), tree.owners[span.id]
            if isinstance(response, str) and owner and not tree.evaluates(span):
                responses[response] = (span.trace, owner)
    scores: _Scores = {}
    elsewhere: set[str] = set()
    for tree in trees:
        for span in tree.spans:
            for response, score in scores_of(span):
                place = responses.get(response) or (span.trace, tree.owners[span.id])
                if not place[1]:
                    raise InputError(
                        f"{span.where}: score '{score.name}' is of none of the items of its trace; nest it"
                    )
                scores.setdefault(place, []).append(score)
                if place[0] != span.trace:
                    elsewhere.add(span.trace)
    return scores, elsewhere - {trace for trace, _ in scores}


def _notes(others: int, rows: Sequence[TraceRow], trees: Sequence[_Tree]) -> Iterator[str]:
    if others:
        yield f"{others} traces without a model's attributes are left out"
    if len(trees) < len(rows):
        yield f"{len(rows)} answers in {len(trees)} traces: each span that names an item is one"
    lost = sum(not row.answer and not row.error for row in rows)
    if lost:
        yield f"{lost} of {len(rows)} traces record no answer (content capture may be off)"


def _check_named(spans: Sequence[Span], columns: ResultColumns, name: str) -> None:
    known = {key for span in spans for key in (*span.attributes, *span.resource, *_metadata(span.attributes))}
    for option, attribute in (("--id", columns.item), ("--system", columns.system), ("--lang-field", columns.lang)):
        if attribute and attribute not in known:
            raise InputError(f"{option} {attribute}: no span of {name} has it; {nearest(attribute, sorted(known))}")


def _metadata(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what OpenInference keeps as JSON in the attribute `metadata`."""
    value = attributes.get("metadata")
    try:
        value = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _named(values: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first of several attributes as text; a list or an object is none."""
    found = (values.get(name) for name in names)
    return next((str(v) for v in found if isinstance(v, str | int | float) and str(v).strip()), "")


def _when(span: Span) -> tuple[float, str]:
    return (span.start or 0.0, span.id)
