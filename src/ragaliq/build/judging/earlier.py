"""The batches of the earlier version: what was judged of the same texts in the same way is not asked again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ragaliq.build.context import BuildContext, item_hash
from ragaliq.build.stage_row import StageRow


class EarlierBatches:
    """The batches that a stage of the earlier version judged."""

    def __init__(
        self, context: BuildContext, stage: str, identity: Mapping[str, Any], documents: Callable[[StageRow], list[str]]
    ) -> None:
        """Take the stage, what decides all its rows now, and how a row names its documents, in their order."""
        self._stage, self._identity = stage, identity
        self._rows = {(row.lang, row.item_id): row for row in context.earlier.rows(stage)}
        self._by_query: dict[tuple[str, str], dict[str, list[str]]] = {}
        for (lang, batch_id), row in self._rows.items():
            self._by_query.setdefault((lang, row.value["query_id"]), {})[batch_id] = documents(row)
        chunks = context.earlier.kept("chunk") if self._rows else ()
        self.texts = {(row.lang, row.item_id): str(row.value["text"]) for row in chunks}

    def of(self, lang: str, query_id: str) -> Mapping[str, list[str]]:
        """Return batch → documents of a query."""
        return self._by_query.get((lang, query_id), {})

    def same(self, lang: str, batch_id: str, inputs: Callable[[StageRow], Any]) -> StageRow | None:
        """Return the row of a batch if the model, the prompt, the settings and these inputs led to it."""
        row = self._rows.get((lang, batch_id))
        if row is None or row.inputs != item_hash(self._stage, self._identity, inputs(row)):
            return None
        return row
