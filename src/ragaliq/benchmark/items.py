"""Items for the queries of any collection: its references, and gold from its judgements."""

from __future__ import annotations

from collections.abc import Collection as Ids
from collections.abc import Iterable, Mapping

from ragaliq.formats.reading.collection import Collection, document
from ragaliq.types import Chunk, Item


def items_of(collection: Collection, known: Ids[str], min_rel: int = 1) -> tuple[Item, ...]:
    """Return an item for each query, in the order of the collection.

    Gold is the collection's own where it has some. Else it is one group, all documents of relevance `min_rel` and
    above: any of them answers. A query that was judged without finding such a document is unanswerable; of one that
    nobody judged no gold is known. Documents that are not `known` leave gold; a group left empty takes all of it away.
    """
    return tuple(_item(item, collection.qrels.get(item.query.query_id), known, min_rel) for item in collection.items)


def filled(chunk: Chunk) -> Chunk | None:
    """Return a document that holds text, None for a blank one; of one with a title alone the title becomes the text."""
    if chunk.text.strip():
        return chunk
    return document(chunk.doc_id, chunk.lang, chunk.title) if chunk.title.strip() else None


def _item(item: Item, judged: Mapping[str, int] | None, known: Ids[str], min_rel: int) -> Item:
    groups = item.gold
    if item.answerable and not groups:
        if judged is None:
            return Item(item.query, item.reference)
        relevant = sorted(doc_id for doc_id, relevance in judged.items() if relevance >= min_rel)
        groups = (tuple(relevant),) if relevant else ()
    return Item(item.query, item.reference, bool(groups), gold=_within(groups, known))


def _within(groups: Iterable[Iterable[str]], known: Ids[str]) -> tuple[tuple[str, ...], ...]:
    kept = tuple(tuple(doc_id for doc_id in group if doc_id in known) for group in groups)
    return kept if all(kept) else ()
