"""Translate: corpus, questions, references and nuggets, through one memory of segments for each language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from ragaliq.benchmark.layout import file_hash
from ragaliq.benchmark.translation.terms_kept import Terms
from ragaliq.build.context import BuildContext, Rows, WorkItem, work_in_steps
from ragaliq.build.model import Model
from ragaliq.build.model.prompts import builder_prompt
from ragaliq.build.stage_row import StageRow, content_hash
from ragaliq.build.stages.chunk import chunks_of
from ragaliq.build.translation.asking import PROMPT, TranslationTask, ask_translations, terms_in
from ragaliq.build.translation.edits import latest_edits
from ragaliq.build.translation.glossary import build_terms, glossary_file
from ragaliq.build.translation.memory import BACK, TRANSLATE, Memory, edited_rows, memory_of
from ragaliq.build.translation.rendering import render
from ragaliq.build.translation.segment import SegmentStatus
from ragaliq.build.translation.units import (
    ChunkTexts,
    QueryTexts,
    chunk_units,
    new_segments,
    query_units,
    source_language,
)
from ragaliq.build.translation.wording import is_source_wording, is_translatable
from ragaliq.errors import InputError

NAME = TRANSLATE
PROMPTS = (PROMPT,)
# The key of a row's value with the hash of prompt, model, settings and terms.
_ASKED_WITH = "asked_with"


def translate(context: BuildContext) -> None:
    """Write a row for each chunk and each query in each language: the segments that no row before it has.

    The chunks come first: a query is asked with the translations of the passages that it was written from. What has
    no letters beside links, e-mails, code and terms that stay is not asked. Nor is a segment that the last call has
    translated with the same prompt, model, settings and terms, whichever row it belonged to: a new document that
    shares sentences with another has only its own ones translated. People's edits replace what they change.

    Raises:
        InputError: if the documents are in several languages or one of the targets, or the glossary cannot be read.
    """
    lang = source_language(context)
    settings = context.settings.translate
    terms = build_terms(context.workspace, lang, settings.languages)
    work = _Translating(context, lang, terms)
    identity = {
        "prompt": builder_prompt(PROMPT).hash,
        "model": work.model.name,
        "settings": [settings.temperature, settings.back_translation],
    }
    work.asked_with = {target: content_hash([identity, sorted(terms.keep), dict(terms.glossary.get(target, {}))])
                       for target in settings.languages}  # fmt: skip
    work_in_steps(context, NAME, [work.chunk_items, work.query_items], work.row, identity)
    if context.planned is None:
        rows = context.workspace.rows(NAME)
        edited = edited_rows(context, rows)
        if edited != rows:
            context.workspace.write_rows(NAME, edited)


def check_settings(context: BuildContext) -> None:
    """Refuse what `translate` cannot use, before other stages are paid for.

    Raises:
        InputError: as `translate`.
    """
    build_terms(context.workspace, source_language(context), context.settings.translate.languages)


def outside_hashes(context: BuildContext) -> list[Any]:
    """Return what decides the stage from outside the build: the edits that hold, and the glossary's hash."""
    edits = sorted((*key, edit.after) for key, edit in latest_edits(context.workspace.path).items())
    path = glossary_file(context.workspace)
    if path is not None and not path.is_file():
        raise InputError(f"{path}: no such file; correct translate.glossary")
    return [[list(edit) for edit in edits], file_hash(path) if path else ""]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a row is made of: the segments that are its own, and what the model sees with them."""

    record: str
    task: TranslationTask


@dataclass
class _Translating:
    """The work of one call."""

    context: BuildContext
    lang: str
    terms: Terms
    model: Model = field(init=False)
    chunks: list[ChunkTexts] = field(init=False)
    queries: list[QueryTexts] = field(init=False)
    asked_with: Mapping[str, str] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)
    _rows: list[StageRow] = field(init=False)

    def __post_init__(self) -> None:
        self.model = self.context.model(self.context.settings.translate.model)
        self.chunks = chunk_units(self.context, self.lang)
        self.queries = query_units(self.context, self.lang)
        # Before any row is written anew.
        self._rows = self.context.workspace.rows(NAME)

    def chunk_items(self, _: Rows) -> list[WorkItem]:
        """Return the items of the chunks."""
        own = list(new_segments(self.chunks, self._known))
        return [
            self._item("chunk", unit.chunk.doc_id, TranslationTask(self.lang, lang, new, (unit.chunk.text,)))
            for lang in self.context.settings.translate.languages
            for unit, new in zip(self.chunks, own, strict=True)
        ]

    def query_items(self, rows: Rows) -> list[WorkItem]:
        """Return the items of the queries, which follow from the rows of the chunks."""
        own = list(new_segments(self.queries, self._known))
        units = {unit.chunk.doc_id: unit for unit in self.chunks}
        texts = {chunk.doc_id: chunk.text for chunk in chunks_of(self.context).get(self.lang, ())}
        edited = edited_rows(self.context, rows.values())
        items = []
        for lang in self.context.settings.translate.languages:
            memory = memory_of(edited, lang)
            for unit, new in zip(self.queries, own, strict=True):
                doc_ids = _passages(unit)
                said = _translations((units[one] for one in doc_ids if one in units), memory, lang)
                task = TranslationTask(self.lang, lang, new, tuple(texts[one] for one in doc_ids), said)
                items.append(self._item("query", unit.row.item_id, task))
        return items

    async def row(self, item: WorkItem) -> StageRow:
        """Return the row of a chunk or query."""
        asked: _Asked = item.data
        task, settings = asked.task, self.context.settings.translate
        earlier = self._earlier[item.lang]
        entries = {one: earlier.get(one) or _entry(one, one, SegmentStatus.SAME) for one in task.segments}
        head = {"record": asked.record, "source_lang": self.lang, **item.carried}
        row = partial(StageRow, item.item_id, item.lang)
        open_segments = tuple(
            one for one in task.segments if one not in earlier and is_translatable(one, self.terms.keep)
        )
        if not open_segments:
            return row({**head, "segments": list(entries.values())})
        ask = partial(ask_translations, self.model, temperature=settings.temperature)
        reply = await ask(_with(task, open_segments), self.terms)
        if reply.value is None:
            left = [entry for segment, entry in entries.items() if segment not in open_segments]
            value = {**head, "segments": left, "missing": list(open_segments)}
            return row(value, reply.reason, reply.detail, traces=reply.traces)
        for segment, target in zip(open_segments, reply.value, strict=True):
            entries[segment] = _entry(segment, target, self._status(segment, target, item.lang))
        traces, reason, detail = reply.traces, "", ""
        changed = [entries[one] for one in open_segments if entries[one]["status"] == SegmentStatus.TRANSLATED]
        if settings.back_translation and changed:
            back = TranslationTask(item.lang, self.lang, tuple(one["target"] for one in changed))
            again = await ask(back, Terms(self.terms.keep))
            for entry, text in zip(changed, again.value or (), strict=False):
                entry[BACK] = text
            traces, reason, detail = (*traces, *again.traces), again.reason, again.detail
        return row({**head, "segments": list(entries.values())}, reason, detail, traces=traces)

    def _item(self, record: str, item_id: str, task: TranslationTask) -> WorkItem:
        # How many translations, not which: an edit of a passage is no reason to ask for other segments again.
        shown = (task.passages, len(task.translations)) if task.segments else ()
        inputs = [task.segments, *shown, terms_in(task, self.terms)]
        return WorkItem(item_id, task.lang, inputs, _Asked(record, task), {_ASKED_WITH: self.asked_with[task.lang]})

    @cached_property
    def _earlier(self) -> dict[str, dict[str, dict[str, str]]]:
        """Language → segment → its entry in the rows of the last call that were asked with what is asked with now."""
        earlier: dict[str, dict[str, dict[str, str]]] = {lang: {} for lang in self.asked_with}
        for row in self._rows:
            if row.kept and row.value.get(_ASKED_WITH) == self.asked_with.get(row.lang, ""):
                earlier[row.lang] |= {entry["source"]: dict(entry) for entry in row.value["segments"]}
        return earlier

    def _status(self, segment: str, target: str, lang: str) -> SegmentStatus:
        if target != segment:
            return SegmentStatus.TRANSLATED
        untranslated = is_source_wording(segment, lang, self.terms.keep)
        return SegmentStatus.UNTRANSLATED if untranslated else SegmentStatus.SAME


def _entry(source: str, target: str, status: SegmentStatus) -> dict[str, str]:
    return {"source": source, "target": target, "status": status}


def _with(task: TranslationTask, segments: tuple[str, ...]) -> TranslationTask:
    return TranslationTask(task.source_lang, task.lang, segments, task.passages, task.translations)


def _passages(unit: QueryTexts) -> Sequence[str]:
    """Return the chunks that a query was written from; of people's questions, the first of each group of its gold."""
    value: Mapping[str, Any] = unit.row.value
    return value["written_from"] or list(dict.fromkeys(group[0] for group in value["gold"]))


def _translations(units: Iterable[ChunkTexts], memory: Memory, lang: str) -> tuple[str, ...]:
    said = [render(unit.chunk.text, unit.text.spans, memory, lang) for unit in units]
    return tuple(one.text for one in said if one.whole)
