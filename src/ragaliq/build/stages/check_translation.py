"""Check-translation: what is shipped in every language, and why the rest is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ragaliq.benchmark.checks.answer_leaks import leaked
from ragaliq.benchmark.translation.check import check_pairs
from ragaliq.benchmark.translation.findings_file import FINDINGS, finding_of_row, finding_row, write_findings
from ragaliq.build.candidates import LEAK
from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import FAILED, StageRow, content_hash
from ragaliq.build.stages import ingest, translate
from ragaliq.build.translation.back import BackTranslation, back_translation, back_translation_findings
from ragaliq.build.translation.documents import translated_document
from ragaliq.build.translation.glossary import build_terms
from ragaliq.build.translation.memory import memory_of
from ragaliq.build.translation.survivors import Lost, surviving_value
from ragaliq.build.translation.units import ChunkTexts, QueryTexts, chunk_units, query_units, source_language
from ragaliq.build.translation.versions import (
    MISSING,
    ChunkVersion,
    QueryVersion,
    Version,
    chunk_version,
    query_version,
)
from ragaliq.build.workspace import Workspace
from ragaliq.types import Chunk, Item, Query, RecordKind, Severity, TranslationFinding

NAME = "check-translation"
# Reasons beside the kinds of findings.
ELSEWHERE, GOLD_LOST = "in another language", "gold lost"
# Reason, and the reason in full.
_Error = tuple[str, str]
# Language, kind and id of a text.
_Name = tuple[str, RecordKind, str]


def check_translation(context: BuildContext) -> None:
    """Write a row for each chunk and query in each language, the source's included, with all findings of its texts.

    A chunk with an error in any language leaves the corpus of every language. So does a query whose text, reference or
    a nugget has an error, or of which a nugget loses all its documents. The reason is the kind of the first error; in
    the other languages it is `in another language`.
    """
    checking = _Checking(context, source_language(context))
    context.workspace.write_rows(NAME, checking.rows())
    write_stage_findings(context.workspace)


def write_stage_findings(workspace: Workspace) -> list[TranslationFinding]:
    """Write the findings that the stage's rows hold to `build/translation_findings.jsonl`, and return them."""
    findings = [finding_of_row(one) for row in workspace.rows(NAME) for one in row.value["findings"]]
    return write_findings(workspace.build / FINDINGS, findings)


@dataclass
class _Checking:
    """The work of one call. Languages: the source, then the targets."""

    context: BuildContext
    lang: str
    chunks: list[ChunkTexts] = field(init=False)
    queries: list[QueryTexts] = field(init=False)

    def __post_init__(self) -> None:
        self.chunks = chunk_units(self.context, self.lang)
        self.queries = query_units(self.context, self.lang)
        self.targets = self.context.settings.translate.languages
        self._rows = self.context.workspace.rows(translate.NAME)
        memories = {lang: memory_of(self._rows, lang) for lang in self.targets}
        self.chunk_versions: dict[tuple[str, str], ChunkVersion] = {
            (lang, unit.chunk.doc_id): chunk_version(unit, memories[lang], lang)
            for lang in self.targets for unit in self.chunks
        }  # fmt: skip
        self.query_versions: dict[tuple[str, str], QueryVersion] = {
            (lang, unit.row.item_id): query_version(unit, memories[lang], lang)
            for lang in self.targets for unit in self.queries
        }  # fmt: skip

    @cached_property
    def findings(self) -> list[TranslationFinding]:
        """What is wrong with all translations, or seems to be."""
        incomplete = [finding for one in self._versions() for finding in one.findings()]
        # A title is part of its chunk.
        whole = [one.pair for one in self._texts() if one.rendered.whole]
        checked = check_pairs(whole, build_terms(self.context.workspace, self.lang, self.targets))
        return sorted({*incomplete, *checked, *back_translation_findings(self.back_translations.values())})

    @cached_property
    def back_translations(self) -> dict[_Name, BackTranslation]:
        """The complete texts that were translated back, by language, kind and id."""
        if not self.context.settings.translate.back_translation:
            return {}
        return {
            (one.pair.lang, one.pair.record, one.pair.id): back_translation(one.pair, one.rendered.back)
            for one in self._texts()
            if one.rendered.whole and one.rendered.back is not None
        }

    def rows(self) -> Iterator[StageRow]:
        """Yield the rows."""
        of_chunks = {unit.chunk.doc_id: self._errors([(RecordKind.CHUNK, unit.chunk.doc_id)]) for unit in self.chunks}
        shipped = frozenset(doc_id for doc_id, errors in of_chunks.items() if not any(errors.values()))
        for lang in (self.lang, *self.targets):
            placed = {chunk.doc_id: chunk for chunk in self._placed(lang, shipped)}
            for unit in self.chunks:
                errors = of_chunks[unit.chunk.doc_id]
                value = self._chunk_value(lang, unit, placed.get(unit.chunk.doc_id))
                value |= self._findings_of(lang, [(RecordKind.CHUNK, unit.chunk.doc_id)])
                yield self._row(unit.chunk.doc_id, lang, value, errors[lang], _reason(lang, errors))
        for query in self.queries:
            yield from self._query_rows(query, shipped)

    def _chunk_value(self, lang: str, unit: ChunkTexts, placed: Chunk | None) -> dict[str, Any]:
        said = self.chunk_versions.get((lang, unit.chunk.doc_id))
        text = said.text.pair.target if said else unit.chunk.text
        value = {"record": "chunk", **self._chrf([said.text] if said else ()), "source_id": unit.chunk.source_id}
        places = {"start": placed.start, "end": placed.end, "title": placed.title} if placed else {}
        return {**value, **places, "text": text}

    def _query_rows(self, unit: QueryTexts, shipped: frozenset[str]) -> Iterator[StageRow]:
        """Yield the rows of a query; it is lost in all languages at once."""
        row, survivor = unit.row, surviving_value(unit.row.value, shipped)
        kept = row.value if isinstance(survivor, Lost) else survivor
        values = {lang: self._query_value(lang, row.item_id, kept) for lang in (self.lang, *self.targets)}
        versions = self.query_versions[self.targets[0], row.item_id].versions
        names = [(one.pair.record, one.pair.id) for one in versions]
        errors = self._errors(names)
        if unit.reference.text and not leaked(_item(row.item_id, self.lang, values[self.lang])):
            for lang in self.targets:
                how = leaked(_item(row.item_id, lang, values[lang]))
                errors[lang] += [(LEAK, how)] if how else []
        for lang, value in values.items():
            reason = _reason(lang, errors)
            if not reason[0] and isinstance(survivor, Lost):
                reason = GOLD_LOST, survivor.detail
            yield self._row(row.item_id, lang, {**value, **self._findings_of(lang, names)}, errors[lang], reason)

    def _query_value(self, lang: str, query_id: str, kept: Mapping[str, Any]) -> dict[str, Any]:
        said = self.query_versions.get((lang, query_id))
        if said is None:
            return {"record": "query", **kept}
        nuggets = [{**one, "text": said.nuggets[one["nugget_id"]].pair.target} if said.nuggets else one
                   for one in kept["nuggets"]]  # fmt: skip
        reference = said.reference.pair.target if said.reference else kept["reference"]
        texts = {"text": said.text.pair.target, "reference": reference, "nuggets": nuggets}
        return {"record": "query", **self._chrf(said.versions), **kept, **texts}

    def _row(
        self, item_id: str, lang: str, value: Mapping[str, Any], errors: Sequence[_Error], reason: _Error
    ) -> StageRow:
        value = {**value, "errors": sorted({kind for kind, _ in errors})}
        return StageRow(item_id, lang, value, *reason, content_hash([NAME, item_id, lang, value, reason]))

    def _errors(self, names: Sequence[tuple[RecordKind, str]]) -> dict[str, list[_Error]]:
        """Return what is wrong with an item's texts by language; nothing with the source."""
        errors: dict[str, list[_Error]] = {lang: [] for lang in (self.lang, *self.targets)}
        for lang, of_lang in errors.items():
            for record, item_id in names:
                for one in self._by_name.get((lang, record, item_id), ()):
                    if one.severity is not Severity.ERROR:
                        continue
                    kind = self._unanswered.get((lang, record, item_id), one.kind) if one.kind == MISSING else one.kind
                    of_lang.append((kind, f"{record} {item_id}: {one.message}"))
        return errors

    @cached_property
    def _by_name(self) -> dict[_Name, list[TranslationFinding]]:
        by_name: dict[_Name, list[TranslationFinding]] = {}
        for finding in self.findings:
            by_name.setdefault((finding.lang, finding.record, finding.id), []).append(finding)
        return by_name

    def _findings_of(self, lang: str, names: Sequence[tuple[RecordKind, str]]) -> dict[str, list[dict[str, str]]]:
        return {"findings": [finding_row(one) for name in names for one in self._by_name.get((lang, *name), ())]}

    @cached_property
    def _unanswered(self) -> dict[_Name, str]:
        """Texts with a segment that has no readable reply → why; `failed` if the same command asks again."""
        reasons = {(row.lang, segment): row.reason for row in self._rows for segment in row.value.get("missing", ())}
        return {
            (one.pair.lang, one.pair.record, one.pair.id): reasons.get((one.pair.lang, segment), FAILED)
            for one in self._versions()
            for segment in one.rendered.missing[:1]
        }

    @cached_property
    def _documents(self) -> dict[str, str]:
        """The texts of the documents that have chunks, by source."""
        sources = {unit.chunk.source_id for unit in self.chunks}
        rows = [row for row in self.context.workspace.kept(ingest.NAME) if row.item_id in sources]
        return {row.item_id: ingest.read_copy(self.context, row) for row in rows}

    def _placed(self, lang: str, shipped: frozenset[str]) -> Iterator[Chunk]:
        """Yield the shipped chunks in a language, with their places in its documents."""
        by_source: dict[str, list[Chunk]] = {}
        for unit in self.chunks:
            if unit.chunk.doc_id in shipped:
                by_source.setdefault(unit.chunk.source_id, []).append(unit.chunk)
        for source_id, chunks in by_source.items():
            if lang == self.lang:
                yield from chunks
                continue
            said = {chunk.doc_id: self.chunk_versions[lang, chunk.doc_id].of(chunk) for chunk in chunks}
            yield from translated_document(self._documents[source_id], chunks, said, lang)[1]

    def _texts(self) -> Iterator[Version]:
        """Yield the texts that are checked."""
        yield from (one.text for one in self.chunk_versions.values())
        yield from (version for one in self.query_versions.values() for version in one.versions)

    def _versions(self) -> Iterator[Version]:
        """Yield all texts, titles too."""
        yield from (version for one in self.chunk_versions.values() for version in one.versions)
        yield from (version for one in self.query_versions.values() for version in one.versions)

    def _chrf(self, versions: Sequence[Version]) -> dict[str, Any]:
        if not versions or not self.context.settings.translate.back_translation:
            return {}
        names = [(one.pair.lang, one.pair.record, one.pair.id) for one in versions]
        scores = [self.back_translations[name].chrf for name in names if name in self.back_translations]
        return {"chrf": scores, "no_chrf": len(names) - len(scores)}


def _item(query_id: str, lang: str, value: Mapping[str, Any]) -> Item:
    return Item(Query(query_id, lang, value["text"]), value["reference"], type=value["type"])


def _reason(lang: str, errors: Mapping[str, Sequence[_Error]]) -> _Error:
    """Return why an item is not shipped, and the reason in full; empty texts if it is."""
    if errors[lang]:
        return errors[lang][0]
    others = [f"{other}: {of_lang[0][0]}" for other, of_lang in errors.items() if of_lang]
    return (ELSEWHERE, ", ".join(others)) if others else ("", "")
