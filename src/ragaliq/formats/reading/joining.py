"""The queries of a split: texts and judgements joined on the query id."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.streams import Stored
from ragaliq.types import Item, Qrels, Query


def join_judgements(
    texts: Mapping[str, str], judged: Qrels, lang: str, source: Stored | Path
) -> tuple[tuple[Item, ...], Qrels]:
    """Return the judged queries in the order of their texts, and all judgements, joined on the query id.

    A text without judgements belongs to another split and is left out silently. Judgements without a text stay, so that
    their queries count 0 as they do wherever the run lacks them; `benchmark.document_checks.check_queries` counts them.

    Args:
        texts: query id → text.
        judged: query id → doc id → relevance.
        lang: the queries' language.
        source: where the judgements are, for messages.

    Raises:
        InputError: if no query has both, as where the split or the type of the ids is wrong.
    """
    qrels = {query_id: docs for query_id, docs in judged.items() if docs}
    items = tuple(Item(Query(query_id, lang, text), "") for query_id, text in texts.items() if query_id in qrels)
    if not items:
        examples = f" (such as '{next(iter(judged))}' and '{next(iter(texts))}')" if texts and judged else ""
        raise InputError(
            f"{source}: error[wrong-split]: none of its {len(judged)} judged queries is among the {len(texts)} "
            f"queries{examples}; take queries and judgements of one split"
        )
    return items, qrels
