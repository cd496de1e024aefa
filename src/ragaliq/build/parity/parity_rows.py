"""The parity of a benchmark on disk: `build/parity.jsonl`, and `build/parity.json`, which says what it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ragaliq.benchmark.layout import file_hash
from ragaliq.storage.files import read_jsonl, write_json, write_jsonl
from ragaliq.storage.own_json import check_row, read_own_json

# Counted up when the method changes: rows of an earlier one are made again.
_METHOD = 1
_HEAD = {"method": int, "benchmark": str, "rows": str, "retrievers": int, "items": int}
_ROW = {"query_id": str, "lang": str, "shift": float, "p": float, "flagged": bool}


@dataclass(frozen=True, slots=True)
class ItemShift:
    """How far an item is from being as hard in a language as elsewhere; a row of `parity.jsonl`.

    Attributes:
        shift: how much harder (negative) or easier it is than its difficulty in the other languages explains, in units
            of what is usual among equally hard items.
        p: chance of a shift at least as great, either way, of an equal item.
        flagged: whether `p` is below .05.
    """

    query_id: str
    lang: str
    shift: float
    p: float
    flagged: bool


@dataclass(frozen=True, slots=True)
class ParityRows:
    """A row for each item and language, how many retrievers scored each, and how many items have gold in every one."""

    retrievers: int
    items: int
    rows: Sequence[ItemShift]


def kept_parity(folder: Path, digest: str) -> ParityRows | None:
    """Return the rows of the benchmark with the hash `digest`; None if there are none, or of another method.

    Raises:
        InputError: if a file is damaged.
    """
    head_file, rows_file = _files(folder)
    if not head_file.is_file() or not rows_file.is_file():
        return None
    head = read_own_json(
        head_file, _HEAD, "the head of parity.jsonl", "remove it, `ragaliq build audit` writes it anew"
    )
    if (head["method"], head["benchmark"], head["rows"]) != (_METHOD, digest, file_hash(rows_file)):
        return None
    rows = []
    for number, row in read_jsonl(rows_file):
        check_row(row, _ROW, f"{rows_file}:{number}")
        rows.append(ItemShift(**{key: row[key] for key in ItemShift.__slots__}))
    return ParityRows(head["retrievers"], head["items"], rows)


def keep_parity(folder: Path, digest: str, parity: ParityRows) -> None:
    """Write the rows of the benchmark with the hash `digest`."""
    head_file, rows_file = _files(folder)
    write_jsonl(rows_file, map(asdict, parity.rows))
    write_json(head_file, {"method": _METHOD, "benchmark": digest, "rows": file_hash(rows_file),
                           "retrievers": parity.retrievers, "items": parity.items})  # fmt: skip


def _files(folder: Path) -> tuple[Path, Path]:
    return folder / "build" / "parity.json", folder / "build" / "parity.jsonl"
