"""What a published benchmark must say of itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragaliq.storage.files import Row

CARD = "CARD.md"


def licence_findings(folder: Path, head: Row) -> Iterator[str]:
    """Yield that `bench.json` names no licence, and that no `CARD.md` lies in the folder or beside it."""
    licence = head.get("licence")
    if not isinstance(licence, str) or not licence.strip():
        yield f"{folder / 'bench.json'}:1: names no 'licence'; say under which one others may use the data"
    if not (folder / CARD).is_file() and not (folder.resolve().parent / CARD).is_file():
        yield f"{folder / CARD}:1: missing, and there is none beside the folder; a card tells how the data were made"
