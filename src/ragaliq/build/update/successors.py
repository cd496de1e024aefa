"""Which new chunk is in the place of one that is gone."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ragaliq.build.stage_row import StageRow


def successors(before: Iterable[StageRow], now: Iterable[StageRow]) -> dict[str, str]:
    """Return, for chunks of one language that are gone, the new chunks in their places.

    The place is behind the last chunk before it that stays. Of several at one place, the first gets the first, and so
    on; the last new one succeeds all that are left. Where there is no new one, a chunk has no successor.
    """
    earlier, present = list(before), list(now)
    staying = {row.item_id for row in earlier} & {row.item_id for row in present}
    new = _places(present, staying)
    found = {}
    for place, gone in _places(earlier, staying).items():
        following = new.get(place, [])
        for number, doc_id in enumerate(gone):
            if following:
                found[doc_id] = following[min(number, len(following) - 1)]
    return found


def _places(rows: Iterable[StageRow], staying: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """Return document and last staying chunk → the chunks behind it, up to the next one that stays."""
    places: dict[tuple[str, str], list[str]] = {}
    document, last = "", ""
    for row in sorted(rows, key=lambda row: (row.value["source_id"], row.value["start"])):
        if row.value["source_id"] != document:
            document, last = row.value["source_id"], ""
        if row.item_id in staying:
            last = row.item_id
        else:
            places.setdefault((document, last), []).append(row.item_id)
    return places
