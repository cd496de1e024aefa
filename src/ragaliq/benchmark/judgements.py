"""Judgements that a benchmark implies: from nuggets and gold to what is relevant to a query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragaliq.formats.freshstack import judged_nuggets
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.trec.qrels import sum_nuggets
from ragaliq.types import Nugget, Qrels

# Stands where TREC's columns want a document and nobody has judged one.
_NO_DOCUMENT = "none"


def binary_qrels(qrels: Qrels, min_rel: int = 1) -> dict[str, dict[str, int]]:
    """Return 1 for each judgement of at least `min_rel`, else 0; what is judged stays judged."""
    return {
        query_id: {doc_id: int(relevance >= min_rel) for doc_id, relevance in judged.items()}
        for query_id, judged in qrels.items()
    }


def derived_qrels(nuggets: Iterable[Nugget], gold: Mapping[str, Iterable[Iterable[str]]]) -> dict[str, dict[str, int]]:
    """Return relevance 1 for each document that supports a nugget of a query or stands in its gold.

    Queries without such a document are absent.
    """
    relevant = binary_qrels(sum_nuggets(judged_nuggets(nuggets, {})))
    for query_id, groups in gold.items():
        relevant.setdefault(query_id, {}).update({doc_id: 1 for group in groups for doc_id in group})
    return {query_id: judged for query_id, judged in relevant.items() if judged}


def subtopic_qrels(collection: Collection) -> dict[str, dict[str, dict[str, int]]]:
    """Return the nugget judgements of a collection in the form that subtopic qrels can hold.

    Documents judged for a query are judged 0 for the nuggets they do not support. A nugget without any judged document
    gets the row `none 0`, since Coverage counts every nugget that is named.
    """
    return {
        query_id: {nugget_id: dict(docs) or {_NO_DOCUMENT: 0} for nugget_id, docs in by_nugget.items()}
        for query_id, by_nugget in judged_nuggets(collection.nuggets, collection.qrels).items()
    }


def gold_of(collection: Collection) -> dict[str, list[list[str]]]:
    """Return for each query what answers it, an AND of ORs, as the retriever `gold` takes it.

    The groups of its gold come first, then those that support its other nuggets. A query with neither has each relevant
    document of its qrels as a group, the greatest relevance first; an unanswerable one has nothing.
    """
    gold = {query_id: [list(group) for group in groups] for query_id, groups in collection.gold.items()}
    for nugget in collection.nuggets:
        groups = gold.setdefault(nugget.query_id, [])
        if nugget.doc_ids and list(nugget.doc_ids) not in groups:
            groups.append(list(nugget.doc_ids))
    for query_id, judged in collection.qrels.items():
        if not gold.get(query_id):
            relevant = sorted((doc_id for doc_id in judged if judged[doc_id] > 0), key=lambda d: (-judged[d], d))
            gold[query_id] = [[doc_id] for doc_id in relevant]
    return gold
