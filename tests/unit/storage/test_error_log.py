"""Tracebacks of other people's code."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.storage.error_log import errors_logged, told


def raised(message: str) -> ValueError:
    try:
        raise ValueError(message)
    except ValueError as error:
        return error


def test_a_traceback_is_kept_once_and_without_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cr3t-t0ken-9")
    path = tmp_path / "errors.log"
    with errors_logged(path):
        for number in range(3):
            assert (
                told(raised(f"s3cr3t-t0ken-9, {number}"), f"read, query q{number} (en)") == f"ValueError: ***, {number}"
            )
    with errors_logged(path):
        told(raised("again"), "read, query q9 (en)")
        told(TypeError("elsewhere"), "judge, query q9 (en)")
    text = path.read_text(encoding="utf-8")
    assert text.count("Traceback") == 1 and "raise ValueError(message)" in text and "s3cr3t" not in text
    assert "read, query q0 (en)" in text and "q1" not in text and "q9 (en)\nTypeError: elsewhere" in text


def test_without_a_file_there_is_the_line(tmp_path: Path) -> None:
    assert told(raised("no"), "read") == "ValueError: no"
    assert list(tmp_path.iterdir()) == []


def test_the_file_does_not_grow_without_end(tmp_path: Path) -> None:
    path = tmp_path / "errors.log"
    with errors_logged(path):
        for number in range(60):
            code = compile("\n" * number + "raise KeyError", "theirs.py", "exec")
            with pytest.raises(KeyError) as caught:
                exec(code)
            told(caught.value, "read")
    assert path.read_text().count("Traceback") == 50
