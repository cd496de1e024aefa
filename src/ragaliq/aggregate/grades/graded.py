"""What holds grades, as rows that say which answer they are about: a run folder, a folder of runs, or a file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragaliq.aggregate.grades.query_grades import JudgeId
from ragaliq.aggregate.run_rows import run_at
from ragaliq.errors import InputError, listed
from ragaliq.formats.grades.labels import read_graded
from ragaliq.formats.grades.rows import GradedRow
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import ANSWERS, AnswerHeader, RunAnswer
from ragaliq.storage.record_store import RecordStore


@dataclass(frozen=True, slots=True)
class Graded:
    """The rows of one source of grades, its name without folders, and a hash of the files that hold the grades."""

    name: str
    rows: tuple[GradedRow, ...]
    sha256: str


def load_graded(path: Path) -> Graded:
    """Read a run folder, a folder of run folders, or a file of grades.

    The rows of a run get question, answer and `answerable` from its answers, and the name of its folder as `run`.

    Raises:
        InputError: if the path is none of these, a run is not graded, or a row is wrong; the message names it.
    """
    run = run_at(path)
    if run is None:
        return Graded(path.name, read_graded(path), _sha256([path]))
    folders = [run] if run.config_file.is_file() else _runs_in(path)
    rows = [row for folder in folders for row in _run_rows(folder)]
    return Graded(run.path.resolve().name, tuple(rows), _sha256([folder.verdicts_file for folder in folders]))


def of_judge(graded: Graded, judge: str) -> Graded:
    """Return the rows of one judge: its name, or its name, a space and the first characters of its prompt's hash.

    Raises:
        InputError: if no row is of this judge; the message names those that are there.
    """
    name, _, prefix = judge.rpartition(" ")
    rows = tuple(
        row for row in graded.rows if row.judge == judge or (row.judge == name and row.prompt_hash.startswith(prefix))
    )
    if not judge or not rows:
        known = {str(JudgeId(row.judge, row.prompt_hash)) for row in graded.rows if row.judge}
        raise InputError(f"{graded.name}: no verdict by the judge '{judge}'; {listed(known or {'none'})}")
    return replace(graded, rows=rows)


def _runs_in(path: Path) -> list[RunFolder]:
    folders = [RunFolder(file.parent) for file in sorted(path.glob("*/config.json"))]
    graded = [folder for folder in folders if folder.verdicts_file.is_file()]
    if not graded:
        raise InputError(f"{path}: neither a graded run nor a folder of graded runs; give a run folder or a file")
    return graded


def _run_rows(folder: RunFolder) -> list[GradedRow]:
    if not folder.verdicts_file.is_file():
        raise InputError(f"{folder}: not graded yet; `ragaliq judge {folder}` grades it")
    answers = RecordStore(folder.answers_file, replace(ANSWERS, header=_graded_answer))
    name, rows = folder.path.resolve().name, []
    for row in read_graded(folder.verdicts_file):
        key = (row.lang, row.query_id)
        header, said = answers.header(key) if key in answers else (None, {})
        # A verdict on an earlier answer counts as missing.
        if header is None or header.has_hash(row.answer_hash):
            rows.append(replace(row, run=name, **said))
    return rows


def _graded_answer(answered: RunAnswer) -> tuple[AnswerHeader, dict[str, Any]]:
    item = answered.item
    said = {"question": item.query.text, "answer": answered.answer.text, "answerable": item.answerable}
    return ANSWERS.header(answered), said


def _sha256(files: Sequence[Path]) -> str:
    digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    return digests[0] if len(digests) == 1 else hashlib.sha256(" ".join(digests).encode("ascii")).hexdigest()
