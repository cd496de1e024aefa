"""What a user is told, and with which exit code."""

from __future__ import annotations

import pytest

from ragaliq.errors import ConfigError, InputError, RagaliqError, Stopped, nearest


@pytest.mark.parametrize(
    ("error", "code"), [(RagaliqError("x"), 2), (InputError("x"), 2), (ConfigError("x"), 2), (Stopped("x"), 3)]
)
def test_exit_codes(error: RagaliqError, code: int) -> None:
    assert error.exit_code == code
    assert isinstance(error, RagaliqError)


def test_nearest_names_the_likely_word() -> None:
    assert nearest("topk", ["context_k", "top_k"]) == "did you mean 'top_k'?"


def test_nearest_lists_all_words_sorted_if_none_is_near() -> None:
    assert nearest("zzz", ["top_k", "context_k"]) == "known: context_k, top_k"
