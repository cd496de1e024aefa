"""The texts of a benchmark in another language, as pairs to check, and what is wrong with each record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ragaliq.build.translation.memory import Memory
from ragaliq.build.translation.rendering import RenderedText, render
from ragaliq.build.translation.units import ChunkTexts, QueryTexts, Text
from ragaliq.types import Chunk, RecordKind, Severity, TranslationFinding, TranslationPair

# Kinds of findings.
UNTRANSLATED, MISSING = "untranslated", "missing"
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Version:
    """A text in another language.

    Attributes:
        pair: the text and its translation.
        rendered: how the translation was put together.
    """

    pair: TranslationPair
    rendered: RenderedText

    def findings(self) -> Iterator[TranslationFinding]:
        """Yield what is untranslated, or has no reply."""
        for kind, segments in ((UNTRANSLATED, self.rendered.untranslated), (MISSING, self.rendered.missing)):
            if segments:
                more = f" and {len(segments) - 1} more" if len(segments) > 1 else ""
                said = "not translated" if kind == UNTRANSLATED else "without translation"
                message = f"{said}: '{segments[0][:_SHOWN]}'{more}"
                yield TranslationFinding(self.pair.lang, self.pair.record, self.pair.id, kind, Severity.ERROR, message)


@dataclass(frozen=True, slots=True)
class ChunkVersion:
    """A chunk in another language; its title is part of the chunk."""

    text: Version
    title: Version

    @property
    def versions(self) -> tuple[Version, ...]:
        """All its texts."""
        return (self.text, self.title) if self.title.pair.source else (self.text,)

    def of(self, chunk: Chunk) -> Chunk:
        """Return the chunk with its text and title in the other language."""
        return replace(chunk, text=self.text.pair.target, title=self.title.pair.target)


@dataclass(frozen=True, slots=True)
class QueryVersion:
    """A query in another language; without reference and nuggets if it is unanswerable."""

    text: Version
    reference: Version | None
    nuggets: Mapping[str, Version]

    @property
    def versions(self) -> tuple[Version, ...]:
        """All its texts."""
        return (self.text, *((self.reference,) if self.reference else ()), *self.nuggets.values())


def chunk_version(unit: ChunkTexts, memory: Memory, lang: str) -> ChunkVersion:
    """Return a chunk in the language of a memory."""

    def version(text: Text) -> Version:
        return _version(text, memory, (RecordKind.CHUNK, unit.chunk.doc_id, unit.chunk.lang, lang))

    return ChunkVersion(version(unit.text), version(unit.title))


def query_version(unit: QueryTexts, memory: Memory, lang: str) -> QueryVersion:
    """Return a query in the language of a memory."""
    row, value = unit.row, unit.row.value
    ids = [one["nugget_id"] for one in value["nuggets"]] if unit.nuggets else []
    # The chunks that the answer may be copied from: those that it was written from, and those that support it.
    gold = tuple(dict.fromkeys([*value["written_from"], *(doc_id for group in value["gold"] for doc_id in group)]))

    def version(record: RecordKind, item_id: str, text: Text) -> Version:
        pair = record, item_id, row.lang, lang
        of_query = "" if record is RecordKind.QUERY else row.item_id
        return _version(text, memory, pair, of_query, gold if record is RecordKind.REFERENCE else ())

    return QueryVersion(
        version(RecordKind.QUERY, row.item_id, unit.text),
        version(RecordKind.REFERENCE, row.item_id, unit.reference) if unit.reference.text else None,
        {nugget_id: version(RecordKind.NUGGET, nugget_id, text)
         for nugget_id, text in zip(ids, unit.nuggets, strict=True)},
    )  # fmt: skip


def _version(
    text: Text, memory: Memory, names: tuple[RecordKind, str, str, str], query_id: str = "", gold: tuple[str, ...] = ()
) -> Version:
    rendered = render(text.text, text.spans, memory, names[3])
    return Version(TranslationPair(*names, text.text, rendered.text, query_id, gold), rendered)
