"""One rater at work: the sheets, what is judged of them, and where to go on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ragaliq.errors import InputError
from ragaliq.review.labels import Label, LabelFile, labels_of
from ragaliq.review.sheets import Change, ReviewSource, Sheet
from ragaliq.review.values import ReviewTask, Value, value_from_json

# A note is a remark, not a document.
NOTE_CHARS = 2_000


def utc_now() -> str:
    """Return the time in UTC, to the second, as ISO 8601 writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of the sheets of a language are judged."""

    lang: str
    n: int
    done: int


class Session:
    """Judges sheets in their order; every judgement is on disk at once. Threads may call it together."""

    def __init__(
        self,
        source: ReviewSource,
        sheets: Sequence[Sheet],
        task: ReviewTask,
        rater: str,
        file: LabelFile,
        now: Callable[[], str] = utc_now,
    ) -> None:
        self.source = source
        self.task = task
        self.rater = rater
        self.sheets = tuple(sheets)
        self._file = file
        self._now = now
        self._index = {sheet.sheet_id: number for number, sheet in enumerate(self.sheets)}
        self._lock = threading.Lock()

    def sheet(self, sheet_id: str) -> Sheet:
        """Return a sheet.

        Raises:
            InputError: if there is none of that id.
        """
        if sheet_id not in self._index:
            raise InputError("no such item in this session; load the page again")
        return self.sheets[self._index[sheet_id]]

    def label(self, sheet: Sheet) -> Label | None:
        """Return the judgement, or the note, that the rater left on a sheet, if its texts are still those."""
        with self._lock:
            latest = [self._file.latest.get((self.task, place)) for place in sheet.places]
        labels = [label for label in latest if label is not None and label.sheet_id == sheet.sheet_id]
        # A sheet may have gained a place since it was judged; then that place is still open.
        return labels[0] if len(labels) == len(sheet.places) else None

    def value(self, sheet: Sheet) -> Value | None:
        """Return the judgement of a sheet; None if it is open."""
        label = self.label(sheet)
        return None if label is None else label.value

    def judge(self, sheet_id: str, value: Any, note: str = "") -> None:
        """Write a judgement down, given as its JSON value; it is on disk when this returns.

        Raises:
            InputError: if the sheet does not exist, the value does not fit task and sheet, or the note is too long.
        """
        sheet, judgement = self.sheet(sheet_id), value_from_json(self.task, value)
        sheet.check(judgement, "load the page again")
        if len(note) > NOTE_CHARS:
            raise InputError(f"a note holds {NOTE_CHARS} characters at most; this one has {len(note)}")
        earlier = self.value(sheet)
        with self._lock:
            at = self._now()
            if judgement != earlier:
                # First: a kill in between leaves the item open, and the same edit is not kept twice.
                self.source.apply(sheet, Change(earlier, judgement, self.rater, at))
            self._file.append(labels_of(sheet, self.task, judgement, self.rater, at, note.strip()))

    def start(self) -> int:
        """Return where to go on: at the first open sheet after the one judged last, then from the top; 0 if none is."""
        last = -1
        with self._lock:
            labels = tuple(self._file.latest.values())
        for label in labels:
            # A note without a judgement leaves its item open, and the session at it.
            if label.task is self.task and label.value is not None and label.sheet_id in self._index:
                last = self._index[label.sheet_id]
        return self.next_open(last) or 0

    def next_open(self, index: int) -> int | None:
        """Return the first open sheet after an index, then from the top; None if all are judged."""
        count = len(self.sheets)
        around = ((index + step) % count for step in range(1, count + 1))
        return next((number for number in around if self.value(self.sheets[number]) is None), None)

    def progress(self) -> list[Progress]:
        """Return how far each language is, sorted."""
        done: dict[str, list[bool]] = {}
        for sheet in self.sheets:
            done.setdefault(sheet.lang, []).append(self.value(sheet) is not None)
        return [Progress(lang, len(flags), sum(flags)) for lang, flags in sorted(done.items())]
