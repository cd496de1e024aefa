"""Judged logs of the RAGaliq sources: JSON lists of rows with an integer `score`.

A file is named `eval_res_questions_LANG_READER_EMBEDDER_RERANKER_LANG.json`; beside its folder, `res/results_….txt`
names the judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ragaliq.storage.files import Row, read_text

_NAME = re.compile(r"eval_(?:res|ans)_(?P<run>questions_(?P<lang>[^_]+)_(?P<system>.+)_(?P=lang))")


def log_defaults(path: Path, rows: Sequence[Row]) -> Row:
    """Return the keys that every row of a log shares: `lang` and `judge` by the file's name, `run`, and no `score`.

    Empty for rows that are no log: its name is another, and the first row has no `generated_answer`. `lang` and `judge`
    are "" where nothing tells them.
    """
    match = _NAME.fullmatch(path.stem)
    if match is None:
        is_log = bool(rows) and "generated_answer" in rows[0]
        return {"lang": "", "judge": "", "run": path.stem, "score": None} if is_log else {}
    return {"lang": match["lang"], "judge": _judge(path, match["run"]), "run": path.stem, "score": None}


def log_system(path: Path) -> str:
    """Return `READER_EMBEDDER_RERANKER` of a log's name, and the whole name of a file that is called otherwise."""
    match = _NAME.fullmatch(path.stem)
    return match["system"] if match else path.stem


def _judge(path: Path, run: str) -> str:
    summary = path.parent.parent / "res" / f"results_{run}.txt"
    match = summary.is_file() and re.search(r"^Judge model:\s*(\S+)", read_text(summary), re.MULTILINE)
    return match[1] if match else ""
