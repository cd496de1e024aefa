"""Records in a JSON Lines file, one for each item, read one at a time: memory does not grow with their size."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from ragaliq.errors import InputError
from ragaliq.storage.files import Row, dump_row, parse_row, write_lines
from ragaliq.storage.journal import Journal, journal_lines
from ragaliq.storage.own_json import Shape, check_row, misfit

Key = tuple[str, str]
Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class RowCodec(Generic[Record]):
    """How a record becomes a line and back.

    Attributes:
        parse: makes the record of a line of this shape; raises KeyError, TypeError or ValueError if it cannot.
        dump: makes the line of a record.
        key: the item that the record is about.
        header: what is kept in memory of a record.
        failed: tells whether a record says that the work on its item failed.
        shape: what a line looks like (`own_json`).
    """

    parse: Callable[[Row], Record]
    dump: Callable[[Record], Row]
    key: Callable[[Record], Key]
    header: Callable[[Record], Any]
    failed: Callable[[Record], bool] = lambda _: False
    shape: Shape = object

    def read(self, row: Row, where: str) -> Record:
        """Return the record of a line; `where` names file and line.

        Raises:
            InputError: if the line is another thing.
        """
        check_row(row, self.shape, where)
        try:
            return self.parse(row)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{where}: not a row of this file ({error}); fix or remove the line") from None

    def check(self, record: Record) -> None:
        """Refuse a record whose line `read` would refuse.

        Raises:
            TypeError: if a part of it is nothing that JSON holds.
            ValueError: if the line has another shape; the message names the key.
        """
        wrong = misfit(json.loads(dump_row(self.dump(record))), self.shape)
        if wrong:
            raise ValueError(f"cannot be kept in a file: {wrong}")


class RecordStore(Mapping[Key, Record], Generic[Record]):
    """The records of a file by item, in the order of their keys; of several lines for an item the last one counts.

    Opened with `with`, it takes further records; what `append` and `sync` promise is what a journal's do.
    """

    def __init__(self, path: Path, codec: RowCodec[Record]) -> None:
        """Read the file, if there is one.

        Raises:
            InputError: if a line is no record; the message names it.
        """
        self.path = path
        self._codec = codec
        self._places: dict[Key, tuple[int, int]] = {}
        self._headers: dict[Key, Any] = {}
        self._journal = Journal(path)
        for number, start, line in journal_lines(path):
            where = f"{path}:{number}"
            record = codec.read(parse_row(line.decode("utf-8-sig"), where), where)
            self._remember(record, start, len(line))

    def __getitem__(self, key: Key) -> Record:
        """Read an item's record from the file."""
        start, size = self._places[key]
        with self.path.open("rb") as file:
            file.seek(start)
            # Its shape was checked when the file was read, or it was written here.
            return self._codec.parse(parse_row(file.read(size).decode("utf-8-sig"), str(self.path)))

    def __iter__(self) -> Iterator[Key]:
        """Return the items in order."""
        return iter(sorted(self._places))

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        """Return whether an item has a record."""
        return key in self._places

    def __enter__(self) -> Self:
        """Open the file for appending."""
        self._journal.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._journal.__exit__()

    def header(self, key: Key) -> Any:
        """Return what is kept in memory of an item's record."""
        return self._headers[key]

    def append(self, record: Record) -> None:
        """Add a record."""
        start, size = self._journal.append(self._codec.dump(record))
        self._remember(record, start, size)

    def sync(self) -> None:
        """Wait until all records are on disk."""
        self._journal.sync()

    def failed(self, record: Record) -> bool:
        """Return whether a record says that the work on its item failed."""
        return self._codec.failed(record)

    def line(self, key: Key) -> bytes:
        """Return an item's line as it is in the file."""
        (line,) = self._lines([key])
        return line

    def rewrite(self, path: Path | None = None, order: Sequence[Key] | None = None) -> None:
        """Write the file again, or write `path`: a line for each item, sorted, or for each of `order` in its order."""
        keys = list(self if order is None else order)
        write_lines(path or self.path, self._lines(keys))
        if path is None:
            start, sizes = 0, {key: self._places[key][1] for key in keys}
            self._places.clear()
            for key, size in sizes.items():
                self._places[key] = (start, size)
                start += size + 1

    def _lines(self, keys: Sequence[Key]) -> Iterator[bytes]:
        if not keys:
            return
        with self.path.open("rb") as file:
            for key in keys:
                start, size = self._places[key]
                file.seek(start)
                yield file.read(size)

    def _remember(self, record: Record, start: int, size: int) -> None:
        key = self._codec.key(record)
        self._places[key] = (start, size)
        self._headers[key] = self._codec.header(record)


def join_records(paths: Sequence[Path], codec: RowCodec[Any], out: Path) -> None:
    """Write the records of several files as one, sorted by item; nothing without a record.

    Raises:
        InputError: if an item is in two of the files.
    """
    stores = [RecordStore(path, codec) for path in paths]
    keyed = ([(key, number) for key in store] for number, store in enumerate(stores))
    order = list(heapq.merge(*keyed))
    for (key, number), (after, other) in pairwise(order):
        if key == after:
            query = f"query '{key[1]}' ({key[0]})"
            raise InputError(f"{paths[other]}: {query} is in {paths[number]}, too; an item belongs to one run")
    if order:
        write_lines(out, (stores[number].line(key) for key, number in order))
