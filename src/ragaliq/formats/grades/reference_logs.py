"""Judged logs of the RAGaliq sources: JSON lists of rows with an integer `score`.

A file is named `eval_res_questions_LANG_READER_EMBEDDER_RERANKER_LANG.json`; the rows of `eval_ans_….json` beside it
are all answers, judged or not, and beside its folder `res/results_….txt` names the judge and the time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.storage.files import Row, read_json, read_text

_NAME = re.compile(r"eval_(?:res|ans)_(?P<run>questions_(?P<lang>[^_]+)_(?P<system>.+)_(?P=lang))")
_TIME = re.compile(r"^Generation time:[ \t]*\n?[ \t]*(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LogFacts:
    """What a log's name and the files beside it say.

    Attributes:
        parts: reader, embedder and reranker; the reader alone where the name has other parts.
        seconds: of generation; None without the summary file.
        n_answers: number of answers, judged or not; None without their file.
    """

    parts: tuple[str, ...]
    seconds: float | None
    n_answers: int | None


def log_facts(path: Path) -> LogFacts:
    """Return what is known of the system of a file of grades; of a file that is no log its name alone.

    Raises:
        InputError: if the file of answers beside it is no JSON list.
    """
    match = _NAME.fullmatch(path.stem)
    if match is None:
        return LogFacts((path.stem,), None, None)
    parts = tuple(match["system"].split("_"))
    return LogFacts(
        parts if len(parts) == 3 else (match["system"],),
        _seconds(_summary(path, match["run"])),
        _n_answers(path.with_name(f"eval_ans_{match['run']}.json")),
    )


def log_defaults(path: Path, rows: Sequence[Row]) -> Row:
    """Return the keys that every row of a log shares: `lang` and `judge` by the file's name, `run`, and no `score`.

    Empty for rows that are no log: its name is another, and the first row has no `generated_answer`. `lang` and `judge`
    are "" where nothing tells them.
    """
    match = _NAME.fullmatch(path.stem)
    if match is None:
        is_log = bool(rows) and "generated_answer" in rows[0]
        return {"lang": "", "judge": "", "run": path.stem, "score": None} if is_log else {}
    judge = re.search(r"^Judge model:[ \t]*(\S+)", _summary(path, match["run"]), re.MULTILINE)
    return {"lang": match["lang"], "judge": judge[1] if judge else "", "run": path.stem, "score": None}


def log_system(path: Path) -> str:
    """Return `READER_EMBEDDER_RERANKER` of a log's name, and the whole name of a file that is called otherwise."""
    match = _NAME.fullmatch(path.stem)
    return match["system"] if match else path.stem


def _summary(path: Path, run: str) -> str:
    """Return the text of the summary file beside a log's folder; empty if there is none."""
    summary = path.parent.parent / "res" / f"results_{run}.txt"
    return read_text(summary) if summary.is_file() else ""


def _seconds(summary: str) -> float | None:
    match = _TIME.search(summary)
    try:
        seconds = float(match[1]) if match else math.nan
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None


def _n_answers(path: Path) -> int | None:
    if not path.is_file():
        return None
    rows = read_json(path)
    if not isinstance(rows, list):
        raise InputError(f"{path}: a JSON list of answers is expected; fix it or move it away")
    return len(rows)
