"""What is wrong between a collection's documents, queries and judgements, before anything is measured with it."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ragaliq.formats.reading.collection import Collection, judged_ids
from ragaliq.text.terms import words
from ragaliq.types import Chunk

# Above this share of judged documents that the corpus lacks, the ids are written differently on both sides.
_NEARLY_ALL = 0.9
# Below this share of judged queries whose text is there, the judgements are those of another split.
_FEW = 0.5


class DocumentScan:
    """What a pass over a corpus found; it keeps the judged ids, the queries, and eight bytes per document.

    The figures are complete once `chunks` has ended.

    Attributes:
        documents: number of documents, blank ones included.
        repeated: documents whose id occurred before.
        first_repeated: id of the first of them, empty if there is none.
        blank: number of documents without text and title.
        first_blank: id of the first of them.
        spaced: documents whose id holds white space.
        first_spaced: id of the first of them.
        first: id of the first document.
        judged: number of ids that the judgements name.
        missing: those of them that the corpus lacks, sorted.
        own: ids of queries whose document of the same id is the query's text, word for word, and not judged relevant
            to it, sorted.
        sha256: hash of ids, titles and texts in their order; equal hashes mean the same snapshot, in any place and
            format.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self.documents = self.repeated = self.blank = self.spaced = self.judged = 0
        self.first = self.first_repeated = self.first_blank = self.first_spaced = self.sha256 = ""
        self.missing: list[str] = []
        self.own: list[str] = []

    def chunks(self) -> Iterator[Chunk]:
        """Yield the corpus from its start, and count from 0 what is read."""
        queries = {query.query_id: query.text for query in self._collection.queries}
        missing = judged_ids(self._collection)
        # Only the hash of an id is kept; among ten million documents two equal 64-bit hashes are improbable.
        hashes, digest = array("q"), hashlib.sha256()
        self.judged, self.blank, self.spaced, self.own = len(missing), 0, 0, []
        self.first = self.first_blank = self.first_spaced = self.first_repeated = ""
        for chunk in self._collection.chunks():
            self.first = self.first or chunk.doc_id
            hashes.append(hash(chunk.doc_id))
            digest.update(_record(chunk))
            missing.discard(chunk.doc_id)
            if not chunk.text.strip() and not chunk.title.strip():
                self.blank += 1
                self.first_blank = self.first_blank or chunk.doc_id
            if chunk.doc_id.split() != [chunk.doc_id]:
                self.spaced += 1
                self.first_spaced = self.first_spaced or chunk.doc_id
            query = queries.get(chunk.doc_id)
            if query is not None and _finds_itself(self._collection, chunk, query):
                self.own.append(chunk.doc_id)
            yield chunk
        again = _repeated(hashes)
        self.documents, self.repeated = len(hashes), len(again)
        if len(again):
            # The corpus is read again to name it.
            self.first_repeated = next(islice(self._collection.chunks(), int(again[0]), None)).doc_id
        self.missing, self.own, self.sha256 = sorted(missing), sorted(self.own), digest.hexdigest()


def check_queries(collection: Collection) -> list[str]:
    """Return notes on queries and judgements that do not meet; the corpus is not read.

    `warning[wrong-split]` where fewer than half of the judged queries have a text, `warning[missing-queries]` where
    any has none.
    """
    if not collection.qrels:
        return []
    texts = {query.query_id for query in collection.queries}
    ready = sum(query_id in texts for query_id in collection.qrels)
    total = len(collection.qrels)
    if ready == total:
        return []
    lost = next(query_id for query_id in collection.qrels if query_id not in texts)
    there = f", the queries have '{collection.queries[0].query_id}'" if collection.queries else ""
    said = f"{_name(collection)}: evaluating {ready} / {total} queries; the judgements name '{lost}'{there}"
    if ready < _FEW * total:
        return [f"warning[wrong-split]: {said}; check --split and how ids are written"]
    return [f"warning[missing-queries]: {said}; a query without text counts 0"]


def scan_documents(collection: Collection) -> DocumentScan:
    """Read the corpus once, and count."""
    scan = DocumentScan(collection)
    for _ in scan.chunks():
        pass
    return scan


def scan_notes(collection: Collection, scan: DocumentScan) -> list[str]:
    """Return a note for each thing that a scan found: `id_notes`, and what makes retrieval harder.

    `warning[empty-documents]`: documents with neither text nor title. `warning[self-match]`: a query's text is the
    document of the same id, which is not judged relevant: it would come first. Where ids are shared and texts are not,
    as with running numbers on both sides, nothing is left out, and nothing told.
    """
    name, notes = _name(collection), id_notes(collection, scan)
    if scan.blank:
        said = f"{name}: {scan.blank} of {scan.documents} documents hold no text, the first is '{scan.first_blank}'"
        notes.append(f"warning[empty-documents]: {said}; no retriever can find them")
    if scan.own:
        said = f"{name}: {len(scan.own)} queries are documents of the corpus, such as '{scan.own[0]}'"
        notes.append(f"warning[self-match]: {said}; leave each query's own document out of its results")
    return notes


def id_notes(collection: Collection, scan: DocumentScan) -> list[str]:
    """Return a note for ids that stand more than once, and one for judged documents that the corpus lacks.

    `warning[id-mismatch]`: over nine tenths of the judged documents are not in the corpus; an example of each side
    shows how ids are written. `warning[truncated-corpus]`: some are not, or there is no document at all, so that recall
    has another denominator than what can be found.
    """
    name, notes = _name(collection), []
    if not scan.documents:
        return [f"warning[truncated-corpus]: {name}: the corpus holds no document; fetch the whole corpus"]
    if scan.repeated:
        notes.append(f"{name}: {repeated_ids(scan)}")
    if scan.missing:
        counts = f"{name}: {len(scan.missing)} of {scan.judged} judged documents are not in the corpus"
        if len(scan.missing) > _NEARLY_ALL * scan.judged:
            said = f"{counts}: judgements have '{scan.missing[0]}', the corpus '{scan.first}'"
            notes.append(f"warning[id-mismatch]: {said}; check how both sides write ids")
        else:
            notes.append(f"warning[truncated-corpus]: {counts}, such as '{scan.missing[0]}'; fetch the whole corpus")
    return notes


def spaced_ids(collection: Collection, scan: DocumentScan) -> str:
    """Return a note on doc ids with white space, which other readers of TREC's columns cut; empty if there are none."""
    if not scan.spaced:
        return ""
    counts = f"{_name(collection)}: {scan.spaced} of {scan.documents} doc ids hold white space"
    return (
        f"warning[spaces-in-ids]: {counts}, such as '{scan.first_spaced}': written as they are, which ragaliq reads; "
        "trec_eval and others read another id there or refuse the line; rename them for those"
    )


def repeated_ids(scan: DocumentScan) -> str:
    """Return what is told of a corpus in which an id stands more than once."""
    counts = f"{scan.repeated} of {scan.documents} documents repeat an id"
    return f"'{scan.first_repeated}' stands more than once ({counts}); ids must be unique"


def warning_name(note: str) -> str:
    """Return the name of a note that is a warning, such as `id-mismatch`; empty for any other."""
    return note.removeprefix("warning[").partition("]")[0] if note.startswith("warning[") else ""


def _repeated(hashes: array[int]) -> NDArray[np.intp]:
    """Return the places of the hashes that occurred before, ascending."""
    values = np.array(hashes, dtype=np.int64)
    # Places take three times the memory of the hashes, and mostly none is needed.
    if len(np.unique(values)) == len(values):
        return np.empty(0, dtype=np.intp)
    again = np.ones(len(values), dtype=bool)
    again[np.unique(values, return_index=True)[1]] = False
    return np.flatnonzero(again)


def _record(chunk: Chunk) -> bytes:
    # Half a surrogate pair may come from a foreign file; lengths keep texts apart that run into each other.
    parts = [part.encode("utf-8", "surrogatepass") for part in (chunk.doc_id, chunk.title, chunk.text)]
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def _finds_itself(collection: Collection, chunk: Chunk, query: str) -> bool:
    if collection.qrels.get(chunk.doc_id, {}).get(chunk.doc_id, 0) > 0:
        return False
    asked = words(query)
    return bool(asked) and asked in (words(chunk.text), words(f"{chunk.title} {chunk.text}"))


def _name(collection: Collection) -> str:
    return "/".join(part for part in (collection.name, collection.lang, collection.split) if part)
