"""Answers in spans: which span is one, and what belongs to it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.results.rows import ResultColumns
from ragaliq.formats.traces.rows import Score
from ragaliq.storage.files import Row
from unit.formats.traces.records import evaluation, span, traces_of


def said(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def chain() -> list[Row]:
    """A trace with a rewriting call, two retrievals, an answer, and a judge that calls a model, too."""
    judged = span("judge", "root", second=6, openinference__span__kind="EVALUATOR")
    judged["events"] = [evaluation("helpful", gen_ai__evaluation__score__value=1)]
    chat = span(
        "chat", "root", second=4, gen_ai__operation__name="chat", gen_ai__request__model="m",
        gen_ai__output__messages=said("assistant", "В семь."),
    )  # fmt: skip
    chat["events"] = [evaluation("correct", gen_ai__evaluation__score__value=0.5)]
    return [
        span("root", second=0, query_id="q7", lang="ru"),
        span("rewrite", "root", second=1, gen_ai__operation__name="chat", gen_ai__request__model="small",
            gen_ai__input__messages=said("user", "Когда открывается столовая?"),
            gen_ai__output__messages=said("assistant", "столовая часы")),
        span("find", "root", second=2, openinference__span__kind="RETRIEVER", input__value="столовая часы",
            **{"retrieval.documents.1.document.content": "Б.", "retrieval.documents.0.document.content": "А."}),
        span("more", "root", second=3, gen_ai__operation__name="retrieval",
            gen_ai__retrieval__documents=json.dumps([{"id": "1", "content": "Б."}, {"id": "2", "content": "В."}])),
        chat,
        judged,
        span("judge chat", "judge", second=7, gen_ai__operation__name="chat", gen_ai__request__model="j",
            gen_ai__input__messages=said("user", "Is it right?"), gen_ai__output__messages=said("assistant", "Yes.")),
    ]  # fmt: skip


def test_a_trace_is_one_answer() -> None:
    (row,) = traces_of(*chain()).rows
    assert (row.item, row.lang, row.system, row.span) == ("q7", "ru", "bot/m", "root")
    assert (row.question, row.answer) == ("Когда открывается столовая?", "В семь.")
    assert row.contexts == ("А.", "Б.", "В.")
    assert set(row.scores) == {Score("correct", 0.5), Score("helpful", 1.0)}
    assert (row.error, row.seconds) == ("", 1.0)


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_the_order_of_spans_changes_nothing(seed: int) -> None:
    rows = chain()
    random.Random(seed).shuffle(rows)
    (found,), (expected,) = traces_of(*rows).rows, traces_of(*chain()).rows
    assert replace(found, where="", scores=()) == replace(expected, where="", scores=())
    assert set(found.scores) == set(expected.scores)


def test_half_a_trace_is_an_answer_still() -> None:
    # A circle of parents has no first span.
    (row,) = traces_of(span("a", "b", input__value="Qui ?", output__value="Lui."), span("b", "a")).rows
    assert (row.question, row.answer) == ("Qui ?", "Lui.")
    (row,) = traces_of(span("a", "b", query_id="1", second=1), span("b", "a", query_id="2", gen_ai__prompt="谁？")).rows
    assert (row.item, row.question) == ("2", "谁？")


def test_a_trace_without_its_first_span_is_an_error_and_counts() -> None:
    whole, (_, *steps) = chain(), chain()
    steps = [{**row, "context": {**row["context"], "trace_id": "u"}} for row in steps]
    for step in steps:
        step["attributes"] = {key: value for key, value in step["attributes"].items() if key != "query_id"}
    found = traces_of(*whole, *steps)
    assert [(row.trace, bool(row.answer), row.error) for row in found.rows] == [
        ("t", True, ""),
        ("u", False, "the trace's first span 'root' is missing"),
    ]
    # Neither a rewritten question nor a single step left is taken for the answer.
    (row,) = traces_of(span("chat", "gone", gen_ai__prompt="Où ?", gen_ai__completion="Là.")).rows
    assert (row.question, row.answer, row.error) == ("Où ?", "", "the trace's first span 'gone' is missing")
    # One that names its item is whole by itself, and so is the first span of this program.
    (row,) = traces_of(span("chat", "gone", query_id="q1", gen_ai__prompt="Où ?", gen_ai__completion="Là.")).rows
    assert (row.item, row.answer, row.error) == ("q1", "Là.", "")


@pytest.mark.parametrize(("flags", "answer"), [(0x301, "Là."), (0x101, ""), (None, "")])
def test_a_parent_in_another_program_is_not_lost(flags: int | None, answer: str) -> None:
    texts = {"gen_ai.prompt": "Où ?", "gen_ai.completion": "Là."}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in texts.items()]
    one = {"traceId": "0a", "spanId": "0b", "parentSpanId": "0c", "name": "chat", "attributes": attributes}
    row = {"resourceSpans": [{"scopeSpans": [{"spans": [one if flags is None else {**one, "flags": flags}]}]}]}
    (found,) = traces_of(row).rows
    assert (found.answer, bool(found.error)) == (answer, not answer)


def test_a_deep_trace_is_read_at_once() -> None:
    rows = [span(f"s{n}", f"s{n - 1}" if n else "", query_id="1" if n == 5 else "") for n in range(3000)]
    rows[-1]["attributes"]["gen_ai.completion"] = "七点。"
    (row,) = traces_of(*rows).rows
    assert (row.span, row.answer) == ("s5", "七点。")


def test_what_a_reranker_left_is_the_context() -> None:
    ranked = {"reranker.output_documents.0.document.content": "В."}
    (row,) = traces_of(*chain(), span("rank", "root", second=4, openinference__span__kind="RERANKER", **ranked)).rows
    assert row.contexts == ("В.",)


def test_each_span_that_names_an_item_is_an_answer() -> None:
    rows = [span("run"), *(span(f"i{n}", "run", second=n, query_id=f"q{n}") for n in range(3))]
    rows += [span(f"c{n}", f"i{n}", second=n, gen_ai__prompt="几点？", gen_ai__completion=f"{n}点。") for n in range(3)]
    found = traces_of(*rows)
    assert [(row.item, row.question, row.answer) for row in found.rows] == [
        (f"q{n}", "几点？", f"{n}点。") for n in range(3)
    ]
    assert found.notes == ("3 answers in 1 traces: each span that names an item is one",)
    rows[0]["events"] = [evaluation("q", gen_ai__evaluation__score__value=1)]
    with pytest.raises(InputError, match="f:1: score 'q' is of none of the items of its trace"):
        traces_of(*rows)


def test_scores_in_a_trace_of_their_own_find_their_answer() -> None:
    answer = span("a", trace="one", gen_ai__response__id="r1", gen_ai__prompt="Qui ?", gen_ai__completion="Lui.")
    judged = span("e", trace="two", gen_ai__operation__name="evaluate")
    judged["events"] = [evaluation("q", gen_ai__evaluation__score__value=0.5, gen_ai__response__id="r1")]
    (row,) = traces_of(judged, answer).rows
    assert (row.trace, row.scores) == ("one", (Score("q", 0.5),))


def test_older_and_flat_forms() -> None:
    flat: dict[str, Any] = {
        "llm.input_messages.0.message.role": "system", "llm.input_messages.0.message.content": "Sois bref.",
        "llm.input_messages.10.message.role": "user", "llm.input_messages.10.message.content": "Et alors ?",
        "llm.input_messages.9.message.role": "user", "llm.input_messages.9.message.content": "Qui ?",
        "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "Lui.",
    }  # fmt: skip
    events = span("b", trace="u", gen_ai__system="openai")
    events["events"] = [
        {"name": "gen_ai.user.message", "attributes": {"content": "Кто?"}},
        {"name": "gen_ai.choice", "attributes": {"message": '{"content": "Он."}'}},
    ]
    details = span("c", trace="v", gen_ai__provider__name="openai")
    operation = {"gen_ai.input.messages": said("user", "谁？"), "gen_ai.output.messages": said("assistant", "他。")}
    details["events"] = [{"name": "gen_ai.client.inference.operation.details", "attributes": operation}]
    found = traces_of(span("a", **flat), events, details).rows
    assert [(row.question, row.answer) for row in found] == [("Et alors ?", "Lui."), ("Кто?", "Он."), ("谁？", "他。")]


def test_a_failure_before_the_model_is_of_the_same_system() -> None:
    failed = span("f", trace="u", query_id="q8", input__value="Qui ?")
    failed["status"] = {"status_code": "ERROR", "description": "no index"}
    assert [(row.system, row.error) for row in traces_of(*chain(), failed).rows] == [
        ("bot/m", ""),
        ("bot/m", "no index"),
    ]


def test_attributes_may_be_named() -> None:
    rows = [span("a", gen_ai__prompt="谁？", case="7", variant="B", metadata='{"tongue": "zh"}')]
    (row,) = traces_of(*rows, columns=ResultColumns(item="case", system="variant", lang="tongue")).rows
    assert (row.item, row.system, row.lang) == ("7", "B", "zh")
    with pytest.raises(InputError, match=r"--id cases: no span of f has it; did you mean 'case'\?"):
        traces_of(*rows, columns=ResultColumns(item="cases"))


def test_other_traces_are_left_out_and_secrets_are_no_fields() -> None:
    secret: dict[str, Any] = {
        "http.request.header.x": "s",
        "api_key": "s",
        "user.id": "u",
        "team": "a",
        "long": "x" * 201,
    }
    found = traces_of(span("a", gen_ai__prompt="Qui ?", **secret), span("b", trace="u", http__route="/"))
    assert found.rows[0].fields == {"gen_ai.prompt": "Qui ?", "team": "a"}
    assert found.notes == (
        "1 traces without a model's attributes are left out",
        "1 of 1 traces record no answer (content capture may be off)",
    )
    with pytest.raises(InputError, match="f: no span has attributes of a model"):
        traces_of(span("b", http__route="/"))


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ({"gen_ai.evaluation.score.value": 1}, "f:1: an evaluation has no 'gen_ai.evaluation.name'"),
        ({"gen_ai.evaluation.name": "q", "gen_ai.evaluation.score.value": True}, "must be a finite number, not True"),
        (
            {"gen_ai.evaluation.name": "q", "gen_ai.evaluation.score.value": "haut"},
            "must be a finite number, not 'haut'",
        ),
    ],
)
def test_malformed_scores_are_one_line(event: Row, message: str) -> None:
    row = span("a", gen_ai__prompt="Qui ?")
    row["events"] = [{"name": "gen_ai.evaluation.result", "attributes": event}]
    with pytest.raises(InputError, match=message):
        traces_of(row)
