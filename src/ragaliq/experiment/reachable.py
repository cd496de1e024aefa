"""Can the gold be found by some retriever that needs no model?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragaliq.benchmark.layout import declared_languages
from ragaliq.benchmark.located import LocatedRows, read_language
from ragaliq.storage.files import read_json
from ragaliq.types import Query

# How deep a gold chunk may stand for the question, and for what its answer says.
BY_QUESTION, BY_ANSWER = 20, 5


def unreachable(folder: Path) -> list[str]:
    """Return `FILE:LINE: …` for each group of gold of a benchmark in our own layout that no retriever finds.

    One chunk of a group will do. Found means: by BM25 over words or over character n-grams, among the first 20 for the
    text of the query, or among the first 5 for the reference or one of the query's nuggets. Rows that cannot be read
    are left to `checks.validate`.

    Raises:
        InputError: if the folder has no usable `bench.json`.
    """
    findings: list[str] = []
    for lang in declared_languages(read_json(folder / "bench.json"), folder / "bench.json"):
        findings.extend(_of_language(read_language(folder, lang, [])))
    return findings


def _of_language(language: LocatedRows) -> Iterator[str]:
    missing = {
        query_id: {doc_id for group in located.record.gold for doc_id in group if doc_id in language.chunks}
        for query_id, located in language.items.items()
    }
    _search(language, missing)
    for query_id, doc_ids in missing.items():
        for group in language.items[query_id].record.gold:
            if group and doc_ids.issuperset(group):
                named = ", ".join(f"'{doc_id}'" for doc_id in sorted(group))
                yield (
                    f"{language.items[query_id].where}: gold {named} of '{query_id}' is out of reach: neither words "
                    f"nor character n-grams find it among the first {BY_QUESTION} for the question or {BY_ANSWER} for "
                    f"the answer; look whether it is the right chunk"
                )


def _search(language: LocatedRows, missing: dict[str, set[str]]) -> None:
    """Take away what is found, the cheap ways first: most gold is found by the words of the question."""
    from ragaliq.retrieve.hybrid import Bm25Retriever, CharRetriever

    questions = [located.record.query for located in language.items.values()]
    answers = _answers(language)
    for retriever in (Bm25Retriever(), CharRetriever()):
        if any(missing.values()):
            retriever.index([located.record for located in language.chunks.values()])
        for queries, depth in ((questions, BY_QUESTION), (answers, BY_ANSWER)):
            asked = [query for query in queries if missing.get(query.query_id)]
            for query, hits in zip(asked, retriever.retrieve_batch(asked, depth), strict=True):
                missing[query.query_id] -= {hit.chunk.doc_id for hit in hits}


def _answers(language: LocatedRows) -> list[Query]:
    """Return references and nuggets as queries with the ids of theirs."""
    items = language.items.items()
    texts = [(query_id, located.record.reference) for query_id, located in items]
    texts += [(located.record.query_id, located.record.text) for located in language.nuggets.values()]
    return [Query(query_id, language.lang, text) for query_id, text in texts if text]
