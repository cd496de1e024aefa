"""Which columns hold what: by their usual names, by the user's word, or not without asking."""

from __future__ import annotations

import pytest

from ragaliq.errors import RagaliqError
from ragaliq.formats.answers.columns import Columns, find_columns, value_at


def found(*names: str, **named: str) -> Columns:
    return find_columns([dict.fromkeys(names, "x")], named, "a.csv")


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        ("question answer reference", Columns("question", "answer", "reference")),
        (
            "user_input response reference retrieved_contexts",
            Columns("user_input", "response", "reference", "retrieved_contexts"),
        ),
        (
            "question answer ground_truth contexts language",
            Columns("question", "answer", "ground_truth", "contexts", "language"),
        ),
        (
            "input actual_output expected_output retrieval_context",
            Columns("input", "actual_output", "expected_output", "retrieval_context"),
        ),
        ("query generated_answer true_answer context", Columns("query", "generated_answer", "true_answer", "context")),
        # Ours wins over another that may be the same.
        ("question prompt answer output reference", Columns("question", "answer", "reference")),
        # Case, blanks and hyphens do not count.
        ("Question|Model Answer|Ground-Truth|LANG", Columns("Question", "Model Answer", "Ground-Truth", lang="LANG")),
    ],
)  # fmt: skip
def test_usual_names(names: str, columns: Columns) -> None:
    assert found(*(names.split("|") if "|" in names else names.split())) == columns


def test_columns_of_any_row_count_and_those_inside_traces() -> None:
    rows = [
        {
            "id": "1",
            "inputs": {"question": "Wo?"},
            "outputs": {"answer": "Hier.", "documents": [{"page_content": "x"}]},
        },
        {"id": "2", "inputs": {"question": "Wer?"}, "reference_outputs": {"answer": "Ich."}},
    ]
    named = {"reference": "reference_outputs.answer", "answer": "outputs.answer"}
    columns = find_columns(rows, named, "t")
    assert columns == Columns("inputs.question", "outputs.answer", "reference_outputs.answer", "outputs.documents")
    assert [value_at(row, columns.answer) for row in rows] == ["Hier.", None]
    assert value_at({"a.b": 1, "a": {"b": 2}}, "a.b") == 1 and value_at({"a": "text"}, "a.b") is None


@pytest.mark.parametrize(
    ("names", "named", "said"),
    [
        ("question answer", {}, "no column with reference answers (for grades) or contexts"),
        ("frage antwort referenz", {}, "which columns are the question and the answer? It has 'frage', 'antwort'"),
        ("question reference", {}, "which column is the answer?"),
        ("question response output reference", {}, "which column is the answer: 'response', 'output'?"),
        # Data sets call the reference so.
        ("question answer prediction contexts", {}, "or the reference for 'prediction'?"),
        ("question answer reference", {"answer": "antwort"}, "--map answer=antwort: a.csv has no column 'antwort'"),
        ("question answer reference", {"anwser": "answer"}, "unknown role 'anwser'; did you mean 'answer'?"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_asked(names: str, named: dict[str, str], said: str) -> None:
    with pytest.raises(RagaliqError) as error:
        found(*names.split(), **named)
    assert said in str(error.value)


def test_the_users_word_settles_it() -> None:
    assert found("question", "answer", "prediction", reference="answer") == Columns("question", "prediction", "answer")
    assert found("q", "a", "gold", "ctx", question="q", answer="a", reference="gold", contexts="ctx") == Columns(
        "q", "a", "gold", "ctx"
    )
