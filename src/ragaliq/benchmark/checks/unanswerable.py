"""Queries that nothing in the corpus answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from ragaliq.benchmark.located import LocatedRows


def unanswerable_findings(
    language: LocatedRows, relevant: Mapping[str, Set[str]], authored: bool = True
) -> Iterator[str]:
    """Yield the unanswerable queries with a relevant chunk, or without the chunk that misleads.

    That they have neither gold nor nuggets, and that `near_miss` names a chunk, is checked with the rows.

    Args:
        language: the rows of one language.
        relevant: for each query the documents that its qrels call relevant.
        authored: the benchmark was written for its queries, and so knows what misleads.
    """
    for query_id, (item, where) in language.items.items():
        if item.answerable:
            continue
        if relevant.get(query_id):
            chunk = min(relevant[query_id])
            yield f"{where}: '{query_id}' is unanswerable, but '{chunk}' is relevant in its qrels"
        if authored and not item.near_miss:
            yield f"{where}: unanswerable query '{query_id}' names no 'near_miss', the chunk that misleads"
