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
    """The pools of the earlier version; without an update, every query is new."""

    def __init__(self, context: BuildContext) -> None:
        rows = context.earlier.kept(_POOL)
        self._pools = {(row.lang, row.item_id): row.value["documents"] for row in rows}
        before, now = (files.kept(_CHUNKS) if rows else [] for files in (context.earlier, context.workspace))
        self._known = {(row.lang, row.item_id) for row in before}
        self._successors = {
            lang: successors((row for row in before if row.lang == lang), (row for row in now if row.lang == lang))
            for lang in {row.lang for row in rows}
        }

    def kept(
        self, lang: str, query_id: str, entries: Mapping[str, dict[str, Any]], corpus: Collection[str]
    ) -> dict[str, dict[str, Any]]:
        """Return the pool of a query: what it had, and what it has found among the new documents.

        A document that has changed is succeeded by the new one in its place. One that was drawn at random stays so,
        whether or not it would be found now.

        Args:
            lang: the language.
            query_id: the query.
            entries: what it has found now, by document.
            corpus: the documents of this version.
        """
        if (lang, query_id) not in self._pools:
            return dict(entries)
        pool = {doc_id: entry for doc_id, entry in entries.items() if (lang, doc_id) not in self._known}
        for one in self._pools[lang, query_id]:
            doc_id, drawn = one["doc_id"], "negative" in one
            if drawn and doc_id in corpus:
                pool[doc_id] = {**pool_entry(doc_id), "negative": True}
            elif not drawn:
                doc_id = doc_id if doc_id in corpus else self._successors[lang].get(doc_id, "")
                if doc_id:
                    pool[doc_id] = entries.get(doc_id) or {**pool_entry(doc_id), "earlier": True}
        return pool
