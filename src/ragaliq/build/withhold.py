"""Which queries become unanswerable: the documents that support them are taken out of the corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragaliq.build.plan import draw

# A fact in more documents than this is spread over the corpus, which would lose too much with it.
_MOST_DOCUMENTS = 3


@dataclass(frozen=True, slots=True)
class Supported:
    """A query of the benchmark as far as it matters here.

    Attributes:
        query_id: the query.
        nuggets: for each nugget the documents that support it.
        documents: what must leave the corpus for the query to be unanswerable: all that support a nugget, and those
            that it was written from.
        eligible: it may become unanswerable.
        earlier: whether it was unanswerable in the earlier version; None if that did not have it.
    """

    query_id: str
    nuggets: tuple[frozenset[str], ...]
    documents: frozenset[str]
    eligible: bool
    earlier: bool | None = None


def withheld_queries(queries: Sequence[Supported], share: float, seed: int) -> set[str]:
    """Return the queries of a language that become unanswerable, about a share of all, never more.

    They are drawn by the seed. A query that would lose the last support of a nugget with another's documents becomes
    unanswerable together with it; where it may not, or there is no room for it, the other is passed over.

    Queries of an earlier version stay what they were, whatever the share: only new ones are drawn. An answerable one
    changes only with an unanswerable one without whose documents it cannot be answered.
    """
    wanted = round(share * len(queries))
    by_id = {query.query_id: query for query in queries}
    chosen: set[str] = set()
    for query_id in sorted(by_id, key=lambda name: (by_id[name].earlier is not True, draw(seed, name))):
        if query_id in chosen or by_id[query_id].earlier is False:
            continue
        group = _with_dependants(query_id, by_id, chosen)
        if by_id[query_id].earlier:
            has_room = True
        else:
            has_room = len(group) <= wanted and all(by_id[one].earlier is None for one in group - chosen)
        if has_room and all(_fits(by_id[one]) for one in group):
            chosen = group
    return chosen


def _fits(query: Supported) -> bool:
    return query.eligible and len(query.documents) <= _MOST_DOCUMENTS


def _with_dependants(query_id: str, by_id: Mapping[str, Supported], chosen: set[str]) -> set[str]:
    """Return the chosen queries with a further one and all that cannot be answered without its documents."""
    group = {*chosen, query_id}
    while True:
        gone = {doc_id for one in group for doc_id in by_id[one].documents}
        lost = {one.query_id for one in by_id.values() if any(docs and docs <= gone for docs in one.nuggets)}
        if lost <= group:
            return group
        group |= lost
