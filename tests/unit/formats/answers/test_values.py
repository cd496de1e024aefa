"""Cells of answers: texts, contexts in the ways in which they are written, and values as cells."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.answers.values import cell, contexts_of, text_of, texts_of


@pytest.mark.parametrize(
    ("value", "contexts"),
    [
        (None, None),
        ("", None),
        (float("nan"), None),
        ([], ()),
        ("[]", ()),
        ("one passage", ("one passage",)),
        ('["a", "b"]', ("a", "b")),
        # What pandas writes into a CSV file.
        ("['a', \"it's\"]", ("a", "it's")),
        ("[1] see the table", ("[1] see the table",)),
        ("[" * 5000, ("[" * 5000,)),
        ([{"page_content": "a", "metadata": {}}, {"text": "b"}, "c"], ("a", "b", "c")),
    ],
)
def test_contexts(value: Any, contexts: tuple[str, ...] | None) -> None:
    assert contexts_of(value, "contexts", "a:1") == contexts


def test_texts() -> None:
    assert [text_of(value, "c", "a:1") for value in (None, " x", 42, 1.5, True)] == ["", " x", "42", "1.5", "true"]
    assert texts_of(["a", "", "b"], "c", "a:1") == ("a", "b") and texts_of(None, "c", "a:1") == ()
    for value, said in (([1], "a list"), ({}, "an object")):
        with pytest.raises(InputError, match=f"a:1: 'c' holds {said}"):
            text_of(value, "c", "a:1")
    with pytest.raises(InputError, match="a list of texts"):
        contexts_of({"a": 1}, "c", "a:1")
    with pytest.raises(InputError, match="an object without a text"):
        contexts_of([{"score": 1}], "c", "a:1")


@given(st.lists(st.text()))
def test_a_list_survives_its_cell(texts: list[str]) -> None:
    assert contexts_of(cell(texts), "c", "a:1") == tuple(texts)
    assert contexts_of(json.dumps(texts), "c", "a:1") == tuple(texts)
