"""What is translated: chunks and queries with their segments, and which of them asks for which segment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragaliq.build.context import BuildContext
from ragaliq.build.documents.code import is_program
from ragaliq.build.documents.language import check_translatable
from ragaliq.build.documents.markdown import open_fence
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import filter as filter_stage
from ragaliq.build.stages import ingest
from ragaliq.build.stages.chunk import chunks_of
from ragaliq.build.translation.segment import segment_text
from ragaliq.build.translation.spans import Span, line_spans, sentence_spans
from ragaliq.types import Chunk

# Between the headings of a chunk's title.
TITLE_MARK = " › "


@dataclass(frozen=True, slots=True)
class Text:
    """A text with the places of its segments."""

    text: str
    spans: tuple[Span, ...]

    @property
    def segments(self) -> tuple[str, ...]:
        """The segments in their order."""
        return tuple(segment_text(self.text[start:end]) for start, end in self.spans)


@dataclass(frozen=True, slots=True)
class ChunkTexts:
    """The texts of a chunk."""

    chunk: Chunk
    text: Text
    title: Text

    @property
    def name(self) -> str:
        """Its kind and id."""
        return f"chunk {self.chunk.doc_id}"

    @property
    def segments(self) -> tuple[str, ...]:
        """All segments."""
        return (*self.text.segments, *self.title.segments)


@dataclass(frozen=True, slots=True)
class QueryTexts:
    """The texts of a query: of an unanswerable one the question alone, since no other text of it is shipped.

    Attributes:
        row: its row of `filter`.
        text: the question; its lines are not cut into sentences, which seldom occur elsewhere.
        reference: cut like a chunk, so that the sentences that it has from one are the same segments.
        nuggets: each is one segment.
    """

    row: StageRow
    text: Text
    reference: Text
    nuggets: tuple[Text, ...]

    @property
    def name(self) -> str:
        """Its kind and id."""
        return f"query {self.row.item_id}"

    @property
    def segments(self) -> tuple[str, ...]:
        """All segments."""
        return tuple(segment for text in (self.text, self.reference, *self.nuggets) for segment in text.segments)


def source_language(context: BuildContext) -> str:
    """Return the language that is translated.

    Raises:
        ConfigError: if the documents are in several languages, or it is one of the targets.
    """
    langs = sorted({row.lang for row in context.workspace.kept(ingest.NAME)})
    check_translatable(langs, context.settings.translate.languages, str(context.workspace.settings_file))
    return langs[0] if langs else ""


def chunk_units(context: BuildContext, lang: str) -> list[ChunkTexts]:
    """Return the chunks of the corpus, document by document in reading order."""
    shipped = {chunk.doc_id for chunk in filter_stage.corpora_of(context, [lang])[lang]}
    documents = {row.item_id: row for row in context.workspace.kept(ingest.NAME)}
    by_source: dict[str, list[Chunk]] = {}
    for chunk in chunks_of(context).get(lang, ()):
        by_source.setdefault(chunk.source_id, []).append(chunk)
    units = []
    for source_id, chunks in by_source.items():
        document = ingest.read_copy(context, documents[source_id])
        fence, at = "", 0
        for chunk in sorted(chunks, key=lambda one: one.start):
            fence, at = open_fence(document[at : chunk.start], fence), chunk.start
            if chunk.doc_id in shipped:
                units.append(_chunk_texts(chunk, fence))
    return units


def query_units(context: BuildContext, lang: str) -> list[QueryTexts]:
    """Return the queries that `filter` kept, sorted by id."""
    return [_query_texts(row) for row in context.workspace.kept(filter_stage.NAME) if row.lang == lang]


def new_segments(units: Iterable[ChunkTexts | QueryTexts], known: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield for each unit the segments that no earlier one has, and add them to those that are known."""
    for unit in units:
        new = tuple(segment for segment in dict.fromkeys(unit.segments) if segment not in known)
        known.update(new)
        yield new


def _chunk_texts(chunk: Chunk, fence: str) -> ChunkTexts:
    spans: Sequence[Span] = () if is_program(chunk.source_id) else sentence_spans(chunk.text, fence)
    return ChunkTexts(chunk, Text(chunk.text, tuple(spans)), Text(chunk.title, tuple(_parts(chunk.title))))


def _query_texts(row: StageRow) -> QueryTexts:
    value = row.value
    answerable = value["answerable"]
    reference = value["reference"] if answerable else ""
    nuggets = [one["text"] for one in value["nuggets"]] if answerable else []
    return QueryTexts(
        row,
        Text(value["text"], tuple(line_spans(value["text"]))),
        Text(reference, tuple(sentence_spans(reference))),
        tuple(Text(text, tuple(line_spans(text))) for text in nuggets),
    )


def _parts(title: str) -> Iterator[Span]:
    at = 0
    for part in title.split(TITLE_MARK):
        if any(map(str.isalnum, part)):
            yield at, at + len(part)
        at += len(part) + len(TITLE_MARK)
