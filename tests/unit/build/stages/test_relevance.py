"""The graded assessor is an option: 0 to 3 for each pooled document, with its status, and κ against people."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytest import approx

from fakes import CannedModel, prompt_of
from ragaliq.build.context import BuildContext
from ragaliq.build.pipeline import STAGES, run_build, wanted_stages
from ragaliq.build.stages.pool import pool
from ragaliq.build.stages.relevance import grades_of, relevance
from ragaliq.errors import ConfigError
from ragaliq.llm import Request
from ragaliq.storage.files import read_json
from unit.build.written_build import fact, written_build

SUPPORT = {"q1": {"q1n1": ["d01", "d02", "d03", "d04"], "q1n2": ["d02"]}}
POOL = {"retrievers": ["bm25"], "negatives": 0}


def grading(grades: dict[str, Any], broken: int = 0) -> CannedModel:
    """Grades documents by the number in their first word; the first replies are no JSON."""

    def reply(request: Request) -> str:
        if len(model.requests) <= broken:
            return "I would say 2 of 3."
        prompt = prompt_of(request)
        shown = [line[6:9] for line in prompt.splitlines() if line.startswith("fillerd")]
        entries = [{"document": place, "reason": "so", "relevance": grades[name]}
                   for place, name in enumerate(shown, start=1) if name in grades]  # fmt: skip
        return json.dumps({"documents": entries})

    model = CannedModel(reply)
    return model


def graded(path: Path, model: CannedModel, **more: Any) -> BuildContext:
    context = written_build(path, SUPPORT, 6, model, pool=POOL, judge={"relevance": True, **more})
    pool(context)
    relevance(context)
    return context


def test_b11_each_pooled_document_has_a_grade_and_a_status(tmp_path: Path) -> None:
    model = grading({"d01": 0, "d02": 3, "d03": 1, "d04": 2}, broken=1)
    context = graded(tmp_path, model)
    assert grades_of(context) == {("en", "q1"): {"d01": 0, "d02": 3, "d03": 1, "d04": 2}}
    (row,) = context.workspace.rows("relevance")
    assert {one["status"] for one in row.value["documents"]} == {"scored"} and not row.reason
    # It knows the question, not the answer: what the second nugget says stands in a document alone.
    (_, question) = str(model.requests[0].messages[-1]["content"]).split(" QUESTION\n")
    assert fact("q1n2") not in question.split("=====")[0]


def test_b11_the_model_that_judges_support_grades_relevance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = grading({"d01": 0, "d02": 3, "d03": 1, "d04": 2})
    judges = {"relevance": True, "model": "openai:other"}
    context = written_build(tmp_path, SUPPORT, 6, model, pool=POOL, judge=judges)
    pool(context)
    asked: list[str] = []

    def named(_: BuildContext, name: str = "") -> CannedModel:
        asked.append(name)
        return model

    monkeypatch.setattr(BuildContext, "model", named)
    relevance(context)
    assert asked == ["openai:other"] and len(model.requests) == 1


def test_b11_a_grade_off_the_scale_is_missing_and_never_0(tmp_path: Path) -> None:
    for number, bad in enumerate((4, -1, "2", 2.0, True, None)):
        context = graded(tmp_path / str(number), grading({"d01": bad, "d02": 3, "d03": 1, "d04": 2}))
        (row,) = context.workspace.rows("relevance")
        status = {one["doc_id"]: (one["relevance"], one["status"]) for one in row.value["documents"]}
        assert status["d01"] == (None, "missing") and status["d02"] == (3, "scored"), bad
        assert row.reason == "failed" and row.detail.startswith("1 of 4 documents missing")
        assert "d01" not in grades_of(context)["en", "q1"]


def test_b11_agreement_with_people_by_hand(tmp_path: Path) -> None:
    labels = {"d01": 0, "d02": 3, "d03": 2, "d04": 2, "d06": 1}
    tmp_path.joinpath("labels.txt").write_text("".join(f"q1 0 {name} {rel}\n" for name, rel in labels.items()))
    graded(tmp_path, grading({"d01": 0, "d02": 3, "d03": 1, "d04": 2}), relevance_labels="labels.txt")
    found = read_json(tmp_path / "build" / "relevance_agreement.json")
    # Nobody's pool holds d06. Observed 3/4; by chance (1·1 + 1·1 + 1·2 + 1·0)/16 = 4/16.
    assert (found["n"], found["ungraded"], found["exact"]) == (4, 1, 3 / 4)
    assert found["kappa"] == approx((3 / 4 - 1 / 4) / (1 - 1 / 4))
    # Relevant or not: ours 0 1 0 1, theirs 0 1 1 1; observed 3/4, by chance (2·3 + 2·1)/16 = 1/2.
    assert found["kappa_relevant"] == approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert found["bias"] == approx(-1 / 4)
    assert found["confusion"] == [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def test_b11_it_is_no_part_of_a_build_unless_it_is_wanted(tmp_path: Path) -> None:
    context = written_build(tmp_path, SUPPORT, 6, grading({}), pool=POOL)
    assert "relevance" not in [stage.name for stage in wanted_stages(context.settings)]
    assert all("relevance" not in stage.needs for stage in wanted_stages(context.settings))
    with pytest.raises(ConfigError, match=r"build relevance: .*build.yaml does not ask for it"):
        run_build(context, ["relevance"])
    wanted = replace(
        context.settings,
        judge=replace(context.settings.judge, relevance=True),
        translate=replace(context.settings.translate, languages=("de",)),
    )
    assert [stage.name for stage in wanted_stages(wanted)] == [stage.name for stage in STAGES]
