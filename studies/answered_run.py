"""A run folder whose answers wait for their grades."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from items import Graded

_PARTS = {name: {"kind": "given", "model": ""} for name in ("embedder", "reranker", "retriever", "reader")}


def write_answered_run(path: Path, answers: Sequence[Graded]) -> None:
    """Write the files that `ragaliq judge` reads; all answers are English and answerable."""
    path.mkdir(parents=True)
    config = {
        "name": path.name,
        "data": {"name": "harbour", "version": "1", "hash": "harbour"},
        "system": {**_PARTS, "seed": 0},
        "judge": None,
        "expected": {"en": {"answerable": len(answers), "unanswerable": 0}},
    }
    (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    _write(path / "answers.jsonl", [_row(item) for item in answers])
    _write(path / "timings.jsonl", [{"lang": "en", "query_id": item.query_id, "seconds": 0.5} for item in answers])


def _row(item: Graded) -> dict[str, object]:
    return {
        "query_id": item.query_id,
        "lang": "en",
        "question": item.question,
        "reference": item.reference,
        "answerable": True,
        "answer": item.answer,
        "context": [
            {"doc_id": f"{item.query_id}-{rank}", "score": 1 / rank, "rank": rank, "text": text}
            for rank, text in enumerate(item.context, start=1)
        ],
        "outcome": "answered",
        "usage": None,
    }


def _write(path: Path, rows: Sequence[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
