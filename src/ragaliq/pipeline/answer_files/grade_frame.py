"""Grading answers that are in memory: rows, or a data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ragaliq.aggregate.grades.graded_answers import RowFigures
from ragaliq.config import Component
from ragaliq.errors import InputError
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.formats.answers.columns import find_columns
from ragaliq.formats.answers.reading import plain_rows
from ragaliq.llm import LLMSession
from ragaliq.pipeline.answer_files.graders import make_graders
from ragaliq.pipeline.answer_files.rows import graded_columns, rows_to_grade
from ragaliq.storage.files import Row

Rows = TypeVar("Rows")


def grade(
    rows: Rows,
    judge: str | Component = "offline",
    *,
    check: str | Component = "offline",
    columns: Mapping[str, str] | None = None,
    session: LLMSession | None = None,
) -> Rows:
    """Return rows, or a pandas data frame, with the columns of `ragaliq grade`: as many, in the same order.

    With a reference a row gets `grade` (0 to 5, or None), `outcome` and `feedback`, with contexts `supported_share` (in
    0..1) and `support`, and always `refuses` and `lang`. The input is not changed.

    Args:
        rows: a data frame, or a list of dicts, with a question, an answer, and a reference, contexts or both.
        judge: `KIND[:MODEL]` or a component; it is asked without controls.
        check: who compares the answers with their contexts; `none` for nobody.
        columns: the columns of `question`, `answer`, `reference`, `contexts`, `lang` where they have unusual names.
        session: how endpoints are called.

    Raises:
        RagaliqError: if the rows are none, a column is missing, or a component is unknown.
    """
    frame = rows if hasattr(rows, "columns") and hasattr(rows, "assign") else None
    plain = plain_rows(frame) if frame is not None else _rows(rows)
    if not plain:
        raise InputError("grade: there is no row; give at least one")
    graded = _graded([(f"row {number}", row) for number, row in enumerate(plain, 1)], judge, check, columns, session)
    if frame is None:
        return graded  # type: ignore[return-value]
    added = [name for name in graded[0] if name not in plain[0] or name == "lang"]
    extended: Rows = _extended(frame, graded, added)
    return extended


def _rows(rows: Any) -> list[Row]:
    listed = list(rows) if isinstance(rows, Sequence) and not isinstance(rows, str) else None
    if listed is None or not all(isinstance(row, Mapping) for row in listed):
        raise InputError(f"grade: rows are a list of dicts or a pandas DataFrame, not {type(rows).__name__}")
    return [dict(row) for row in listed]


def _graded(
    rows: Sequence[tuple[str, Row]],
    judge: str | Component,
    check: str | Component,
    named: Mapping[str, str] | None,
    session: LLMSession | None,
) -> list[Row]:
    session, thread = session or LLMSession(), SerialThread()
    columns = find_columns((row for _, row in rows), named or {}, "grade", _as_argument)
    asked = rows_to_grade(rows, columns)
    parts = [part if isinstance(part, Component) else Component.parse(part, "grade") for part in (judge, check)]
    graders = make_graders(columns, parts[0], parts[1], session)
    graded = _InMemory()

    async def do(places: Sequence[int]) -> list[tuple[int, Row]]:
        return [(at, {**asked[at].row, **await graded_columns(asked[at], graders, thread)}) for at in places]

    carry_out(run_stage("grading", range(len(asked)), do, graded, session), session, thread)
    return [row for _, row in sorted(graded, key=lambda placed: placed[0])]


def _as_argument(pairs: Mapping[str, str]) -> str:
    return f"columns={dict(pairs)}"


class _InMemory(list[tuple[int, Row]]):
    """Graded rows by place."""

    def sync(self) -> None:
        """Wait for nothing."""

    def failed(self, placed: tuple[int, Row]) -> bool:
        """Return whether something that was asked has no finding."""
        return RowFigures.of(placed[1]).failed


def _extended(frame: Any, graded: Sequence[Row], names: Sequence[str]) -> Any:
    """Return a frame with the columns that the grading adds; whole numbers with gaps are pandas' `Int64`."""
    import pandas as pd

    types = {"grade": "Int64", "supported_share": "Float64"}
    added = {
        name: pd.Series([row.get(name) for row in graded], index=frame.index, dtype=types.get(name, "object"))
        for name in names
    }
    return frame.assign(**added)
