"""The file that answers are graded into: what an earlier call left there is gone on with, or refused.

While it works a journal has one durable line for each row that is done, in the order in which they come; at the end the
output is written in the order of the input, and the journal is removed. The journal of an output in JSON Lines is the
output itself. A row is known again by what it holds, and rows that hold the same by how many of them there are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragaliq.aggregate.grades.graded_answers import RowFigures
from ragaliq.errors import InputError
from ragaliq.formats.answers.reading import LINES, TableForm, read_answer_rows
from ragaliq.formats.answers.values import cell
from ragaliq.formats.answers.writing import write_answer_rows
from ragaliq.pipeline.answer_files.graders import ADDED, RowGraders
from ragaliq.storage.files import Row, dump_row, parse_json, write_jsonl
from ragaliq.storage.journal import read_journal
from ragaliq.storage.lock import locked
from ragaliq.storage.record_store import Key, RecordStore, RowCodec

_ROW = {"grade?": (int, None), "outcome?": str, "check_outcome?": str, "refuses": str, "lang": str}
# Columns that a table holds as text.
_NOT_TEXT = ("grade", "supported_share", "support")


@dataclass(frozen=True, slots=True)
class OutputRow:
    """A row of the output; one that is read back does not say which of its equals it is."""

    row: Row
    key: Key | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A file of graded rows: its path, the form of a table, and what its rows are known by, in their order."""

    path: Path
    form: TableForm
    keys: Sequence[Key]

    @property
    def journal(self) -> Path:
        """Where rows go as they are graded."""
        return self.path if self.path.suffix.lower() in LINES else self.path.with_name(f"{self.path.name}.jsonl")

    @contextmanager
    def opened(self, graders: RowGraders, rows: Sequence[Row], fresh: bool) -> Iterator[None]:
        """Keep other processes away while the block runs; `rows` are those of the input.

        Raises:
            InputError: if the output holds rows of another input or grader, with `fresh` if it holds no graded rows, or
                another process is at work on it.
        """
        apart = self.journal != self.path
        earlier = _read_back(self.path, graders) if apart and self.path.is_file() else []
        busy = "another process is at work on this file; wait for it"
        with locked(self.journal, f"--out {self.path}", busy=busy, remedy="name another file"):
            left = [(f"{self.journal}:{number}", row) for number, row in read_journal(self.journal)]
            try:
                _check_rows([*earlier, *left], {key[0] for key in self.keys}, graders, fresh)
                _check_torn(self.journal, rows)
            except InputError:
                if apart and not self.journal.stat().st_size:
                    self.journal.unlink()
                raise
            if earlier and not left:
                write_jsonl(self.journal, (row for _, row in earlier))
            yield

    def graded(self, fresh: bool = False) -> RecordStore[OutputRow]:
        """Return the rows that are graded so far, or with `fresh` none of them."""
        if fresh:
            # Else a call that is killed now would leave the old rows to the next one.
            if self.journal != self.path:
                self.path.unlink(missing_ok=True)
            self.journal.write_bytes(b"")
        return RecordStore(self.journal, _codec())

    def finish(self, graded: RecordStore[OutputRow], rows: Sequence[Row], added: Collection[str]) -> None:
        """Write the output: the rows of the input, each with the columns added to it."""
        if self.journal == self.path:
            graded.rewrite(order=self.keys)
            return
        columns = [{name: graded[key].row[name] for name in added} for key in self.keys]
        whole = [{**row, **more} for row, more in zip(rows, columns, strict=True)]
        write_answer_rows(self.path, whole, self.form)
        self.journal.unlink()


def row_content(row: Row) -> str:
    """Return what a row is known by in every format: its filled cells, less what the grading adds."""
    cells = {key: cell(value) for key, value in row.items() if key not in ADDED}
    return json.dumps({key: text for key, text in cells.items() if text}, sort_keys=True)


def _codec() -> RowCodec[OutputRow]:
    """Return how the rows of one output are read and written."""
    standing: Counter[str] = Counter()

    def key(graded: OutputRow) -> Key:
        content = row_content(graded.row)
        # Read back, a row takes the place of failed ones of its equals, and stands for the next of them.
        place = graded.key or (content, str(standing[content]))
        standing[content] += graded.key is None and not RowFigures.of(graded.row).to_retry
        return place

    return RowCodec(
        OutputRow,
        lambda graded: graded.row,
        key,
        lambda graded: RowFigures.of(graded.row),
        lambda graded: RowFigures.of(graded.row).failed,
        _ROW,
    )


def _read_back(out: Path, graders: RowGraders) -> list[tuple[str, Row]]:
    """Return the rows of a finished output that is no journal, with the types of their columns."""
    rows = list(read_answer_rows(out).rows) if out.stat().st_size else []
    return [(where, {**row, **_typed(row, graders, where)}) for where, row in rows]


def _typed(row: Row, graders: RowGraders, where: str) -> Row:
    typed: Row = {name: row[name] for name in graders.added if name in row}
    for name in _NOT_TEXT:
        value = typed.get(name)
        if isinstance(value, str):
            typed[name] = parse_json(value, f"{where}: '{name}'") if value else None
    for name in typed.keys() - set(_NOT_TEXT):
        typed[name] = typed[name] or ""
    return typed


def _check_rows(rows: Sequence[tuple[str, Row]], known: Collection[str], graders: RowGraders, fresh: bool) -> None:
    """Refuse an output whose rows are not of this input, or of another grader; with `fresh` any graded rows will do.

    Raises:
        InputError: with the line.
    """
    for where, row in rows:
        if "refuses" not in row or not any(key in row for key in ("grade", "support")):
            raise InputError(f"{where}: is no graded row; name another --out")
        if fresh:
            continue
        if row_content(row) not in known or any(name not in row for name in graders.added):
            raise InputError(f"{where}: is no row of this input; name another --out, or begin anew with --fresh")
        other = {name: row[name] for name, value in graders.identity.items() if row[name] != value}
        if other:
            names = ", ".join(f"{name} '{value}', not '{graders.identity[name]}'" for name, value in other.items())
            raise InputError(f"{where}: graded with {names}; name another --out, or begin anew with --fresh")


def _check_torn(journal: Path, rows: Sequence[Row]) -> None:
    """Refuse a journal without a whole row, unless what stands there is the beginning of one of ours.

    A kill leaves such a beginning, and it is cut off; a text of one line without its end looks the same to a journal.

    Raises:
        InputError: if it is something else.
    """
    left = b"" if any(True for _ in read_journal(journal)) else journal.read_bytes().strip()
    begun = (form[:-1] for row in rows for form in (dump_row(row), json.dumps(row).encode("ascii")))
    if left and not any(left.startswith(one) or one.startswith(left) for one in begun):
        raise InputError(f"{journal}: is no file of graded rows; name another --out")
