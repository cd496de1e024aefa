"""One run with something of everything that the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import write_json, write_jsonl

ANSWER = "It is blue. It is big."


def write_rich_run(
    path: Path, lang: str = "en", hostile: str = "", verdicts: bool = True, data: Mapping[str, str] | None = None
) -> RunFolder:
    """A run with two answerable queries and an unanswerable one; `hostile` is added to every text and name."""
    run = RunFolder(path)
    component = {"kind": "fake", "model": f"m{hostile}"}
    write_json(
        run.config_file,
        {
            "data": {"name": f"tiny{hostile}", "version": "1", "hash": "h", **(data or {})},
            "system": {**dict.fromkeys(("reader", "embedder", "reranker", "retriever"), component), "seed": 0},
            "judge": {**component, "name": f"judge{hostile}", "prompt_hash": "p"},
            "expected": {lang: {"answerable": 2, "unanswerable": 1}},
        },
    )
    rows = rich_rows(lang, hostile)
    for name in ("answers", "checks", "nugget_scores", "waterfall", "timings", "traces", *["verdicts"] * verdicts):
        write_jsonl(path / f"{name}.jsonl", rows[name])
    write_json(run.metrics_file, {})
    return run


def rich_rows(lang: str, hostile: str = "") -> dict[str, list[dict[str, Any]]]:
    """The rows of the files by their names: q1 is answered and judged, q2 failed, the data do not answer q3."""
    q1, q2, q3 = ({"query_id": f"q{number}{hostile}", "lang": lang} for number in (1, 2, 3))
    judged = {**q1, "judge": f"judge{hostile}", "prompt_hash": "p"}
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    context = [
        {"doc_id": f"d{number}{hostile}", "score": 1.5 - number, "rank": number, "text": f"chunk {number}{hostile}"}
        for number in (1, 2)
    ]
    asked = {"question": f"What?{hostile}", "reference": f"Blue.{hostile}", "in_language": None, "usage": None}
    group = {"doc_ids": [f"d2{hostile}"], "retrieved": 1, "ranked": None, "lost": "reranker"}
    other = {"text": f"Blue{hostile}", "outcome": "answered", "in_language": True, "doc_ids": [], "grade": 5,
             "verdict": "scored"}  # fmt: skip
    kind = {"type": f"fact{hostile}", "difficulty": "hard", "answer_hash": ""}
    return {
        "answers": [
            {**q1, **asked, "answer": f"{ANSWER}{hostile}", "outcome": "answered", "context": context,
             "reasoning": f"hm{hostile}",
             "sentences": [{"text": f"It is blue.{hostile}", "citations": [f"d1{hostile}"]}]},
            {**q2, **asked, "answer": "", "outcome": "error", "context": [], "error": f"no{hostile}"},
            {**q3, **asked, "answer": f"I do not know.{hostile}", "outcome": "abstained", "context": [],
             "answerable": False},
        ],
        "verdicts": [
            {**judged, "grade": 3, "outcome": "scored", "feedback": f"in part{hostile}", "refuses": "none",
             "expected_grade": 3.25, "confidence": 0.5, "reasoning": f"thought{hostile}",
             "draws": [{"judge": "a", "grade": 3, "outcome": "scored"},
                       {"judge": "a", "grade": None, "outcome": "unparseable"}]},
            {**judged, **q2, "grade": None, "outcome": "no_answer", "feedback": ""},
        ],
        "checks": [
            {**judged, "outcome": "scored", "abstains": False, "in_language": True,
             "sentences": [{"text": f"It is blue.{hostile}", "support": "supported", "doc_id": f"d1{hostile}"},
                           {"text": f"It is big.{hostile}", "support": "not", "doc_id": None},
                           {"text": f"Well.{hostile}", "support": None, "doc_id": None}]}
        ],
        "nugget_scores": [
            {**judged, "outcome": "scored",
             "assignments": [{"nugget_id": f"n1{hostile}", "importance": "vital", "label": "not_support"}]}
        ],
        "waterfall": [
            {**q1, **kind, "answerable": True, "cause": "reranker", "groups": [group], "conditions": {"gold": other}},
            {**q2, **kind, "answerable": True, "cause": None, "groups": [group]},
            {**q3, **kind, "type": "unanswerable", "answerable": False, "cause": None, "groups": []},
        ],
        "timings": [{**q1, "seconds": 0.5}],
        "traces": [
            {"component": "judge", "model": f"m{hostile}", **q1, "turn": 1, "parameters": {}, "prompt_hash": "p",
             "request_hash": "r", "raw_reply": f"[RESULT] 3{hostile}", "finish_reason": "stop", "usage": usage,
             "attempts": 2},
            {"component": "embedder", "model": "e", "turn": 1, "parameters": {}, "prompt_hash": "", "raw_reply": "",
             "request_hash": "s", "finish_reason": "", "usage": None, "attempts": 1},
        ],
    }  # fmt: skip
