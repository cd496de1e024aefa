"""Run folders made by hand: several languages, chosen judges, missing grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fakes import answered
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import run_answer_to_row, verdict_to_row
from ragaliq.storage.files import write_json, write_jsonl
from ragaliq.types import Verdict, VerdictOutcome

Grades = Mapping[str, Sequence[int | None]]


def write_graded_run(
    path: Path,
    grades: Grades,
    *,
    judge: str = "offline",
    prompt_hash: str = "hash",
    data: str = "data",
    config: Mapping[str, Any] | None = None,
) -> RunFolder:
    """A finished run with the queries q01, q02, … in each language, and their grades; `config` adds to its judge."""
    folder = RunFolder(path)
    parts = {name: {"kind": "fake", "model": ""} for name in ("embedder", "reranker", "retriever")}
    write_json(
        folder.config_file,
        {
            "data": {"name": "tiny", "version": "1", "hash": data},
            "system": {**parts, "reader": {"kind": "fake", "model": path.name}, "seed": 0},
            "judge": {"kind": judge, "model": "", "name": judge, "prompt_hash": prompt_hash, **(config or {})},
            "expected": {lang: {"answerable": len(own), "unanswerable": 0} for lang, own in grades.items()},
        },
    )
    items = [(lang, f"q{n:02}", grade) for lang, own in sorted(grades.items()) for n, grade in enumerate(own, start=1)]
    write_jsonl(
        folder.answers_file, [run_answer_to_row(answered(name, "It is blue.", lang)) for lang, name, _ in items]
    )
    write_jsonl(
        folder.verdicts_file,
        [verdict_to_row(_verdict(name, lang, grade, judge, prompt_hash)) for lang, name, grade in items],
    )
    write_jsonl(folder.timings_file, [{"lang": lang, "query_id": name, "seconds": 0.5} for lang, name, _ in items])
    write_json(folder.metrics_file, {})
    return folder


def _verdict(name: str, lang: str, grade: int | None, judge: str, prompt_hash: str) -> Verdict:
    outcome = VerdictOutcome.UNPARSEABLE if grade is None else VerdictOutcome.SCORED
    return Verdict(name, lang, grade, outcome, "", judge, prompt_hash)
