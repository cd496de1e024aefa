"""Can every gold chunk be found by some retriever that needs no model?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragaliq.corpus.layout import declared_languages
from ragaliq.corpus.located import Language, read_language
from ragaliq.io import read_json
from ragaliq.types import Query

# How deep a gold chunk may stand for the question, and for what its answer says.
BY_QUESTION, BY_ANSWER = 20, 5


def unreachable(folder: Path) -> list[str]:
    """Return `FILE:LINE: …` for each gold chunk of a benchmark in our own layout that no retriever finds.

    Found means: by BM25 over words or over character n-grams, among the first 20 for the text of the query, or among
    the first 5 for the reference or one of the query's nuggets. Such a chunk is out of reach because the gold is wrong
    or the texts have nothing in common. Rows that cannot be read are left out; `corpus.validate` tells of them.

    Raises:
        InputError: if the folder has no usable `bench.json`.
    """
    findings: list[str] = []
    for lang in declared_languages(read_json(folder / "bench.json"), folder / "bench.json"):
        findings.extend(_of_language(read_language(folder, lang, [])))
    return findings


def _of_language(language: Language) -> Iterator[str]:
    asked = _asked(language)
    if not language.chunks or not asked:
        return
    found = _found(language, asked)
    for query_id, located in language.items.items():
        for doc_id in sorted({doc_id for group in located.record.gold for doc_id in group}):
            if doc_id in language.chunks and doc_id not in found[query_id]:
                yield (
                    f"{located.where}: gold '{doc_id}' of '{query_id}' is out of reach: neither words nor character "
                    f"n-grams find it among the first {BY_QUESTION} for the question or {BY_ANSWER} for the answer"
                )


def _asked(language: Language) -> list[tuple[Query, int]]:
    """Return for each query with gold what is searched for, and how deep."""
    nuggets: dict[str, list[str]] = {}
    for nugget in language.nuggets.values():
        nuggets.setdefault(nugget.record.query_id, []).append(nugget.record.text)
    asked = []
    for query_id, located in language.items.items():
        item = located.record
        if item.gold:
            answers = [text for text in (item.reference, *nuggets.get(query_id, ())) if text]
            asked.append((item.query, BY_QUESTION))
            asked += [(Query(query_id, language.lang, text), BY_ANSWER) for text in answers]
    return asked


def _found(language: Language, asked: list[tuple[Query, int]]) -> dict[str, set[str]]:
    from ragaliq.retrieve.hybrid import Bm25Retriever, CharRetriever

    found: dict[str, set[str]] = {query.query_id: set() for query, _ in asked}
    chunks = [located.record for located in language.chunks.values()]
    for retriever in (Bm25Retriever(), CharRetriever()):
        retriever.index(chunks)
        lists = retriever.retrieve_batch([query for query, _ in asked], BY_QUESTION)
        for (query, depth), hits in zip(asked, lists, strict=True):
            found[query.query_id] |= {hit.chunk.doc_id for hit in hits[:depth]}
    return found
