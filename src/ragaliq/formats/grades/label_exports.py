"""Ratings exported by Label Studio and Argilla, for simple forms: one question of which the answer is the grade.

The task's data (Label Studio) or the record's fields and metadata (Argilla) name the item: `query_id` and `lang`, or
`question`, `answer` and `lang`, and `run` where several systems are labelled. The question that asks for the grade is
named `grade`, `score`, `label` or `rating`, or is the only question of the form that can hold a grade. Its answer is a
rating, a number, or a choice that begins with the number (`4 - mostly right`). Label Studio's `Rating` counts stars
from 1, so a form with grade 0 needs `Choices` or `Number`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragaliq.errors import InputError, listed
from ragaliq.formats.grades.rows import GRADE_KEYS, GradedRow, graded_row, row_text_or_id, written_grade
from ragaliq.storage.files import Row

_RESPONSES = ".responses"
# What may hold a grade in Label Studio, by the type of the control.
_CONTROLS = ("rating", "choices", "number")


def is_label_studio(row: Row) -> bool:
    """Return whether a JSON object is a task of Label Studio's JSON export (not JSON_MIN, whose rows are flat)."""
    return isinstance(row.get("annotations"), list) and isinstance(row.get("data"), dict)


def is_argilla(row: Row) -> bool:
    """Return whether a JSON object is a record of Argilla: nested (1.x and 2.x) or flattened."""
    return (isinstance(row.get("fields"), dict) and "responses" in row) or any(key.endswith(_RESPONSES) for key in row)


def label_studio_rows(row: Row, where: str) -> Iterator[GradedRow]:
    """Yield a row for each annotation of a task, in their order of time; skipped ones and predictions do not count.

    A task without an annotation is a row without a grade.

    Raises:
        InputError: if a grade is off the scale, or it is not clear which question holds it.
    """
    annotations = [a for a in row["annotations"] if isinstance(a, dict) and not a.get("was_cancelled")]
    if not annotations:
        yield graded_row(row["data"], where, None)
    for annotation in sorted(annotations, key=lambda a: str(a.get("updated_at") or a.get("created_at") or "")):
        values = _controls(annotation.get("result") or (), where)
        rater = row_text_or_id(annotation, "completed_by", where)
        yield graded_row(row["data"], where, _chosen(values, where), rater)


def _controls(results: Iterable[Any], where: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for result in results:
        kind = result.get("type") if isinstance(result, dict) else None
        if kind not in _CONTROLS:
            continue
        value = (result.get("value") or {}).get(kind)
        if isinstance(value, list):
            if len(value) > 1:
                raise InputError(f"{where}: '{result.get('from_name')}' has {len(value)} choices; one is expected")
            value = value[0] if value else None
        values[str(result.get("from_name"))] = value
    return values


def argilla_rows(row: Row, where: str) -> Iterator[GradedRow]:
    """Yield a row for each submitted response of a record; drafts, discarded responses and suggestions do not count.

    A record without a response is a row without a grade.

    Raises:
        InputError: if a grade is off the scale, or it is not clear which question holds it.
    """
    nested = isinstance(row.get("fields"), dict)
    item = {**(row.get("metadata") or {}), **row["fields"]} if nested else row
    by_rater: dict[str, dict[str, Any]] = {}
    for question, rater, value in _nested(row["responses"] or (), where) if nested else _flat(row):
        by_rater.setdefault(rater, {})[question] = value
    if not by_rater:
        yield graded_row(item, where, None)
    for rater, values in by_rater.items():
        yield graded_row(item, where, _chosen(values, where), rater)


Response = tuple[str, str, Any]


def _nested(responses: Any, where: str) -> Iterator[Response]:
    """Yield question, rater and value of `{question: [{value, user_id}]}` or `[{user_id, status, values}]`."""
    if isinstance(responses, Mapping):
        for question, given in responses.items():
            for response in given or ():
                if _counts(response.get("status")):
                    yield question, row_text_or_id(response, "user_id", where), response.get("value")
        return
    for response in responses:
        if _counts(response.get("status")):
            for question, value in (response.get("values") or {}).items():
                yield question, row_text_or_id(response, "user_id", where), (value or {}).get("value")


def _flat(row: Row) -> Iterator[Response]:
    for key in row:
        if key.endswith(_RESPONSES):
            values = row[key] or []
            raters = row.get(f"{key}.users") or [""] * len(values)
            states = row.get(f"{key}.status") or [None] * len(values)
            for value, rater, state in zip(values, raters, states, strict=True):
                if _counts(state):
                    yield key.removesuffix(_RESPONSES), str(rater or ""), value


def _counts(status: Any) -> bool:
    return status in (None, "submitted")


def _chosen(values: Mapping[str, Any], where: str) -> int | None:
    """Return the grade among the answers to a form's questions."""
    named = [key for key in GRADE_KEYS if key in values]
    if named:
        return written_grade(values[named[0]], named[0], where)
    fitting = {}
    for key, value in values.items():
        try:
            fitting[key] = written_grade(value, key, where)
        except InputError:
            # A question of the form that asks for something else.
            continue
    if not fitting and values:
        raise InputError(f"{where}: no question holds a grade from 0 to 5 ({listed(values)}); name it 'grade'")
    if len(fitting) > 1:
        raise InputError(f"{where}: which question holds the grade? ({listed(fitting)}); name it 'grade'")
    return next(iter(fitting.values()), None)
