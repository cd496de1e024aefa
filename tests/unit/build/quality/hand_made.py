"""A finished build written by hand: two answerable queries and one that a rule removed, over seven documents.

Known to be relevant: d1 (2 nuggets), d2 and d4 for q1; d5 for q2. d4 came as a random document, d7 is judged for none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragaliq.build.context import BuildContext
from ragaliq.build.model.backend import Backend
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages.pool import QUERY_KINDS, run_file
from ragaliq.build.workspace import Workspace
from ragaliq.llm import LLMSession
from ragaliq.storage.files import write_atomic

SETTINGS = """\
name: hand
version: "3"
niche: rules of a pier, asked by boatmen
unanswerable: 0
sources: [{path: pier, licence: CC0-1.0, date: "2026-03-01", commit: abc1, url: "https://pier.example"}]
pool: {retrievers: [bm25, char], judged: 2, negatives: 1}
"""
TEXTS = {"d1": "alpha alpha beta", "d2": "alpha and more beta here", "d3": "gamma", "d4": "delta", "d5": "omega",
         "d6": "lambda", "d7": "sigma"}  # fmt: skip
# Retriever → query → its list for a text without the answer, and for one with it.
LISTS = {"bm25": {"q1": (["d2", "d1"], ["d2"]), "q2": (["d7", "d5"], ["d2"])},
         "char": {"q1": (["d1", "d3"], ["d1", "d3"]), "q2": (["d7", "d5"], ["d2"])}}  # fmt: skip
POOLED: dict[str, list[dict[str, Any]]] = {
    "q1": [
        {"doc_id": "d1", "fused": {"question": 1, "subquestions": 1, "reference": 1}},
        {"doc_id": "d2", "fused": {"question": 2, "nuggets": 1}},
        {"doc_id": "d3", "fused": {"closed-book": 1}},
        {"doc_id": "d4", "fused": {}, "negative": True},
    ],
    "q2": [
        {"doc_id": "d2", "fused": {"question": 1}},
        {"doc_id": "d5", "fused": {"closed-book": 2}, "gold": True},
        {"doc_id": "d6", "fused": {}, "negative": True},
    ],
    "q3": [{"doc_id": "d3", "fused": {"question": 1}}],
}
QUERIES: dict[str, dict[str, Any]] = {
    "q1": {"text": "alpha beta", "judged": {"d1": 2, "d2": 1, "d3": 0, "d4": 1}, "gold": [["d1"], ["d1", "d2", "d4"]],
           "type": "single", "origin": "generated", "written_from": ["d1"], "nuggets": [["vital", ["d1"]],
           ["vital", ["d1", "d2", "d4"]]]},
    "q2": {"text": "omega unknown", "judged": {"d2": 0, "d5": 1, "d6": 0}, "gold": [["d5"]], "type": "list",
           "origin": "people", "written_from": [], "nuggets": [["vital", ["d5"]], ["okay", []]]},
    "q3": {"text": "sigma", "judged": {"d3": 0}, "gold": [], "type": "single", "origin": "generated",
           "written_from": ["d7"], "nuggets": [["vital", []]]},
}  # fmt: skip
SOLVED = {"q1": [("a", True), ("a", True), ("b", False)], "q2": [("a", True), ("a", False)], "q3": [("a", False)]}
VOTES = [[5, 5, 4], [3, 3, 3]]


def hand_made(folder: Path) -> BuildContext:
    """Write the rows of the stages that figures are computed from."""
    folder.mkdir(parents=True)
    (folder / "build.yaml").write_text(SETTINGS)
    context = BuildContext(Workspace(folder), LLMSession(), Backend())
    read, skipped = {"source": "pier", "characters": 40}, {"source": "pier"}
    write(context, "ingest", StageRow("pier/a.md", "en", read), StageRow("pier/b.png", "en", skipped, "image"))
    chunks = ((name, {"text": text, "source_id": "pier/a.md", "start": 0, "end": len(text), "title": ""})
              for name, text in TEXTS.items())  # fmt: skip
    write(context, "chunk", *(StageRow(name, "en", value) for name, value in chunks))
    evidence = {"evidence": [{"doc_id": "d1"}]}
    write(
        context,
        "generate",
        *(StageRow(name, "en", evidence if name != "q2" else {}) for name in ("q1", "q2", "q3", "q4")),
        StageRow("q5", "en", {}, "evidence not found", "no such quote"),
        StageRow("q6", "en", {}, "nothing to ask"),
        StageRow("q7", "en", {}, "failed", "truncated"),
    )
    rounds = [{"votes": [dict.fromkeys(_CRITERIA, score) for score in scores]} for scores in VOTES]
    write(
        context,
        "critique",
        StageRow("q1", "en", {"rounds": rounds}),
        StageRow("q2", "en", {"rounds": []}),
        StageRow("q3", "en", {"rounds": [{"votes": [dict.fromkeys(_CRITERIA, 5)]}]}),
        StageRow("q4", "en", {"rounds": []}, "critique: usefulness", "usefulness 3"),
    )
    write(context, "dedupe", *(StageRow(name, "en") for name in QUERIES))
    write(context, "nuggets", *(StageRow(name, "en", _asked(name)) for name in QUERIES))
    write(context, "closed-book", *(StageRow(name, "en", _book(name)) for name in QUERIES))
    texts = dict.fromkeys(QUERY_KINDS, "text")
    pooled = ({"withheld": False, "texts": texts, "documents": documents} for documents in POOLED.values())
    write(context, "pool", *(StageRow(name, "en", value) for name, value in zip(POOLED, pooled, strict=True)))
    _write_lists(context)
    cells = [{"label": label} for label in ("support", "support", "not_support", "missing")]
    write(context, "judge", StageRow("q1#1", "en", {"query_id": "q1", "cells": cells}, "failed", "1 of 4 missing"))
    filtered = [StageRow(name, "en", _filtered(name)) for name in ("q1", "q2")]
    write(context, "filter", *filtered, StageRow("q3", "en", _filtered("q3"), "no supported nugget"))
    write(context, "export", *(StageRow(name, "en") for name in ("q1", "q2")))
    return context


_CRITERIA = ("usefulness", "standalone", "groundedness", "single_answer", "no_leakage")


def write(context: BuildContext, stage: str, *rows: StageRow) -> None:
    """Write the rows of a stage."""
    context.workspace.write_rows(stage, rows)


def _asked(name: str) -> dict[str, Any]:
    return {"text": QUERIES[name]["text"], "reference": "r", "origin": "generated", "gold": [], "nuggets": []}


def _book(name: str) -> dict[str, Any]:
    answers = [{"model": model, "answer": "x", "solved": solved} for model, solved in SOLVED[name]]
    return {"subquestions": ["s"], "answers": answers, "solved": 0.0}


def _filtered(name: str) -> dict[str, Any]:
    nuggets = [{"importance": importance, "doc_ids": docs} for importance, docs in QUERIES[name]["nuggets"]]
    return {**QUERIES[name], "nuggets": nuggets, "answerable": True, "near_miss": "", "withheld": []}


def _write_lists(context: BuildContext) -> None:
    for retriever, by_query in LISTS.items():
        for kind in QUERY_KINDS:
            lines = [
                f"{query_id} Q0 {doc_id} {rank} {10 - rank} {retriever}\n"
                for query_id, (plain, told) in by_query.items()
                for rank, doc_id in enumerate(told if kind in ("reference", "nuggets") else plain, start=1)
            ]
            write_atomic(run_file(context, "en", kind, retriever), "".join(lines).encode())
