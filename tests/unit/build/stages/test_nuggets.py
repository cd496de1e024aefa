"""The facts that an answer holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fakes import CannedModel, between_fences, prompt_of
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages.nuggets import nuggets, nuggets_of
from ragaliq.llm import Request
from ragaliq.types import Importance
from unit.build.chain import PASSAGES, build_in, candidate_row

ANSWER = "It opens at seven, and it closes at eight; on Sundays it stays closed."
OPENS = {"text": "The canteen opens at seven.", "quote": "It opens at seven", "importance": "vital"}
CLOSES = {"text": "The canteen closes at eight.", "quote": "it closes at eight", "importance": "okay"}
SUNDAY = {"text": "It is closed on Sundays.", "quote": "on Sundays it stays closed", "importance": "vital"}


def taken_apart(folder: Path, said: Any, answer: str = ANSWER, lang: str = "en") -> tuple[StageRow, CannedModel]:
    model = CannedModel({"nuggets": said})
    context = build_in(folder, {}, {"": model})
    context.workspace.write_rows("dedupe", [candidate_row("q1", "When is the canteen open?", answer, lang)])
    nuggets(context)
    (row,) = context.workspace.rows("nuggets")
    return row, model


def test_c8_nuggets_are_numbered_vital_first_each_with_its_span_of_the_answer(tmp_path: Path) -> None:
    row, model = taken_apart(tmp_path, {"nuggets": [OPENS, CLOSES, SUNDAY]})
    spans = [(one["nugget_id"], one["importance"], ANSWER[one["start"] : one["end"]]) for one in row.value["nuggets"]]
    assert spans == [
        ("q1_n1", "vital", "It opens at seven"),
        ("q1_n2", "vital", "on Sundays it stays closed"),
        ("q1_n3", "okay", "it closes at eight"),
    ]
    assert [(one.nugget_id, one.query_id, one.importance, one.doc_ids) for one in nuggets_of(row)] == [
        ("q1_n1", "q1", Importance.VITAL, ()), ("q1_n2", "q1", Importance.VITAL, ()),
        ("q1_n3", "q1", Importance.OKAY, ()),
    ]  # fmt: skip
    (request,) = model.requests
    assert request.parameters["temperature"] == 0.0 and row.traces == (model.key(request),)


def test_equal_nuggets_are_one_and_vital_if_either_is(tmp_path: Path) -> None:
    again = {**CLOSES, "text": "the canteen  closes at EIGHT.", "importance": "vital"}
    row, _ = taken_apart(tmp_path, {"nuggets": [CLOSES, again]})
    assert [(one["text"], one["importance"]) for one in row.value["nuggets"]] == [(CLOSES["text"], "vital")]


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ({"nuggets": []}, "a list of 1 to 12"),
        ({"nuggets": [OPENS] * 13}, "a list of 1 to 12"),
        ({"nuggets": "opens at seven"}, "a list of 1 to 12"),
        ({"nuggets": [["opens"]]}, "needs 'text', 'quote' and 'importance'"),
        ({"nuggets": [{**OPENS, "text": " "}]}, "needs 'text', 'quote' and 'importance'"),
        ({"nuggets": [{**OPENS, "importance": "yes"}]}, "vital or okay, not 'yes'"),
        ({"nuggets": [{**OPENS, "quote": "It opens at nine"}]}, "is not in the answer"),
        ({"nuggets": [CLOSES]}, "at least one nugget must be vital"),
        ('["The canteen opens at seven."]', "not one JSON object"),
        ("The nuggets are: it opens at seven", "not one JSON object"),
    ],
)
def test_c8_what_is_not_whole_is_asked_for_once_more_and_never_guessed(tmp_path: Path, said: Any, detail: str) -> None:
    row, model = taken_apart(tmp_path, [said, {"nuggets": [OPENS]}])
    assert row.kept and len(row.value["nuggets"]) == 1
    assert detail in model.prompts("nuggets")[1] and len(model.requests) == 2
    row, _ = taken_apart(tmp_path / "again", said)
    assert row.reason == "failed" and detail in row.detail and row.value["nuggets"] == []


def test_nuggets_in_another_language_are_none(tmp_path: Path) -> None:
    row, _ = taken_apart(tmp_path, {"nuggets": [{**OPENS, "text": "Die Kantine öffnet am Morgen um sieben Uhr."}]})
    assert row.reason == "other language"


def test_c30_program_text_in_a_nugget_keeps_its_lines(tmp_path: Path) -> None:
    code = "```python\nfor name in names:\n    print(name)\n```"
    one = {"text": f"Diese Schleife gibt alle Namen aus:\n{code}", "quote": code, "importance": "vital"}
    row, _ = taken_apart(
        tmp_path, {"nuggets": [one]}, f"Nimm eine Schleife:\n\n{code}\n\nSie gibt alle Namen aus.", "de"
    )
    assert row.kept and row.value["nuggets"][0]["text"] == one["text"]
    assert row.value["reference"].count(code) == 1


def test_six_languages_with_spans_in_code_points(tmp_path: Path) -> None:
    def write(request: Request) -> dict[str, Any]:
        answer = between_fences(prompt_of(request), "ANSWER")
        return {"nuggets": [{"text": answer, "quote": answer[-9:], "importance": "vital"}]}

    context = build_in(tmp_path, {}, {"": CannedModel({"nuggets": write})})
    rows = [candidate_row("q1", f"{lang}?", text, lang) for lang, text in PASSAGES.items()]
    context.workspace.write_rows("dedupe", rows)
    nuggets(context)
    rows = context.workspace.rows("nuggets")
    assert [row.lang for row in rows if row.kept] == sorted(PASSAGES)
    for row in rows:
        (one,) = row.value["nuggets"]
        assert PASSAGES[row.lang][one["start"] : one["end"]] == PASSAGES[row.lang][-9:].strip()
