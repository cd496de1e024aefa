"""Each thing that can be wrong between documents, queries and judgements, and its name."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

from ragaliq.benchmark.document_checks import (
    DocumentScan,
    check_queries,
    scan_documents,
    scan_notes,
    warning_name,
)
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.types import Chunk, Query
from unit.benchmark.small_collection import FULL, PLAIN
from unit.formats.sets import items_for


def over(*chunks: Chunk, **changes: object) -> Collection:
    return replace(PLAIN, chunks=lambda: iter(chunks), **changes)  # type: ignore[arg-type]


def check_documents(collection: Collection) -> list[str]:
    return scan_notes(collection, scan_documents(collection))


def numbered(queries: int, judged: dict[str, dict[str, int]]) -> Collection:
    return replace(PLAIN, items=items_for(Query(str(i), "ja", "何？") for i in range(queries)), qrels=judged)


def test_a_whole_collection_has_nothing_to_tell() -> None:
    assert check_queries(FULL) == check_documents(FULL) == []
    scan = scan_documents(FULL)
    assert (scan.documents, scan.judged, scan.missing, scan.first) == (4, 4, [], "tür-1")
    assert check_queries(replace(FULL, qrels={})) == []


def test_e16_judgements_of_another_split() -> None:
    (note,) = check_queries(numbered(3, {str(i): {"d": 1} for i in range(2, 12)}))
    assert note == (
        "warning[wrong-split]: haus/de: evaluating 1 / 10 queries; the judgements name '3', the queries have '0'; "
        "check --split and how ids are written"
    )
    (note,) = check_queries(numbered(0, {"1": {"d": 1}}))
    assert warning_name(note) == "wrong-split"


def test_a_query_that_lost_its_text() -> None:
    (note,) = check_queries(numbered(3, {"1": {"d": 1}, "2": {"d": 1}, "01": {"d": 1}}))
    assert warning_name(note) == "missing-queries"
    assert "evaluating 2 / 3 queries" in note and "'01'" in note


def test_queries_that_nobody_judged_are_no_fault() -> None:
    assert check_queries(numbered(9, {"1": {"d": 1}})) == []


def test_e16_ids_written_in_two_ways() -> None:
    chunks = [document(f"{i}.0", "en", "text") for i in range(3)]
    (note,) = check_documents(over(*chunks, qrels={"q1": {"0": 1, "1": 0}}))
    assert note == (
        "warning[id-mismatch]: haus/de: 2 of 2 judged documents are not in the corpus: judgements have '0', the corpus "
        "'0.0'; check how both sides write ids"
    )


def test_e16_a_corpus_that_was_cut() -> None:
    chunks = [document(str(i), "en", "text") for i in range(3)]
    (note,) = check_documents(over(*chunks, qrels={"q1": {"0": 1, "1": 0, "7": 1}}))
    assert warning_name(note) == "truncated-corpus"
    assert "1 of 3 judged documents are not in the corpus, such as '7'" in note


def test_nuggets_and_gold_name_documents_too() -> None:
    collection = replace(
        FULL, chunks=lambda: iter([document("d#4", "de", "x"), document("tür-1", "de", "x")]), qrels={}
    )
    assert scan_documents(collection).missing == ["repo/lies mich.md_0", "tür-2"]


def test_e16_empty_documents() -> None:
    chunks = [document("1", "th", " \n"), document("2", "th", "", "ชื่อ"), document("3", "th", ""), *FULL.chunks()]
    (note,) = check_documents(over(*chunks))
    assert note.startswith("warning[empty-documents]: haus/de: 2 of 7 documents hold no text, the first is '1'")


def test_e16_a_query_that_is_a_document_of_the_corpus() -> None:
    queries = tuple(Query(str(i), "hi", f"प्रश्न संख्या {i}") for i in range(3))
    asked = [document(str(i), "hi", f"प्रश्न, संख्या {i}.", "शीर्षक") for i in range(3)]
    collection = over(*asked, items=items_for(queries), qrels={"0": {"1": 1}, "2": {"2": 1}})
    (note,) = check_documents(collection)
    # Query 2 is judged relevant to itself: nothing may be left out.
    assert scan_documents(collection).own == ["0", "1"]
    assert note.startswith("warning[self-match]: haus/de: 2 queries are documents of the corpus, such as '0'; leave")


def test_running_numbers_on_both_sides_are_no_self_match() -> None:
    queries = tuple(Query(str(i), "en", f"question {i}") for i in range(3))
    chunks = [document(str(i), "en", f"An answer to question {i} of many.") for i in range(3)]
    assert check_documents(over(*chunks, items=items_for(queries), qrels={"0": {"1": 1}})) == []


def test_ids_that_stand_twice_are_counted_and_the_first_is_named() -> None:
    ids = ("tür-1", "tür-2", "tür-2", "repo/lies mich.md_0", "d#4", "tür-1", "tür-2")
    assert check_documents(over(*(document(doc_id, "en", "x") for doc_id in ids))) == [
        "haus/de: 'tür-2' stands more than once (3 of 7 documents repeat an id); ids must be unique"
    ]


def test_an_empty_corpus_lacks_everything() -> None:
    (note,) = check_documents(over())
    assert warning_name(note) == "truncated-corpus"
    assert check_documents(over(qrels={})) == [note]


def test_b10_the_snapshot_of_a_corpus_has_a_hash() -> None:
    whole = scan_documents(FULL).sha256
    assert whole == scan_documents(replace(FULL, name="other", items=(), qrels={}, nuggets=())).sha256
    chunks = list(FULL.chunks())
    changed = [
        chunks[::-1],
        chunks[1:],
        [replace(chunks[0], text="Die Tür ist rot"), *chunks[1:]],
        [replace(chunks[0], title=""), *chunks[1:]],
        [replace(chunks[0], doc_id="tür-"), *chunks[1:]],
        # A character that moves from the title into the text.
        [replace(chunks[0], title="Hau", text="s" + chunks[0].text), *chunks[1:]],
    ]
    assert len({whole, *(scan_documents(over(*chunks)).sha256 for chunks in changed)}) == 7


def test_a_scan_counts_what_passes_by_each_time_anew() -> None:
    scan = DocumentScan(FULL)
    next(scan.chunks())
    for _ in range(2):
        assert list(scan.chunks()) == list(FULL.chunks())
        assert vars(scan) == vars(scan_documents(FULL))


def test_a_scan_keeps_eight_bytes_of_a_document() -> None:
    def chunks() -> Iterator[Chunk]:
        return (document(f"document-{i}", "en", f"text {i} " * 20) for i in range(4_000))

    collection = replace(PLAIN, chunks=chunks)
    tracemalloc.start()
    scan_documents(collection)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The texts together take 1 MB.
    assert peak < 200_000 + 64 * 4_000
