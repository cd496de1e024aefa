"""Pools over versions: a query keeps its documents, and only new ones come to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ragaliq.build.context import BuildContext
from ragaliq.build.update.successors import successors

_POOL, _CHUNKS = "pool", "chunk"


def pool_entry(doc_id: str) -> dict[str, Any]:
    """Return the entry of a pooled document that no text has found yet."""
    return {"doc_id": doc_id, "fused": {}, "ranks": {}}


class EarlierPools:
    """The pools of the earlier version in one language; without an update, every query is new."""

    def __init__(self, context: BuildContext, lang: str) -> None:
        rows = [row for row in context.earlier.kept(_POOL) if row.lang == lang]
        self._pools = {row.item_id: row.value["documents"] for row in rows}
        before, now = (
            [row for row in files.kept(_CHUNKS) if row.lang == lang] if rows else []
            for files in (context.earlier, context.workspace)
        )
        self._known = {row.item_id for row in before}
        self._successors = successors(before, now)

    def kept(
        self, query_id: str, entries: Mapping[str, dict[str, Any]], corpus: Collection[str]
    ) -> dict[str, dict[str, Any]]:
        """Return the pool of a query: what it had, and what it has found among the new documents.

        A document that has changed is succeeded by the new one in its place. One that was drawn at random stays so,
        whether or not it would be found now.

        Args:
            query_id: the query.
            entries: what it has found now, by document.
            corpus: the documents of this version.
        """
        if query_id not in self._pools:
            return dict(entries)
        pool = {doc_id: entry for doc_id, entry in entries.items() if doc_id not in self._known}
        for one in self._pools[query_id]:
            doc_id, drawn = one["doc_id"], "negative" in one
            if drawn and doc_id in corpus:
                pool[doc_id] = {**pool_entry(doc_id), "negative": True}
            elif not drawn:
                doc_id = doc_id if doc_id in corpus else self._successors.get(doc_id, "")
                if doc_id:
                    pool[doc_id] = entries.get(doc_id) or {**pool_entry(doc_id), "earlier": True}
        return pool
