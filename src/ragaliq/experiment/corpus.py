"""The corpus of a collection as it is indexed: without blank documents, perhaps a part of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ragaliq.benchmark.document_checks import repeated_ids, scan_documents, scan_notes
from ragaliq.errors import InputError
from ragaliq.execution.progress import watched
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.reading.stored_documents import StoredDocuments
from ragaliq.text.language import SUPPORTED, identify, in_language
from ragaliq.text.terms import base_language, words
from ragaliq.types import Chunk, Query

# The language of a corpus is told from the beginnings of this many documents, at least three of them with letters.
_LOOKED_AT, _BEGINNING, _LEAST = 50, 1000, 3
# Above this share of documents in another language, the corpus is read in a wrong one; names and code mislead a few.
_MOST = 0.6


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is indexed in one language; it holds no query and no judgement.

    Attributes:
        name: the data set's name.
        lang: language of the documents.
        split: part of the queries that is asked.
        chunks: the documents that hold some text.
        hash: of the documents.
        truncated: documents of the data set are missing, so that values are too high.
        notes: notes for the user, a line each.
    """

    name: str
    lang: str
    split: str
    chunks: Sequence[Chunk]
    hash: str
    truncated: bool = False
    notes: tuple[str, ...] = ()

    def without_titles(self) -> tuple[Chunk, ...]:
        """Return the documents without their titles, and without those that are a title alone."""
        return tuple(replace(chunk, title="") for chunk in self.chunks if chunk.text.strip())


def read_corpus(collection: Collection) -> Corpus:
    """Read the documents of a collection; blank ones, without text and title, are not indexed.

    Raises:
        InputError: if an id occurs twice, or no document holds text.
    """
    read = list(watched(collection.chunks(), f"reading {collection.lang}", unit="doc"))
    scan = scan_documents(replace(collection, chunks=lambda: iter(read)))
    if scan.repeated:
        raise InputError(f"'{collection.name}': {repeated_ids(scan)}")
    chunks = tuple(chunk for chunk in read if chunk.text.strip() or chunk.title.strip())
    if not chunks:
        raise InputError(f"'{collection.name}' has no document with text in '{collection.lang}'; give a corpus")
    notes = list(collection.notes)
    # Which documents are the queries themselves is told by `self_matches`, with what is done about it.
    told = {"self-match", *filter(None, map(_warning, notes))}
    notes += [note for note in scan_notes(collection, scan) if _warning(note) not in told]
    notes += _foreign(collection, chunks)
    return Corpus(
        name=collection.name,
        lang=collection.lang,
        split=collection.split,
        chunks=chunks,
        hash=scan.sha256,
        truncated=collection.truncated,
        notes=tuple(notes),
    )


def stored_corpus(collection: Collection, chunks: Sequence[Chunk], documents: str) -> Corpus:
    """Return the corpus of a collection as an index on disk holds it; `documents` is the hash of its documents."""
    return Corpus(
        name=collection.name,
        lang=collection.lang,
        split=collection.split,
        chunks=chunks,
        hash=documents,
        truncated=collection.truncated,
        notes=tuple(collection.notes),
    )


def _foreign(collection: Collection, chunks: Sequence[Chunk]) -> list[str]:
    """Return `warning[language]` if most of the first documents are in another language than they are read in.

    Texts below twenty letters, and languages that the detector does not know, say nothing.
    """
    lang = base_language(collection.lang)
    if lang not in SUPPORTED:
        return []
    texts = [chunk.text[:_BEGINNING] for chunk in islice((chunk for chunk in chunks if chunk.text.strip()), _LOOKED_AT)]
    # One text is enough to tell its language from few others; naming a foreign language takes all of them.
    near = [in_language(text, lang) for text in texts]
    foreign = [text for text, own in zip(texts, near, strict=True) if own is False]
    n_told = len(near) - near.count(None)
    if n_told < _LEAST or len(foreign) <= _MOST * n_told:
        return []
    other = identify("\n".join(foreign), SUPPORTED)
    if other in (None, lang):
        return []
    return [
        f"warning[language]: {collection.name}: the documents look like '{other}' and are read as '{collection.lang}'; "
        "name the language with --lang"
    ]


def _warning(note: str) -> str:
    """Return the name of a warning, empty if a note is none."""
    return note.removeprefix("warning[").partition("]")[0] if note.startswith("warning[") else ""


def self_matches(
    corpus: Corpus, questions: Sequence[Query], qrels: Mapping[str, Mapping[str, int]], declared: bool = False
) -> frozenset[str]:
    """Return the ids of queries that are themselves a document of the corpus, and so no answer (ArguAna, Quora).

    Ids may meet by accident, so the words must be the same, too, in their order, with or without the title; unless the
    data set is `declared` to be made that way. A document judged relevant to the query of its id is an answer.
    """
    asked = {query.query_id: query.text for query in questions}

    def is_query(chunk: Chunk) -> bool:
        said = words(asked[chunk.doc_id])
        return declared or (bool(said) and said in (words(chunk.text), words(f"{chunk.title} {chunk.text}")))

    if isinstance(corpus.chunks, StoredDocuments):
        there = corpus.chunks.by_id
        candidates: Iterable[Chunk] = (there[query_id] for query_id in asked if query_id in there)
    else:
        candidates = (chunk for chunk in corpus.chunks if chunk.doc_id in asked)
    selves = {chunk.doc_id for chunk in candidates if is_query(chunk)}
    return frozenset(query_id for query_id in selves if qrels.get(query_id, {}).get(query_id, 0) <= 0)
