"""Questions, answers and documents in whatever a program wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.formats.traces.contents import answer_in, contexts_in, question_in, reference_in

CHAT = [
    {"role": "system", "content": "Réponds brièvement."},
    {"role": "user", "content": "Qui ?"},
    {"role": "assistant", "content": "Un ami."},
    {"role": "user", "parts": [{"type": "text", "content": "Когда?"}]},
    {"role": "assistant", "parts": [{"type": "reasoning", "content": "嗯"}, {"type": "text", "content": "В семь."}]},
]


@pytest.mark.parametrize(
    ("value", "question"),
    [
        ("几点开门？", "几点开门？"),
        ({"question": "Quand ?", "lang": "fr"}, "Quand ?"),
        ({"inputs": {"query": "Quand ?"}, "k": 3}, "Quand ?"),
        ({"args": ["Когда?"], "kwargs": {}}, "Когда?"),
        ({"any": "Когда?"}, "Когда?"),
        (CHAT, "Когда?"),
        ({"messages": [CHAT[:2]]}, "Qui ?"),
        (json.dumps(CHAT), "Когда?"),
        (json.dumps({"input": "Quand ?"}), "Quand ?"),
        ([{"lc": 1, "type": "constructor", "kwargs": {"content": "几点？", "type": "human"}}], "几点？"),
        # Nobody asked, and nothing says which of several texts is the question.
        (json.dumps(CHAT[:1]), ""),
        ({"a": "x", "b": "y"}, ""),
        (None, ""),
        (7, ""),
        ("\ud800", ""),
    ],
)
def test_questions(value: Any, question: str) -> None:
    assert question_in(value) == question


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (CHAT, "В семь."),
        ({"choices": [{"index": 0, "message": {"role": "assistant", "content": "七点。"}}]}, "七点。"),
        ({"generations": [[{"text": "À sept heures.", "type": "ChatGeneration"}]]}, "À sept heures."),
        ({"output": {"answer": "七点。", "documents": []}}, "七点。"),
        # An answer that is JSON itself is a text.
        ('{"heure": 7, "minute": 0}', '{"heure": 7, "minute": 0}'),
        ("[1]", "[1]"),
        ("[", "["),
    ],
)
def test_answers(value: Any, answer: str) -> None:
    assert answer_in(value) == answer


def test_references_have_names_of_their_own() -> None:
    assert reference_in({"expected": "7", "answer": "8"}) == "7"
    assert reference_in({"answer": "8"}) == "8"
    assert reference_in(None) == ""


@pytest.mark.parametrize(
    ("value", "of_retriever", "texts"),
    [
        ([{"page_content": "Un."}, {"document": {"content": "Два."}}, "三。"], True, ("Un.", "Два.", "三。")),
        # An answer that is a list is no list of documents.
        (["Un."], False, None),
        ({"answer": "x", "contexts": ["Un.", {"text": ""}]}, False, ("Un.",)),
        ({"output": {"documents": [{"kwargs": {"page_content": "Un."}}]}}, False, ("Un.",)),
        # Nothing was retrieved; ids alone say nothing of texts.
        ([], True, ()),
        ([{"id": "d1", "score": 0.5}], True, None),
        ({"answer": "x"}, False, None),
        ("Un.", True, None),
    ],
)
def test_contexts(value: Any, of_retriever: bool, texts: tuple[str, ...] | None) -> None:
    assert contexts_in(value, of_retriever) == texts


KEYS = ["role", "content", "text", "input", "output", "kwargs", "documents", "x"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "content", "text", "input", "output", "kwargs", "documents", "x"]), inner
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_value_has_a_text_or_none(value: Any) -> None:
    for read in (question_in, answer_in, reference_in):
        assert isinstance(read(value), str)
        assert isinstance(read(json.dumps(value)), str)
    assert all(contexts_in(value, True) or ("x",))


def test_depth_ends() -> None:
    value: Any = "Quand ?"
    for _ in range(2000):
        value = {"input": value}
    assert question_in(value) == ""
    deep = "[" * 100_000 + "]" * 100_000
    assert answer_in(deep) == deep
