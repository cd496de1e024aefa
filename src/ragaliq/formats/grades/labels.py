"""Files of grades: verdicts, graded rows, reference logs, tables, and what labelling programs export."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragaliq.errors import InputError, listed
from ragaliq.formats.answers.columns import USUAL_NAMES
from ragaliq.formats.answers.reading import LINES, PARQUET, SUFFIXES, read_answer_rows
from ragaliq.formats.grades.label_exports import argilla_rows, is_argilla, is_label_studio, label_studio_rows
from ragaliq.formats.grades.reference_logs import log_defaults
from ragaliq.formats.grades.rows import GRADE_KEYS, NOT_GRADED, GradedRow, grade_of, graded_row, written_grade
from ragaliq.storage.files import Row, read_json
from ragaliq.storage.journal import read_journal
from ragaliq.storage.tables import DELIMITERS, read_table


def read_graded(path: Path) -> tuple[GradedRow, ...]:
    """Read a file of grades, in the order of its lines; rows of `grade` that no judge was asked about are left out.

    `.jsonl`, `.ndjson`, `.parquet`: verdicts, graded rows, labels of `ragaliq review`, or Argilla records, one a line.
    `.json`: a list of reference-log rows, of any such rows, of Label Studio tasks (JSON or JSON_MIN export) or of
    Argilla records (`to_json`, `to_list`). `.csv` and `.tsv`: a header line with `grade`, `score`, `label` or `rating`,
    with `query_id` or `question` and `answer`, and where they are needed `lang`, `run` and `rater`; an empty cell is no
    grade.

    Raises:
        InputError: if the file cannot be read or holds no row, or a grade is no whole number from 0 to 5; the message
            names file and line, or in a JSON list the row.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file; give verdicts, labels or a run folder")
    if path.suffix in LINES:
        rows = [graded for number, row in read_journal(path) for graded in _rows(row, f"{path}:{number}")]
    elif path.suffix == ".json":
        rows = _listed(path)
    elif path.suffix in DELIMITERS:
        rows = list(_table(path))
    elif path.suffix == PARQUET:
        rows = [graded for where, row in read_answer_rows(path).rows for graded in _rows(row, where)]
    else:
        raise InputError(f"{path}: what form is this? ({listed(SUFFIXES)}); rename it")
    if not rows:
        raise InputError(f"{path}: holds no row; give a file with grades")
    return tuple(rows)


def _rows(row: Row, where: str) -> list[GradedRow]:
    export = label_studio_rows if is_label_studio(row) else argilla_rows if is_argilla(row) else None
    if export is not None:
        try:
            return list(export(row, where))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{where}: not an export that is understood ({error}); export it anew") from None
    if "annotation_id" in row:
        # JSON_MIN of Label Studio: the form's answers stand beside the data, choices as text.
        key = next((key for key in GRADE_KEYS if key in row), "grade")
        return [graded_row(row, where, written_grade(row.get(key), key, where))]
    if row.get("task") not in (None, "grade"):
        # `ragaliq review` asks other questions too, and exports them beside the grades.
        return []
    if row.get("outcome") in NOT_GRADED:
        return []
    return [graded_row(row, where, grade_of(row, where))]


def _listed(path: Path) -> list[GradedRow]:
    rows = read_json(path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: a JSON list of objects is expected; give verdicts, labels or a run folder")
    shared = log_defaults(path, rows)
    graded = [one for number, row in enumerate(rows, 1) for one in _rows({**shared, **row}, f"{path}: row {number}")]
    if shared and all(row.grade is None for row in graded):
        raise InputError(f"{path}: no row has a 'score'; give a judged log (eval_res_…)")
    return graded


def _table(path: Path) -> Iterator[GradedRow]:
    table = read_table(path)
    columns = table.columns
    key = next((key for key in GRADE_KEYS if key in columns), None)
    named = all(set(USUAL_NAMES[role]) & set(columns) for role in ("question", "answer"))
    if key is None or not ("query_id" in columns or named):
        raise InputError(
            f"{path}:1: columns 'query_id' (or 'question' and 'answer') and 'grade' are needed; {listed(columns)}"
        )
    for where, cells in table.rows:
        if cells.get("outcome") in NOT_GRADED:
            continue
        yield graded_row(dict(cells), where, written_grade(cells[key].strip(), key, where))
