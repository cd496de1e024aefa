"""Which candidates of the earlier version stay, and which are retired with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ragaliq.build.candidates import GENERATED
from ragaliq.build.context import BuildContext
from ragaliq.build.plan import EarlierPlan, Wanted
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import ingest
from ragaliq.build.update.retired_rows import RETIRED, retired_row
from ragaliq.types import Chunk

CHANGED, REMOVED, ON_REQUEST, BEFORE = "document changed", "document removed", "on request", "before"
# The text of the candidate is no longer what the documents say.
_REPLACED = (CHANGED, REMOVED)
# A query that left for any other reason comes back once that no longer holds.
FOR_GOOD = frozenset((*_REPLACED, ON_REQUEST))
_STAGE, _CHUNKS = "generate", "chunk"


@dataclass(frozen=True, slots=True)
class _Retired:
    """Why a candidate is retired, and for which documents; no reason if it stays."""

    why: str = ""
    documents: tuple[str, ...] = ()


class EarlierCandidates:
    """The candidates of the earlier version, and what became of their chunks."""

    def __init__(self, context: BuildContext, chunks: Mapping[str, Sequence[Chunk]]) -> None:
        """Take the kept chunks of this version by language."""
        self._settings = context.settings
        self._earlier = context.workspace.update.settings
        self._out, self._requested = (
            frozenset(ids) for ids in (context.workspace.update.retired, context.workspace.update.retire)
        )
        self._chunks = {(lang, chunk.doc_id): chunk for lang, listed in chunks.items() for chunk in listed}
        self._rows = {(row.lang, row.item_id): row for row in context.earlier.rows(_STAGE)}
        chunk_rows = context.earlier.rows(_CHUNKS) if self._rows else ()
        self._sources = {(row.lang, row.item_id): str(row.value["source_id"]) for row in chunk_rows}
        self._known = {(row.lang, row.item_id) for row in chunk_rows if row.kept}
        documents = context.workspace.kept(ingest.NAME) if self._rows else ()
        self._documents = {document.item_id for document in documents}

    def plan(self, lang: str) -> EarlierPlan:
        """Return what the plan of a language takes over."""
        if not self._rows:
            return EarlierPlan()
        rows = [row for row in self._rows.values() if row.lang == lang and row.value["origin"] == GENERATED]
        staying = [row for row in rows if not self._retired(row).why]
        ids = {row.item_id for row in staying}
        asked = [row for row in rows if row.item_id not in ids]
        return EarlierPlan(
            [Wanted(row.item_id, lang, row.value["type"], tuple(self._chunks[lang, one] for one in _gold(row)))
             for row in staying],
            {(row.value["type"], frozenset(_gold(row))) for row in asked},
            {doc_id for at, doc_id in self._known if at == lang},
            {doc_id for (at, doc_id), one in self._chunks.items()
             if at == lang and {doc_id, one.source_id} & self._requested},
            self._earlier.get("generate") != asdict(self._settings.generate),
        )  # fmt: skip

    def retired(self) -> list[StageRow]:
        """Return a removed row for each candidate that is retired now, or was while a chunk of it is still there."""
        return list(self._retired_rows())

    def stays(self, lang: str, item_id: str) -> StageRow | None:
        """Return the earlier row of a question of a log that was answered from chunks which are all still there."""
        row = self._rows.get((lang, self.id_of(lang, item_id)))
        return row if row is not None and row.kept and not self._retired(row).why else None

    def id_of(self, lang: str, item_id: str) -> str:
        """Return the present id of a question that people asked.

        A question of a log whose answer is retired, since its documents changed, is asked anew as `ID~2`, `ID~3`, ….
        """
        latest, number = item_id, 1
        while (lang, f"{item_id}~{number + 1}") in self._rows or f"{item_id}~{number + 1}" in self._out:
            number += 1
            latest = f"{item_id}~{number}"
        row = self._rows.get((lang, latest))
        return f"{item_id}~{number + 1}" if row is not None and self._retired(row).why in _REPLACED else latest

    def why_out(self, lang: str, item_id: str) -> str:
        """Return why a question is retired for good; empty if it is not."""
        row = self._rows.get((lang, item_id))
        if row is not None:
            why = self._retired(row).why
            return "" if why in _REPLACED else why
        return BEFORE if item_id in self._out else ON_REQUEST if item_id in self._requested else ""

    def _retired_rows(self) -> Iterator[StageRow]:
        for row in self._rows.values():
            retired = self._retired(row)
            if row.value["origin"] != GENERATED and retired.why not in _REPLACED:
                # A question in `questions` has a row as long as it is asked there.
                continue
            if row.reason == RETIRED:
                if row.value["origin"] != GENERATED or any((row.lang, one) in self._chunks for one in _gold(row)):
                    yield row
            elif retired.why:
                yield retired_row(row, retired.why, retired.documents)

    def _retired(self, row: StageRow) -> _Retired:
        if row.reason == RETIRED:
            return _Retired(row.value["why"])
        sources = {doc_id: self._sources.get((row.lang, doc_id), "") for doc_id in _gold(row)}
        if row.item_id in self._out:
            return _Retired(BEFORE)
        if {row.item_id, *sources, *sources.values()} & self._requested:
            return _Retired(ON_REQUEST, tuple(sorted(set(sources.values()))))
        gone = {source for doc_id, source in sources.items() if (row.lang, doc_id) not in self._chunks}
        if not gone:
            return _Retired()
        return _Retired(CHANGED if gone & self._documents else REMOVED, tuple(sorted(gone)))


def relocated(row: StageRow, chunks: Mapping[str, Chunk], earlier: Mapping[str, int]) -> StageRow:
    """Return a candidate with the places of its evidence in the documents as they are now.

    Args:
        row: a row of `generate`.
        chunks: the chunks of its language by id.
        earlier: chunk → where it began in the earlier version.
    """
    entries = []
    for entry in row.value.get("evidence", ()):
        chunk = chunks.get(entry["doc_id"])
        if chunk is not None and not _is_at(entry, chunk):
            by = chunk.start - earlier.get(chunk.doc_id, chunk.start)
            entry = {**entry, "start": entry["start"] + by, "end": entry["end"] + by}
        entries.append(entry)
    return replace(row, value={**row.value, "evidence": entries}) if entries else row


def _is_at(entry: Mapping[str, Any], chunk: Chunk) -> bool:
    start, end = entry["start"] - chunk.start, entry["end"] - chunk.start
    return start >= 0 and chunk.text[start:end] == str(entry["quote"])


def _gold(row: StageRow) -> list[str]:
    return [doc_id for group in row.value["gold"] for doc_id in group]
