"""Chunk: the passages of the documents, with exact spans."""

from __future__ import annotations

from collections.abc import Iterator

from ragaliq.build.context import BuildContext
from ragaliq.build.documents.chunking import Chunking, chunk_document
from ragaliq.build.documents.language import in_another_language
from ragaliq.build.documents.reading import PROSE
from ragaliq.build.documents.tokens import token_counter
from ragaliq.build.stage_row import StageRow, content_hash
from ragaliq.build.stages import ingest
from ragaliq.build.update.chunk_ids import ChunkIds
from ragaliq.errors import InputError
from ragaliq.text.language import identify
from ragaliq.types import Chunk

NAME = "chunk"


def chunk(context: BuildContext) -> None:
    """Write a row for each chunk; those with fewer characters than `min_chars`, or in another language, are removed.

    A chunk whose text its document had in the earlier version keeps its id; `moved` says that it is elsewhere now. The
    other ids of the earlier version are retired.

    Raises:
        InputError: if no chunk is left.
    """
    settings = context.settings.chunk
    chunking = Chunking(settings.max_tokens, token_counter(settings.tokenizer), settings.sections)
    rows = list(_rows(context, chunking))
    if not any(row.kept for row in rows):
        raise InputError(f"{context.workspace.settings_file}: no chunk has chunk.min_chars characters; lower it")
    context.workspace.write_rows(NAME, rows)


def chunks_of(context: BuildContext) -> dict[str, list[Chunk]]:
    """Return the kept chunks of each language, in the order of their ids."""
    chunks: dict[str, list[Chunk]] = {}
    for row in context.workspace.kept(NAME):
        value = row.value
        chunks.setdefault(row.lang, []).append(
            Chunk(
                row.item_id, row.lang, value["text"], value["source_id"], value["start"], value["end"], value["title"]
            )
        )
    return chunks


def _rows(context: BuildContext, chunking: Chunking) -> Iterator[StageRow]:
    ids = ChunkIds(context.earlier.rows(NAME))
    rows = []
    for row in _cut(context, chunking, ids):
        rows.append((row.lang, row.item_id))
        yield row
    yield from ids.retired(rows, context.settings.version)


def _cut(context: BuildContext, chunking: Chunking, ids: ChunkIds) -> Iterator[StageRow]:
    least = context.settings.chunk.min_chars
    for document in context.workspace.kept(ingest.NAME):
        text = ingest.read_copy(context, document)
        for cut in chunk_document(text, document.item_id, document.lang, chunking):
            assert text[cut.start : cut.end] == cut.text
            one = ids.of(cut)
            value = {"source_id": one.source_id, "start": one.start, "end": one.end, "title": one.title,
                     "tokens": chunking.count(one.text), "text": one.text}  # fmt: skip
            if one.doc_id != cut.doc_id and not one.doc_id.startswith(f"{cut.doc_id}~"):
                value["moved"] = True
            reason, detail = "", ""
            if len(one.text) < least:
                reason, detail = "short", f"{len(one.text)} of {least} characters"
            elif document.value["kind"] == PROSE and in_another_language(one.text, one.lang):
                reason, detail = "other language", f"it looks like '{identify(one.text, [one.lang])}'"
            yield StageRow(one.doc_id, one.lang, value, reason, detail, content_hash([NAME, one.doc_id, one.text]))
