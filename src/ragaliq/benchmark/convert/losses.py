"""What a conversion loses, a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.squad import article_titles
from ragaliq.formats.trec.topics import one_line
from ragaliq.types import Item, Qrels

Collections = Mapping[str, Collection]
# The type of an item to which nobody gave one.
_UNTYPED = "single"


def lost_parts(parts: Iterable[str], collections: Collections, fmt: str) -> list[str]:
    """Return a line for each of some `PARTS` that a format cannot hold and the collections have."""
    counts = {part: sum(map(PARTS[part], collections.values())) for part in sorted(parts)}
    return [f"left out: {count} {part}, which '{fmt}' cannot hold" for part, count in counts.items() if count]


def unjudged(collections: Collections, fmt: str, what: str, with_gold: bool) -> list[str]:
    """Return a line for each language in which some queries have no judgements, with what becomes of them in a format.

    Where the format can say that nothing answers a query, gold is a judgement, too (`with_gold`).

    Raises:
        InputError: if no query of a language has any.
    """
    notes = []
    for lang, collection in collections.items():
        judged = {*collection.qrels, *(collection.gold if with_gold else ())}
        count = sum(query.query_id not in judged for query in collection.queries)
        if count == len(collection.queries):
            raise InputError(
                f"--to {fmt}: '{collection.name}' has no judged query in '{lang}', which {fmt} needs; "
                "write ragaliq or trec"
            )
        if count:
            notes.append(f"{lang}: {count} queries without judgements {what}")
    return notes


def labels_left_out(collections: Collections) -> list[str]:
    """Return a line on what a benchmark in our own layout says of queries and no format keeps, if it says it."""
    items = [item for collection in collections.values() for item in collection.items]
    counts = {
        "types": sum(item.type != _UNTYPED for item in items),
        "aliases": sum(len(item.aliases) for item in items),
        "difficulties": sum(bool(item.difficulty) for item in items),
        "near misses": sum(bool(item.near_miss) for item in items),
    }
    said = [f"{count} {label}" for label, count in counts.items() if count]
    return [f"left out: {', '.join(said)} of queries, which no conversion keeps"] if said else []


def article_titles_left_out(source: Path, collections: Collections) -> list[str]:
    """Return a note: titles of articles in SQuAD's form are not read, since they are not titles of paragraphs."""
    count = sum(article_titles(source, lang, collection.split) for lang, collection in collections.items())
    return [f"left out: {count} titles of articles, which are not read"] if count else []


def _is_grouped(item: Item, qrels: Qrels) -> bool:
    """Return whether gold says more than the judgements, which are one group of documents any of which will do."""
    groups, judged = item.gold, qrels.get(item.query.query_id, {})
    relevant = {doc_id for doc_id, relevance in judged.items() if relevance > 0}
    return bool(groups) and (len(groups) > 1 or set(groups[0]) != relevant)


# What a format may lack, and how many of a collection's there are.
PARTS: Mapping[str, Callable[[Collection], int]] = {
    "nuggets": lambda collection: len(collection.nuggets),
    "weights of nuggets": lambda collection: sum(nugget.importance != "vital" for nugget in collection.nuggets),
    "reference answers": lambda collection: len(collection.references),
    "queries with gold in groups": lambda collection: sum(
        _is_grouped(item, collection.qrels) for item in collection.items
    ),
    "judgements": lambda collection: sum(map(len, collection.qrels.values())),
    "queries' tabs and line ends": lambda collection: sum(one_line(q.text) != q.text for q in collection.queries),
}
