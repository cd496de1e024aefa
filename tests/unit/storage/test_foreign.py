"""What a command writes anew was its own before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.storage.foreign import is_json_of, is_rows_of, refuse_foreign

ROWS = is_rows_of({"key": str, "value": int})


@pytest.mark.parametrize(
    "text",
    ["", " \n", '{"key": "a", "value": 1}\n', '{"key": "a", "value": 1}\n\n{"key": "b", "va', '\n{"key": "a", "va'],
)
def test_our_rows_and_a_blank_file_may_be_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "f").write_text(text)
    refuse_foreign(tmp_path / "f", ROWS, "move it")
    refuse_foreign(tmp_path / "none", ROWS, "move it")


@pytest.mark.parametrize(
    "text",
    [
        "notes",
        "notes\n",
        "{}\n",
        '{"key": "a", "value": 1}\n{"key": 1}\n',
        '{"value": 1}',
        "[" * 9999,
        "\nnotes",
        '{"key": "a", "value": 1}\nnotes',
    ],
)
def test_other_rows_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "f").write_text(text)
    with pytest.raises(InputError, match="f: would be replaced, but ragaliq did not write it; move it"):
        refuse_foreign(tmp_path / "f", ROWS, "move it")
    assert (tmp_path / "f").read_text() == text


def test_json_is_ours_by_its_shape(tmp_path: Path) -> None:
    ours = is_json_of({"kind": frozenset({"x-1"})})
    assert [ours(text) for text in ('{"kind": "x-1"}', '{"kind": "y"}', "[]", "{")] == [True, False, False, False]
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="would be replaced"):
        refuse_foreign(tmp_path / "bytes", ours, "move it")


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is no regular file"):
        refuse_foreign(tmp_path / "pipe", ROWS, "move it")
