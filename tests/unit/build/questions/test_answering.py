"""What people asked on its way through the stages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fakes import CannedModel, between_fences, prompt_of
from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages.critique import critique
from ragaliq.build.stages.dedupe import dedupe
from ragaliq.build.stages.filter import filter_queries
from ragaliq.build.stages.generate import generate
from ragaliq.build.stages.nuggets import nuggets
from ragaliq.build.stages.pool import pool
from ragaliq.llm import Request
from unit.build.chain import PASSAGES, build_in, candidate_row, votes

SHOWN = 8
SAUNA = "The sauna behind the workshop is heated on Fridays, and a session costs every guest four credits a person."
RULE = "Rule {0} of the house: {0} lamps hang in corridor {0}, and all of them are switched off at night by the guard."
DOCS = [PASSAGES["en"], SAUNA, *(RULE.format(number) for number in range(12))]
ASKED = "What does a session in the sauna cost?"


def answer(request: Request) -> dict[str, Any]:
    """Answers what the sauna costs from the passage that says so."""
    passages = [between_fences(prompt_of(request), f"PASSAGE {number}") for number in range(1, SHOWN + 1)]
    if SAUNA not in passages or "sauna" not in between_fences(prompt_of(request), "QUESTION"):
        return {"evidence": [], "answer": ""}
    evidence = [{"passage": passages.index(SAUNA) + 1, "quote": "costs every guest four credits"}]
    return {"evidence": evidence, "answer": "Four credits."}


def one_nugget(request: Request) -> dict[str, Any]:
    quote = between_fences(prompt_of(request), "ANSWER")
    return {"nuggets": [{"text": "It says so.", "quote": quote, "importance": "vital"}]}


def asking(
    folder: Path,
    rows: Sequence[Mapping[str, Any]],
    said: Any = answer,
    chunks: Mapping[str, Sequence[str]] | None = None,
) -> tuple[BuildContext, CannedModel]:
    """A build with one file of questions, generated."""
    settings = {"questions": [{"path": "asked.jsonl"}], "generate": {"queries": 1, "types": {"single": 1}}}
    replies = {"generate": {"rationale": "", "evidence": [], "question": "", "answer": ""}, "answer": said}
    model = CannedModel({**replies, "critique": votes(), "nuggets": one_nugget})
    context = build_in(folder, chunks or {"en": DOCS}, {"": model}, json.dumps(settings))
    (folder / "bench" / "asked.jsonl").write_text("\n".join(map(json.dumps, rows)))
    generate(context)
    return context, model


def asked_rows(context: BuildContext, stage: str = "generate") -> list[StageRow]:
    return [row for row in context.workspace.rows(stage) if row.value["origin"] != "generated"]


def test_b8_a_log_is_answered_from_the_eight_best_passages_and_has_their_gold(tmp_path: Path) -> None:
    context, model = asking(tmp_path, [{"question": ASKED}])
    (row,) = asked_rows(context)
    start = 100 + SAUNA.index("costs every")
    assert row.kept and row.value["reference"] == "Four credits." and row.value["gold"] == [["en:d2"]]
    assert row.value["evidence"] == [
        {"doc_id": "en:d2", "start": start, "end": start + 30, "quote": "costs every guest four credits"}
    ]
    (prompt,) = model.prompts("answer")
    assert f" PASSAGE {SHOWN}\n" in prompt and f" PASSAGE {SHOWN + 1}\n" not in prompt and SAUNA in prompt
    critique(context)
    (row,) = asked_rows(context, "critique")
    # Voted on, with the passage that it was answered from.
    assert len(row.value["rounds"][0]["votes"]) == 3 and SAUNA in model.prompts("critique")[0]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"evidence": [], "answer": ""}, "not in the documents"),
        ({"evidence": [], "answer": "Four credits."}, "evidence missing"),
        ({"evidence": [{"passage": 1, "quote": "costs five credits"}], "answer": "Five."}, "evidence not found"),
        ({"evidence": [{"passage": 9, "quote": "costs"}], "answer": "Five."}, "failed"),
        ({"evidence": [], "answer": "Das kostet leider etwas mehr als vier Kronen."}, "other language"),
        ({"evidence": []}, "failed"),
    ],
)
def test_a_log_that_the_documents_do_not_answer_is_removed_with_the_reason(
    tmp_path: Path, said: Any, reason: str
) -> None:
    context, _ = asking(tmp_path, [{"question": ASKED}], said)
    (row,) = asked_rows(context)
    assert (row.reason, row.value["text"]) == (reason, ASKED)


def test_what_people_answered_reaches_the_nuggets_as_it_is_without_gold(tmp_path: Path) -> None:
    code = "Run this:\n\n```bash\nsauna --heat\n    --now\n```"
    rows = [{"question": ASKED, "answer": code}, {"question": "Who switches off the lamps?", "answer": "The guard."},
            {"question": "Who heats it?", "answer": ""}]  # fmt: skip
    context, model = asking(tmp_path, rows)
    assert not model.prompts("answer")
    critique(context)
    dedupe(context)
    nuggets(context)
    assert not model.prompts("critique")
    results = {row.value["text"]: row for row in context.workspace.kept("nuggets")}
    assert {text: row.value["reference"] for text, row in results.items()} == {
        ASKED: code, "Who switches off the lamps?": "The guard.",
    }  # fmt: skip
    assert all(row.value["gold"] == [] and row.value["origin"] == "people" for row in results.values())
    assert results[ASKED].value["nuggets"][0]["nugget_id"] == f"{results[ASKED].item_id}_n1"
    # Every row of the file stands somewhere, and the chunks that may answer are named.
    reasons = Counter(row.reason for row in asked_rows(context))
    assert reasons == {"": 2, "no accepted answer": 1} and "en:d2" in results[ASKED].value["near"]


def test_gold_of_what_people_asked_comes_from_judged_support(tmp_path: Path) -> None:
    context, _ = asking(tmp_path, [{"question": ASKED, "answer": "Four credits."}])
    critique(context)
    dedupe(context)
    nuggets(context)
    (row,) = context.workspace.rows("nuggets")
    book = StageRow(row.item_id, "en", {"subquestions": [], "answers": [], "solved": None, "known": False}, inputs="b")
    context.workspace.write_rows("closed-book", [book])
    pool(context)
    (pooled,) = context.workspace.rows("pool")
    documents = [one["doc_id"] for one in pooled.value["documents"]]
    assert "en:d2" in documents and not any(one.get("gold") for one in pooled.value["documents"])
    for name, supporting in (("some", ["en:d2"]), ("none", [])):
        cells = [{"nugget_id": f"{row.item_id}_n1", "doc_id": doc_id, "quote": "",
                  "label": "support" if doc_id in supporting else "not_support"} for doc_id in documents]  # fmt: skip
        judged = StageRow(f"{row.item_id}#1", "en", {"query_id": row.item_id, "cells": cells}, inputs=name)
        context.workspace.write_rows("judge", [judged])
        filter_queries(context)
        (result,) = context.workspace.rows("filter")
        assert result.value["gold"] == ([supporting] if supporting else [])
        assert result.reason == ("" if supporting else "no supported nugget") and result.value["written_from"] == []


def test_known_queries_are_dropped_on_request_after_they_were_judged(tmp_path: Path) -> None:
    reasons = {}
    for drop in ("false", "true"):
        context = build_in(tmp_path / drop, {"en": DOCS}, {}, f"closed_book: {{drop: {drop}}}\nunanswerable: 0\n")
        row = candidate_row("q", ASKED, "Four.", gold=[["en:d2"]], nuggets=[
            {"nugget_id": "q_n1", "text": "It costs four.", "importance": "vital", "start": 0, "end": 4}])  # fmt: skip
        context.workspace.write_rows("nuggets", [row])
        book = {"subquestions": [], "answers": [], "solved": 1.0, "known": True}
        context.workspace.write_rows("closed-book", [StageRow("q", "en", book, inputs="b")])
        pool(context)
        cell = {"nugget_id": "q_n1", "doc_id": "en:d2", "label": "support", "quote": ""}
        context.workspace.write_rows("judge", [StageRow("q#1", "en", {"query_id": "q", "cells": [cell]}, inputs="j")])
        filter_queries(context)
        (result,) = context.workspace.rows("filter")
        reasons[drop] = result.reason
        assert result.value["solved"] == 1.0 and result.value["gold"] == [["en:d2"]]
    assert reasons == {"false": "", "true": "solved without documents"}


def test_six_languages_of_a_log_are_each_answered_from_their_own_documents(tmp_path: Path) -> None:
    def copy(request: Request) -> dict[str, Any]:
        passage = between_fences(prompt_of(request), "PASSAGE 1")
        return {"evidence": [{"passage": 1, "quote": passage}], "answer": passage}

    rows = [{"question": f"{text[:24]}?"} for text in PASSAGES.values()]
    context, _ = asking(tmp_path, rows, copy, {lang: [text] for lang, text in PASSAGES.items()})
    results = asked_rows(context)
    assert [row.lang for row in results] == sorted(PASSAGES)
    assert [(row.value["reference"], row.value["gold"]) for row in results if row.kept] == [
        (PASSAGES[lang], [[f"{lang}:d1"]]) for lang in sorted(PASSAGES)
    ]
