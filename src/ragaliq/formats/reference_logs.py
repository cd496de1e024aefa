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
from ragaliq.io import read_json, read_text

_NAME = re.compile(r"eval_(?:res|ans)_(?P<system>questions_(?P<lang>[^_]+)_.+_(?P=lang))")


@dataclass(frozen=True, slots=True)
class ReferenceLog:
    """One judged log: a grade for each row, None where the row has none, and the stored language consistency."""

    lang: str
    judge: str | None
    grades: tuple[int | None, ...]
    consistency: tuple[float, ...]


def read_reference_log(path: Path) -> ReferenceLog:
    """Read a log; its rows need an integer `score` in 0..5, and may have `language_consistency_score`.

    Raises:
        InputError: if the file is no such list, or a score is off the scale; with the number of the row.
    """
    rows = read_json(path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: a JSON list of objects is expected")
    grades = tuple(_grade(row, f"{path}: row {number}") for number, row in enumerate(rows, start=1))
    if rows and all(grade is None for grade in grades):
        raise InputError(f"{path}: no row has a 'score'; give a judged log (eval_res_…)")
    stored = [row.get("language_consistency_score") for row in rows]
    consistency = tuple(float(value) for value in stored if isinstance(value, int | float))
    match = _NAME.fullmatch(path.stem)
    lang = match["lang"] if match else ""
    return ReferenceLog(lang, _judge(path, match["system"]) if match else None, grades, consistency)


def _grade(row: dict[str, Any], where: str) -> int | None:
    score = row.get("score")
    if score is not None and (not isinstance(score, int) or isinstance(score, bool) or not 0 <= score <= 5):
        raise InputError(f"{where}: 'score' must be a whole number from 0 to 5, not {score!r}")
    return score


def _judge(path: Path, system: str) -> str | None:
    summary = path.parent.parent / "res" / f"results_{system}.txt"
    if not summary.is_file():
        return None
    match = re.search(r"^Judge model:\s*(\S+)", read_text(summary), re.MULTILINE)
    return match[1] if match else None
