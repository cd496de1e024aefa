"""The documents of a query in batches for one call each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragaliq.build.plan import draw
from ragaliq.build.stage_row import content_hash

# A batch has at least this share of its maximum, except for the last one.
_LEAST = 0.75
_NONE: Mapping[str, Sequence[str]] = {}


def document_batches(
    doc_ids: Iterable[str], query_id: str, seed: int, most: int, earlier: Mapping[str, Sequence[str]] = _NONE
) -> dict[str, list[str]]:
    """Return batches of at most `most` documents by their ids.

    The order is drawn for each query, so that the best documents have no fixed place in a call. The last document of a
    batch is drawn from those that may end it. So one document more or less changes its own batch and seldom the next;
    all others keep their documents, their ids and their judgements. The documents of `earlier` batches stay together,
    as far as they are still wanted; only others are put into new batches.
    """
    wanted = set(doc_ids)
    batches = {batch_id: [one for one in batch if one in wanted] for batch_id, batch in earlier.items()}
    batches = {batch_id: batch for batch_id, batch in batches.items() if batch}
    wanted -= {doc_id for batch in batches.values() for doc_id in batch}
    ordered = sorted(wanted, key=lambda doc_id: draw(seed, f"{query_id}\0{doc_id}"))
    while ordered:
        size = most
        if len(ordered) > most:
            sizes = range(max(1, round(_LEAST * most)), most + 1)
            size = min(sizes, key=lambda one: draw(seed, f"end\0{query_id}\0{ordered[one - 1]}"))
        batch, ordered = ordered[:size], ordered[size:]
        batches[f"{query_id}#{content_hash(sorted(batch))[:10]}"] = batch
    return batches
