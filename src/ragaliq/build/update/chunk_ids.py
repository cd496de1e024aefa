"""Ids of chunks over versions: a text keeps its id while its document contains it, and no id is used twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ragaliq.build.stage_row import StageRow
from ragaliq.build.update.retired_rows import RETIRED
from ragaliq.types import Chunk


class ChunkIds:
    """Gives the chunks of a version their ids, document by document, in order."""

    def __init__(self, rows: Iterable[StageRow]) -> None:
        """Take the rows of the earlier version."""
        self._rows = {(row.lang, row.item_id): row for row in rows}
        self._used = {item_id for _, item_id in self._rows}
        self._free: dict[tuple[str, str, str], list[str]] = {}
        # Backwards, so that the first of equal texts is taken first.
        for row in sorted(self._rows.values(), key=_place, reverse=True):
            if row.reason != RETIRED:
                self._free.setdefault((row.lang, row.value["source_id"], row.value["text"]), []).append(row.item_id)

    def of(self, chunk: Chunk) -> Chunk:
        """Return a chunk with the id of the earlier chunk with its text, else with one that was never used.

        Of equal texts in a document, the first takes the first id. A new id is `SOURCE:START-END`, with `~2`, `~3`, …
        where another text has or had that.
        """
        free = self._free.get((chunk.lang, chunk.source_id, chunk.text))
        if free:
            return replace(chunk, doc_id=free.pop())
        doc_id, number = chunk.doc_id, 1
        while doc_id in self._used:
            number += 1
            doc_id = f"{chunk.doc_id}~{number}"
        return replace(chunk, doc_id=doc_id)

    def retired(self, used: Iterable[tuple[str, str]], version: str) -> Iterator[StageRow]:
        """Yield a removed row for each earlier id that is not among the used ones; it stays in all later versions."""
        gone = self._rows.keys() - set(used)
        for key in sorted(gone):
            row = self._rows[key]
            if row.reason != RETIRED:
                value = {"source_id": row.value["source_id"]}
                row = replace(row, value=value, reason=RETIRED, detail=f"in version {version}", traces=())
            yield row


def _place(row: StageRow) -> tuple[int, str]:
    return row.value.get("start", 0), row.item_id
