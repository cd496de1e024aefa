"""What models know without documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fakes import CannedModel, between_fences, prompt_of, task_of
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages.closed_book import closed_book
from ragaliq.build.stages.pool import query_texts
from ragaliq.llm import Request
from unit.build.chain import PASSAGES, build_in, candidate_row

QUESTION = "When does the canteen of the station open and close?"
# Words that no question, prompt or model says: where one is seen, gold was shown.
REFERENCE, VITAL, OKAY, QUOTE, PASSAGE = "zirconium", "feldspar", "obsidian", "malachite", "lapislazuli"
UNKNOWN = {"answer": "I do not know when.", "sure": False}
SURE = {"answer": "It opens at dawn and closes at dusk.", "sure": True}


def labels(*values: str) -> dict[str, Any]:
    entries = [{"nugget": number, "reason": "said", "label": label} for number, label in enumerate(values, start=1)]
    return {"nuggets": entries}


SOLVED, MISSED = labels("support", "not_support"), labels("partial_support", "support")


def row_of_nuggets(lang: str = "en", text: str = QUESTION) -> StageRow:
    listed = [
        {"nugget_id": f"q1_n{number}", "text": fact, "importance": importance, "start": 0, "end": 3}
        for number, (fact, importance) in enumerate(((VITAL, "vital"), (OKAY, "okay")), start=1)
    ]
    evidence = [{"doc_id": "en:d1", "start": 100, "end": 109, "quote": QUOTE}]
    return candidate_row("q1", text, REFERENCE, lang, nuggets=listed, evidence=evidence, gold=[[PASSAGE]])


def asked(folder: Path, models: Mapping[str, CannedModel], settings: str = "") -> StageRow:
    context = build_in(folder, {"en": [PASSAGE]}, models, settings)
    context.workspace.write_rows("nuggets", [row_of_nuggets()])
    closed_book(context)
    (row,) = context.workspace.rows("closed-book")
    return row


def model(assigned: Any = SOLVED, answer: Any = SURE, **replies: Any) -> CannedModel:
    subquestions = {"questions": ["When does it open?", " When does it close? "]}
    return CannedModel({"subquestions": subquestions, "closed_book": answer, "assign": assigned, **replies})


def test_c9_subquestions_and_the_closed_book_answer_are_kept_as_query_texts(tmp_path: Path) -> None:
    row = asked(tmp_path, {"": model()})
    assert row.value["subquestions"] == ["When does it open?", "When does it close?"]
    (answer,) = row.value["answers"]
    assert (answer["answer"], answer["sure"], answer["labels"]) == (SURE["answer"], True, ["support", "not_support"])
    texts = query_texts(row_of_nuggets(), row)
    # The sub-questions are one query, joined.
    assert texts["subquestions"] == "When does it open? When does it close?" and texts["closed-book"] == SURE["answer"]


def test_c9_no_request_for_subquestions_or_closed_book_answers_holds_anything_of_the_gold(tmp_path: Path) -> None:
    main, other = model([SOLVED]), model(answer=["no JSON", SURE])
    asked(tmp_path, {"": main, "openai:other": other}, "closed_book: {models: ['openai:other'], samples: 3}\n")
    requests = [one for each in (main, other) for one in each.requests if task_of(one) != "assign"]
    # Three samples, one of them asked for again in the right form.
    assert [task_of(one) for one in requests] == ["subquestions"] + ["closed_book"] * 4
    for request in requests:
        said = "\n".join(message["content"] for message in request.messages).lower()
        assert QUESTION.lower() in said
        assert not [gold for gold in (REFERENCE, VITAL, OKAY, QUOTE, PASSAGE) if gold in said]
        # Nor may the client send it beside the messages.
        assert request.query is not None and (request.query.text, request.query.query_id) == (QUESTION, "q1")
    # The canary words are seen where they must be: by the model that assigns nuggets to an answer.
    assert VITAL in main.prompts("assign")[0] and REFERENCE not in main.prompts("assign")[0]


def test_an_answer_solves_a_query_if_it_holds_all_vital_nuggets(tmp_path: Path) -> None:
    for name, assigned, share in (("solved", SOLVED, 1.0), ("missed", MISSED, 0.0)):
        row = asked(tmp_path / name, {"": model(assigned)})
        # A tag: the query is kept either way.
        assert row.kept and (row.value["solved"], row.value["known"]) == (share, share == 1.0)


def test_the_share_is_over_all_answers_and_known_is_by_most_models(tmp_path: Path) -> None:
    settings = "closed_book: {{models: [a, b, c], samples: 3, drop: {}}}\n"
    for drop in ("false", "true"):
        # The backend's model assigns: a solves 3 of 3, b 2 of 3, c 0 of 3.
        judge = model([SOLVED] * 3 + [SOLVED, MISSED, SOLVED] + [MISSED])
        models = {name: CannedModel({"closed_book": SURE}, name) for name in "abc"}
        row = asked(tmp_path / drop, {"": judge, **models}, settings.format(drop))
        assert row.value["solved"] == pytest.approx((3 + 2 + 0) / 9) and row.value["known"]
        assert [(one["model"], one["sample"]) for one in row.value["answers"]] == [
            (m, n) for m in "abc" for n in range(3)
        ]
        # Removing is left to `filter`: only what was judged can be scored in both sets.
        assert row.kept
        for each in models.values():
            assert [request.parameters["seed"] for request in each.requests] == [0, 1, 2]
            assert {request.parameters["temperature"] for request in each.requests} == {0.7}
    # a 3 of 3, b 1 of 3, c 1 of 3: most answers solve it, most models do not.
    judge = model([SOLVED] * 3 + [SOLVED, MISSED, MISSED] + [SOLVED, MISSED, MISSED])
    row = asked(tmp_path / "few", {"": judge, **{name: CannedModel({"closed_book": SURE}, name) for name in "abc"}},
                settings.format("false"))  # fmt: skip
    assert row.value["solved"] == pytest.approx(5 / 9) and not row.value["known"]


@pytest.mark.parametrize(
    ("replies", "detail"),
    [
        ({"answer": {"answer": "", "sure": True}}, "'answer' must be a text"),
        ({"answer": {"answer": "At dawn.", "sure": "yes"}}, "'sure' true or false"),
        ({"answer": {"answer": "Das ist mir leider überhaupt nicht bekannt.", "sure": False}}, "language 'en'"),
        ({"subquestions": {"questions": []}}, "a list of at least one text"),
        ({"subquestions": {"questions": ["When?", 3]}}, "a list of at least one text"),
        ({"assigned": labels("support")}, "every nugget from 1 to 2"),
        ({"assigned": labels("support", "maybe")}, "not 'maybe'"),
        ({"assigned": {"nuggets": list(reversed(SOLVED["nuggets"]))}}, "every nugget from 1 to 2"),
    ],
)
def test_what_cannot_be_read_is_a_failure_and_not_an_answer_that_misses(
    tmp_path: Path, replies: dict[str, Any], detail: str
) -> None:
    row = asked(tmp_path, {"": model(**replies)})
    assert row.reason == "failed" and detail in row.detail
    assert row.value["solved"] == (1.0 if "subquestions" in replies else None)


def test_six_languages_are_asked_in_their_code(tmp_path: Path) -> None:
    def echo(request: Request) -> dict[str, Any]:
        return {"answer": between_fences(prompt_of(request), "QUESTION"), "sure": False}

    def ask_again(request: Request) -> dict[str, Any]:
        return {"questions": [between_fences(prompt_of(request), "QUESTION")]}

    canned = model(answer=echo, subquestions=ask_again)
    context = build_in(tmp_path, {}, {"": canned})
    context.workspace.write_rows("nuggets", [row_of_nuggets(lang, text) for lang, text in PASSAGES.items()])
    closed_book(context)
    rows = context.workspace.kept("closed-book")
    assert [row.lang for row in rows] == sorted(PASSAGES)
    for row in rows:
        assert row.value["subquestions"] == [PASSAGES[row.lang]] == [row.value["answers"][0]["answer"]]
        assert sum(f'the code "{row.lang}"' in prompt for prompt in canned.prompts("closed_book")) == 1
