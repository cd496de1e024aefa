"""Judged logs of the RAGaliq sources: JSON lists of rows with an integer `score`.

A file is named `eval_res_questions_LANG_READER_EMBEDDER_RERANKER_LANG.json`; beside its folder, `res/results_….txt`
names the judge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.files import read_json, read_text

_NAME = re.compile(r"eval_(?:res|ans)_(?P<run>questions_(?P<lang>[^_]+)_(?P<system>.+)_(?P=lang))")


@dataclass(frozen=True, slots=True)
class LogRow:
    """One answer of a log.

    Attributes:
        question: the question, without space around it; empty where the row has none.
        grade: 0 to 5; None where the row has none.
        consistency: the stored language consistency, in 0..1; None where the row has none.
    """

    question: str
    grade: int | None
    consistency: float | None


@dataclass(frozen=True, slots=True)
class ReferenceLog:
    """One judged log in the order of its rows; `judge` is None where nothing names it."""

    lang: str
    judge: str | None
    rows: tuple[LogRow, ...]

    @property
    def grades(self) -> tuple[int | None, ...]:
        """The grade of each row."""
        return tuple(row.grade for row in self.rows)

    @property
    def consistency(self) -> tuple[float, ...]:
        """The stored language consistencies; rows without one are left out."""
        return tuple(row.consistency for row in self.rows if row.consistency is not None)


def read_reference_log(path: Path) -> ReferenceLog:
    """Read a log; its rows need an integer `score` in 0..5, and may have `language_consistency_score`.

    Raises:
        InputError: if the file is no such list, or a score is off the scale; with the number of the row.
    """
    rows = read_json(path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: a JSON list of objects is expected")
    found = tuple(_row(row, f"{path}: row {number}") for number, row in enumerate(rows, start=1))
    if rows and all(row.grade is None for row in found):
        raise InputError(f"{path}: no row has a 'score'; give a judged log (eval_res_…)")
    match = _NAME.fullmatch(path.stem)
    return ReferenceLog(match["lang"] if match else "", _judge(path, match["run"]) if match else None, found)


def log_system(path: Path) -> str:
    """Return `READER_EMBEDDER_RERANKER` of a log's name, and the whole name of a file that is called otherwise."""
    match = _NAME.fullmatch(path.stem)
    return match["system"] if match else path.stem


def _row(row: dict[str, Any], where: str) -> LogRow:
    score, stored = row.get("score"), row.get("language_consistency_score")
    if score is not None and (not isinstance(score, int) or isinstance(score, bool) or not 0 <= score <= 5):
        raise InputError(f"{where}: 'score' must be a whole number from 0 to 5, not {score!r}")
    consistency = float(stored) if isinstance(stored, int | float) else None
    return LogRow(str(row.get("question") or "").strip(), score, consistency)


def _judge(path: Path, run: str) -> str | None:
    summary = path.parent.parent / "res" / f"results_{run}.txt"
    if not summary.is_file():
        return None
    match = re.search(r"^Judge model:\s*(\S+)", read_text(summary), re.MULTILINE)
    return match[1] if match else None
