"""The label file of one rater: append-only, durable, one row for each judgement; a later row replaces an earlier."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ragaliq.errors import InputError
from ragaliq.review.sampling import Place
from ragaliq.review.sheets import Sheet
from ragaliq.review.values import RUN_TASKS, ReviewTask, Value, value_from_json, value_to_json
from ragaliq.storage.files import Row
from ragaliq.storage.journal import Journal, read_journal
from ragaliq.storage.lock import locked
from ragaliq.storage.own_json import ModelText, misfit

# A line of a label file.
LABEL = {
    **dict.fromkeys(("query_id", "lang", "task", "rater", "at", "sheet"), str),
    "run?": str,
    "item?": str,
    "question": ModelText,
    "note?": ModelText,
    "answer?": ModelText,
}
# What a file name holds beside the rest of it, on common file systems.
_RATER_BYTES = 200


@dataclass(frozen=True, slots=True)
class Label:
    """One person's judgement of one place.

    `value` is what the task takes (`ragaliq.review.values`); None is a note without a judgement.
    `sheet_id` tells which texts were judged, `at` is the time in UTC.
    """

    place: Place
    task: ReviewTask
    value: Value | None
    rater: str
    at: str
    sheet_id: str
    question: str
    answer: str
    note: str = ""


def labels_of(sheet: Sheet, task: ReviewTask, value: Value | None, rater: str, at: str, note: str) -> list[Label]:
    """Return the labels of one judgement: one for each place of the sheet."""
    return [
        Label(place, task, value, rater, at, sheet.sheet_id, sheet.question, sheet.answer, note)
        for place in sheet.places
    ]


def check_rater(name: str) -> str:
    """Return a rater's name that can stand in a file name.

    Raises:
        InputError: if it cannot.
    """
    if not name.strip():
        raise InputError(f"--rater '{name}': is empty; give a name, or leave it out")
    allowed = all(in_rater_name(char) for char in name) and name[0] not in ".-" and not unicodedata.combining(name[0])
    if not allowed or len(name) > 64 or len(name.encode()) > _RATER_BYTES:
        raise InputError(
            f"--rater '{name}': letters, digits, '.', '_' and '-' are allowed, 64 and {_RATER_BYTES} bytes at most"
        )
    return name


def in_rater_name(char: str) -> bool:
    """Return whether a rater's name may hold a character: letters with their marks, digits, `.`, `_` and `-`."""
    return char in "._-" or unicodedata.category(char)[0] in "LMN"


def label_file(folder: Path, rater: str) -> Path:
    """Return a rater's file."""
    return folder / "review" / f"labels.{check_rater(rater)}.jsonl"


def label_files(folder: Path) -> list[Path]:
    """Return the files of all raters, sorted."""
    return sorted((folder / "review").glob("labels.*.jsonl"))


def to_row(label: Label) -> Row:
    """Return the line of a label."""
    place = label.place
    row: Row = {"query_id": place.query_id, "lang": place.lang}
    row |= {"run": place.run} if place.run else {}
    row |= {"item": place.item} if place.item else {}
    row |= {"task": str(label.task), str(label.task): value_to_json(label.value), "rater": label.rater, "at": label.at}
    if label.note:
        row["note"] = label.note
    row["question"] = label.question
    if label.task not in (ReviewTask.LGTM, ReviewTask.NUGGETS):
        row["answer"] = label.answer
    row["sheet"] = label.sheet_id
    return row


def read_labels(path: Path, run: str = "") -> Iterator[Label]:
    """Yield the labels of a file, the oldest first; a missing file has none.

    Args:
        path: the file.
        run: the run to which all labels belong, whatever its folder was called; empty takes each label's run.

    Raises:
        InputError: if a line is no label; the message names it.
    """
    for number, row in read_journal(path):
        try:
            yield _from_row({**row, "run": run or row["run"]} if "run" in row else row)
        except (KeyError, TypeError, ValueError, InputError) as error:
            raise InputError(f"{path}:{number}: not a label ({error}); fix or remove the line") from None


def _from_row(row: Row) -> Label:
    wrong = misfit(row, LABEL)
    if wrong:
        raise TypeError(wrong)
    task = ReviewTask(row["task"])
    value = value_from_json(task, row[str(task)])
    place = Place(row["run"] if task in RUN_TASKS else "", row["lang"], row["query_id"], row.get("item", ""))
    note, answer = row.get("note", ""), row.get("answer", "")
    return Label(place, task, value, row["rater"], row["at"], row["sheet"], row["question"], answer, note)


class LabelFile:
    """A rater's labels; opened with `with` it takes more, and keeps other processes out."""

    def __init__(self, path: Path, run: str = "") -> None:
        self.path = path
        self._run = run
        self.latest: dict[tuple[ReviewTask, Place], Label] = {}
        self._journal = Journal(path)
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Lock the file, read it, and open it for appending.

        Raises:
            InputError: if another process has it open, it cannot be written, or a line is no label.
        """
        busy = "another session of this rater is open; end it, or name --rater"
        with ExitStack() as opened:
            opened.enter_context(locked(self.path, str(self.path), busy=busy, remedy="check the path"))
            # While the lock is held: whoever comes next may already write into the file.
            opened.callback(self._remove_if_empty)
            # Opening cuts off what a kill left of a line, so it comes before reading.
            opened.enter_context(self._journal)
            for label in read_labels(self.path, self._run):
                self._remember(label)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file, and let others in; a session without a judgement leaves no empty file."""
        self._open.close()

    def append(self, labels: Sequence[Label]) -> None:
        """Add the labels of one judgement; they are on disk when this returns."""
        for label in labels:
            self._journal.append(to_row(label))
        self._journal.sync()
        for label in labels:
            self._remember(label)

    def _remove_if_empty(self) -> None:
        with suppress(OSError):
            if self.path.stat().st_size == 0:
                self.path.unlink()
                self.path.parent.rmdir()

    def _remember(self, label: Label) -> None:
        # Taken out first, so that the labels stay in the order of their last change.
        self.latest.pop((label.task, label.place), None)
        self.latest[label.task, label.place] = label
