"""Rows of grades from any hand: people's labels, a judge's verdicts, another program's export."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.answers.columns import USUAL_NAMES
from ragaliq.formats.reading.fields import row_id, row_text
from ragaliq.storage.files import Row

# Where a grade may stand, the first that is there counts.
GRADE_KEYS = ("grade", "score", "label", "rating")
# Outcomes of rows that no judge was asked about: there is nothing to compare the answer with, or no question.
NO_REFERENCE, NO_QUESTION = NOT_GRADED = ("no_reference", "no_question")
_RATER_KEYS = ("rater", "annotator")
# Tables write truth values in their own ways, spreadsheets in capitals.
_NO = ("false", "0", "no")
# A choice may carry its meaning behind the number: "4", "4 - mostly right", "4: …"; a pandas column with gaps, "4.0".
_WRITTEN = re.compile(r"\s*([0-5])(?:\.0)?(?:\s*|\s*[-–—:.)(]\s*[^\d\s].*|\s+[^\W\d].*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class GradedRow:
    """One grade of one answer, as somebody wrote it.

    Attributes:
        where: file and line, for errors.
        grade: 0..5, or None where the row has no grade.
        query_id, lang, question, answer: what was graded; "" where the file does not say.
        run: the system, if the file tells several apart.
        rater: who graded, if the file tells several people apart.
        judge, prompt_hash: of a judge's verdicts.
        answerable: False for a query that the documents cannot answer.
        consistency: of a reference log, how far the answer is in the query's language, in 0..1; None where not stored.
        answer_hash: of the answer, in a run's verdicts.
    """

    where: str
    grade: int | None
    query_id: str = ""
    lang: str = ""
    question: str = ""
    answer: str = ""
    run: str = ""
    rater: str = ""
    judge: str = ""
    prompt_hash: str = ""
    answerable: bool = True
    consistency: float | None = None
    answer_hash: str = ""


def graded_row(row: Row, where: str, grade: int | None, rater: str = "") -> GradedRow:
    """Return the row of a JSON object that names what was graded, whatever the grade's own place."""
    raters = (row_text_or_id(row, key, where) for key in _RATER_KEYS)
    consistency = row.get("language_consistency_score")
    question, answer = (
        next((key for key in USUAL_NAMES[role] if row.get(key) is not None), role) for role in ("question", "answer")
    )
    return GradedRow(
        where,
        grade,
        row_text_or_id(row, "query_id", where),
        row_text(row, "lang", where),
        row_text(row, question, where),
        row_text(row, answer, where),
        row_text(row, "run", where),
        rater or next(filter(None, raters), ""),
        row_text(row, "judge", where),
        row_text(row, "prompt_hash", where),
        is_answerable(row),
        float(consistency) if isinstance(consistency, int | float) else None,
        str(row.get("answer_hash") or ""),
    )


def is_answerable(row: Row) -> bool:
    """Return whether a row is about a query that the documents can answer; it is, unless `answerable` says no."""
    return str(row.get("answerable")).strip().lower() not in _NO


def row_text_or_id(row: Mapping[str, Any], key: str, where: str) -> str:
    """Return an id as text; "" where there is none. Of an object, a person, it is the `email` or the `id`."""
    value = row.get(key)
    if value is None or value == "":
        return ""
    if isinstance(value, Mapping):
        value = value.get("email") or value.get("id")
    return row_id({key: value}, key, where)


def grade_of(row: Row, where: str) -> int | None:
    """Return the grade of a JSON object under the first of `grade`, `score`, `label`, `rating`; None if it is null.

    Raises:
        InputError: if there is none of them, or the value is no whole number from 0 to 5.
    """
    key = next((key for key in GRADE_KEYS if key in row), None)
    if key is None:
        raise InputError(f"{where}: no 'grade' and no 'score'; give verdicts, graded rows, labels or a run")
    grade = row[key]
    if grade is not None and (not isinstance(grade, int) or isinstance(grade, bool) or not 0 <= grade <= 5):
        raise InputError(f"{where}: '{key}' must be a whole number from 0 to 5 or null, not {grade!r}")
    return grade


def written_grade(value: Any, key: str, where: str) -> int | None:
    """Return the grade of a form's field: a number, or a text that begins with one; None if it is empty."""
    if value is None or value == "":
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 5:
        return value
    match = _WRITTEN.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise InputError(f"{where}: '{key}' must be a whole number from 0 to 5, not {value!r}; fix it")
    return int(match[1])
