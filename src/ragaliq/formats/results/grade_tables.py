"""Whether rows are grades of the rubric 0..5, which `formats.grades` reads, or values of another kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.answers.columns import USUAL_NAMES
from ragaliq.formats.grades.label_exports import is_argilla, is_label_studio
from ragaliq.formats.grades.rows import GRADE_KEYS, written_grade
from ragaliq.formats.results.long_columns import SYSTEM_NAMES
from ragaliq.formats.results.values import plain_text
from ragaliq.storage.files import Row

# What only verdicts, reference logs and exports of labels hold.
_OURS = {"answer_hash", "prompt_hash", "expected_grade", "generated_answer", "annotation_id"}
# Columns beside the grade of graded rows and labels.
_BESIDE = {"outcome", "feedback", "judge", "rater", "annotator"}


def is_grade_row(row: Row) -> bool:
    """Return whether a row alone shows that its file holds grades."""
    if _OURS & row.keys() or ("grade" in row and _BESIDE & row.keys()) or {"task", "rater"} <= row.keys():
        return True
    return is_label_studio(row) or is_argilla(row)


def holds_grades(rows: Sequence[Row]) -> bool:
    """Return whether rows are grades of one system.

    They are if a row shows it, or a column `grade`, `score`, `label` or `rating` beside a `query_id`, or a question and
    an answer, holds whole numbers from 0 to 5. Several systems in one file are a long table; so are zeros and ones
    alone that are not called grades: they say wrong or right, while grade 1 is the worst.
    """
    if any(map(is_grade_row, rows[:1])):
        return True
    columns = {key for row in rows for key in row}
    key = next((key for key in GRADE_KEYS if key in columns), "")
    named = all(set(USUAL_NAMES[role]) & columns for role in ("question", "answer"))
    if not key or not (named or "query_id" in columns):
        return False
    if any(len({plain_text(row.get(name)) for row in rows} - {""}) > 1 for name in SYSTEM_NAMES):
        return False
    grades = [_grade(row.get(key), key) for row in rows]
    if any(isinstance(grade, str) for grade in grades):
        # A grade that is mistyped is to be fixed, not to be taken for a value.
        return key == "grade"
    return (
        key == "grade"
        or not {grade for grade in grades if grade is not None} <= {0, 1}
        or not any(grade is not None for grade in grades)
    )


def several_systems(rows: Sequence[Row]) -> bool:
    """Return whether rows are of several systems; several `run`s of grades are graded each by itself."""
    if any(map(is_grade_row, rows[:1])):
        return False
    names = (name for name in SYSTEM_NAMES if name != "run")
    return any(len({plain_text(row.get(name)) for row in rows} - {""}) > 1 for name in names)


def _grade(value: Any, key: str) -> int | str | None:
    """Return a grade, None where there is none; a text if it is another kind of value."""
    if isinstance(value, bool):
        return "truth value"
    try:
        return written_grade(value.strip() if isinstance(value, str) else value, key, "")
    except InputError:
        return "no grade"
