"""A file of our own that was edited, cut or mixed up is named with the key that is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.storage.own_json import ModelText, check_row, misfit, read_own_json

SHAPE = {
    "name": str,
    "n?": int,
    "parts": {str: [float]},
    "pair?": ([float, float], None),
    "kind?": frozenset({"a", "b"}),
}


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"name": "x", "parts": {}}, ""),
        ({"name": "x", "parts": {"p": [1, 2.5]}, "n": 0, "pair": None, "kind": "a", "other": object()}, ""),
        ([], "must be an object"),
        ({"parts": {}}, "'name' is missing"),
        ({"name": 1, "parts": {}}, "'name' must be a text"),
        ({"name": "\ud800", "parts": {}}, "'name' must be a text of whole characters"),
        ({"name": "x", "parts": {"p": [1, "2"]}}, "'parts.p[2]' must be a number"),
        ({"name": "x", "parts": {"p": [10**400]}}, "'parts.p[1]' must be a number"),
        ({"name": "x", "parts": {"p": [float("inf")]}}, "'parts.p[1]' must be a number"),
        ({"name": "x", "parts": {"p": {}}}, "'parts.p' must be a list"),
        ({"name": "x", "parts": {"\ud800": []}}, "'parts.\\ud800' must be a key of whole characters"),
        ({"name": "x", "parts": {}, "n": True}, "'n' must be a whole number from 0"),
        ({"name": "x", "parts": {}, "n": -1}, "'n' must be a whole number from 0"),
        ({"name": "x", "parts": {}, "pair": [1]}, "'pair' must be a list of 2"),
        ({"name": "x", "parts": {}, "kind": ["a"]}, "'kind' must be one of a, b"),
    ],
)
def test_the_first_place_of_another_shape_is_named(value: Any, wrong: str) -> None:
    assert misfit(value, SHAPE) == wrong


def test_the_words_of_a_model_may_hold_half_a_pair() -> None:
    assert misfit(["\ud800"], [ModelText]) == ""
    assert misfit([1], [ModelText]) == "'[1]' must be a text"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{", r"not valid JSON \(.*\); do this"),
        ("", r"not valid JSON \(.*\); do this"),
        ("[" * 100_000, "JSON nested too deeply; do this"),
        ("[]", r"not a note \(must be an object\); do this"),
        (f'{{"name": "x", "more": {"[" * 60}{"]" * 60}}}', r"not a note \(is nested too deeply\); do this"),
        ('{"name": "x", "more": [{"\\ud800": 1}]}', r"not a note \(holds half a surrogate pair\); do this"),
        ('{"name": "x", "more": [1e999]}', r"not a note \(holds a number out of range\); do this"),
    ],
)
def test_a_broken_file_is_named_with_what_to_do(tmp_path: Path, text: str, wrong: str) -> None:
    path = tmp_path / "note.json"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"note\.json: {wrong}$"):
        read_own_json(path, {"name": str}, "a note", "do this")


def test_a_file_that_is_not_there_is_not_said_to_be_broken(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: cannot be read \(.+\); check the path$"):
        read_own_json(tmp_path / "none.json", {}, "a note", "do this")


def test_a_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^f:3: not a row of this file \('name' is missing\); fix or"):
        check_row({}, {"name": str}, "f:3")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_any_value_is_told_apart_without_an_error(value: Any) -> None:
    for shape in (SHAPE, [float], (int, None), object, bool, frozenset({"a"})):
        assert isinstance(misfit(json.loads(json.dumps(value)), shape), str)
