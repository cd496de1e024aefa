"""The documents that ship with a benchmark: without what its corpus lacks, and in every language."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import ingest
from ragaliq.build.stages.chunk import chunks_of
from ragaliq.build.translation.documents import translated_document
from ragaliq.types import Chunk

Corpus = Mapping[str, Sequence[Chunk]]


def source_documents(context: BuildContext, corpus: Corpus, langs: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield name and text of each shipped document.

    In the documents' own languages, what is in no shipped chunk any more is blanked out, letter by letter: all offsets
    stay valid. In another language a document is made of its translated chunks.

    Args:
        context: the build.
        corpus: the shipped chunks of every language.
        langs: the languages of the documents.
    """
    chunks = {lang: own for lang, own in chunks_of(context).items() if lang in langs}
    blanks = _blanks(chunks, corpus)
    own = {lang: _by_source(of_lang) for lang, of_lang in chunks.items()}
    translated = {lang: _by_source(corpus[lang]) for lang in sorted(corpus.keys() - set(langs))}
    for document in _shipped_documents(context, langs):
        text = ingest.read_copy(context, document)
        yield f"sources/{document.lang}/{document.item_id}", _blanked(text, blanks.get(document.item_id, ()))
        parts = own.get(document.lang, {}).get(document.item_id, ())
        for lang, of_lang in translated.items():
            said = {chunk.doc_id: chunk for chunk in of_lang.get(document.item_id, ())}
            yield f"sources/{lang}/{document.item_id}", translated_document(text, parts, said, lang)[0]


def source_names(context: BuildContext, corpus: Corpus, langs: Collection[str]) -> list[str]:
    """Return the names that `source_documents` yields."""
    return [
        f"sources/{lang}/{document.item_id}"
        for document in _shipped_documents(context, langs)
        for lang in sorted({document.lang, *(corpus.keys() - set(langs))})
    ]


def _shipped_documents(context: BuildContext, langs: Collection[str]) -> list[StageRow]:
    """Return the documents in some languages."""
    return [row for row in context.workspace.kept(ingest.NAME) if row.lang in langs]


def _by_source(chunks: Iterable[Chunk]) -> dict[str, list[Chunk]]:
    by_source: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        by_source.setdefault(chunk.source_id, []).append(chunk)
    return by_source


def _blanks(chunks: Corpus, corpus: Corpus) -> dict[str, list[tuple[int, int]]]:
    """Return the spans of each source whose chunks are not shipped."""
    shipped = {chunk.doc_id for own in corpus.values() for chunk in own}
    blanks: dict[str, list[tuple[int, int]]] = {}
    for own in chunks.values():
        for chunk in own:
            if chunk.doc_id not in shipped:
                blanks.setdefault(chunk.source_id, []).append((chunk.start, chunk.end))
    return blanks


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    characters = list(text)
    for start, end in spans:
        characters[start:end] = [char if char in "\r\n" else " " for char in characters[start:end]]
    return "".join(characters)
