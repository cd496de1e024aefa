"""Votes on candidates, and their rewritings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fakes import CannedModel, between_fences, prompt_of, task_of
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages.critique import CRITERIA, critique
from unit.build.chain import PASSAGES, build_in, candidate_row, votes

TEXT = "When does the canteen of the research station open?"
BETTER = "At what time does the station's canteen open on a working day?"


def critic(
    folder: Path, replies: Any, settings: str = "", rewritten: Any = None, **value: Any
) -> tuple[StageRow, CannedModel]:
    model = CannedModel({"critique": replies, "rewrite": rewritten or {"question": BETTER}})
    context = build_in(folder, {"en": [PASSAGES["en"]]}, {"": model}, settings or "seed: 0\n")
    context.workspace.write_rows("generate", [candidate_row("q1", TEXT, "At seven.", **value)])
    critique(context)
    (row,) = context.workspace.rows("critique")
    return row, model


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_median_of_the_votes_decides_on_every_criterion(tmp_path: Path, criterion: str) -> None:
    alone = "critique: {rewrites: 0}\n"
    for name, scores, median in (("kept", (4, 1, 5), 4), ("out", (5, 3, 2), 3)):
        row, model = critic(tmp_path / name, [votes(**{criterion: score}) for score in scores], alone)
        (only,) = row.value["rounds"]
        assert [vote[criterion] for vote in only["votes"]] == list(scores)
        assert only["median"] == {**dict.fromkeys(CRITERIA, 5), criterion: median}
        assert (row.reason, row.detail) == (("", "") if median == 4 else (f"critique: {criterion}", f"{criterion} 3"))
        # Votes are requests of their own, at a temperature that is recorded.
        assert [request.parameters["seed"] for request in model.requests] == [0, 1, 2]
        assert {request.parameters["temperature"] for request in model.requests} == {0.7}


def test_of_two_votes_the_lower_counts_and_the_threshold_is_a_setting(tmp_path: Path) -> None:
    for name, threshold, reason in (("four", 4, "critique: usefulness"), ("three", 3, "")):
        settings = f"critique: {{votes: 2, rewrites: 0, threshold: {threshold}}}\n"
        row, _ = critic(tmp_path / name, [votes(usefulness=5), votes(usefulness=3)], settings)
        assert (row.value["rounds"][0]["median"]["usefulness"], row.reason) == (3, reason)


def test_every_score_comes_behind_its_reason(tmp_path: Path) -> None:
    _, model = critic(tmp_path, votes())
    request = model.requests[0]
    assert request.schema is not None
    assert list(request.schema["properties"]) == list(CRITERIA)
    for entry in request.schema["properties"].values():
        assert list(entry["properties"]) == entry["required"] == ["reason", "score"]
    # The same order in the example that a model without schemas goes by.
    example = prompt_of(request).rpartition("Reply with one JSON object")[2]
    assert all(f'"{name}": {{"reason"' in example for name in CRITERIA)


def test_a_rewriting_is_voted_on_anew_and_its_text_goes_on(tmp_path: Path) -> None:
    bad = [votes(standalone=2)] * 3
    row, model = critic(tmp_path, [*bad, votes()])
    assert row.kept and row.value["text"] == BETTER
    assert [one["text"] for one in row.value["rounds"]] == [TEXT, BETTER]
    assert model.tasks() == ["critique"] * 3 + ["rewrite"] + ["critique"] * 3
    shown = [
        between_fences(prompt_of(request), "QUESTION") for request in model.requests if task_of(request) == "critique"
    ]
    assert shown == [TEXT] * 3 + [BETTER] * 3
    assert between_fences(model.prompts("rewrite")[0], "CRITICISM") == "standalone: reason of standalone"
    assert len(row.traces) == 7


def test_after_two_rewritings_it_is_given_up(tmp_path: Path) -> None:
    row, model = critic(
        tmp_path, votes(single_answer=1), rewritten=[{"question": BETTER}, {"question": f"Now: {BETTER}"}]
    )
    assert (row.reason, row.detail) == ("critique: single_answer", "single_answer 1")
    assert [one["text"] for one in row.value["rounds"]] == [TEXT, BETTER, f"Now: {BETTER}"]
    assert model.tasks().count("rewrite") == 2


def test_a_rewriting_in_another_language_or_with_the_answer_in_it_is_no_candidate(tmp_path: Path) -> None:
    bad = [votes(standalone=2)] * 3
    german = {"question": "Um wie viel Uhr öffnet die Kantine der Forschungsstation?"}
    row, _ = critic(tmp_path / "german", [*bad, votes()], rewritten=german)
    assert row.reason == "other language" and row.value["text"] == TEXT
    told = {"question": "Does the canteen of the station open at seven, as they say?"}
    row, _ = critic(tmp_path / "leak", [*bad, votes()], rewritten=told)
    assert row.reason == "answer in the question" and "contains" in row.detail


@pytest.mark.parametrize(
    "broken", [votes(usefulness=0), votes(usefulness=6), {**votes(), "usefulness": {"score": "5"}}, {}]
)
def test_a_vote_off_the_scale_is_no_vote_and_no_grade(tmp_path: Path, broken: Any) -> None:
    row, model = critic(tmp_path, broken)
    # Each of three votes is asked for once more, and all of it again when all other candidates are done.
    assert row.reason == "failed" and row.value["rounds"] == [] and len(model.requests) == 3 * 2 * 2
    row, model = critic(tmp_path / "second", [broken, votes()])
    assert row.kept and len(model.requests) == 4


def test_a_candidate_of_people_passes_as_it_is_and_one_of_a_log_is_not_rewritten(tmp_path: Path) -> None:
    row, model = critic(tmp_path / "people", votes(usefulness=1), origin="people", gold=[], near=["en:d1"])
    assert row.kept and row.value["near"] == ["en:d1"] and not model.requests
    row, model = critic(tmp_path / "log", votes(usefulness=1), origin="log")
    assert row.reason == "critique: usefulness" and model.tasks() == ["critique"] * 3
