from __future__ import annotations

import pytest

from ragaliq.errors import ConfigError
from ragaliq.local.causal.sampling import Sampling, read_sampling


def test_what_is_not_named_is_greedy() -> None:
    assert read_sampling(None) == Sampling(512, 0.0, 1.0, 0, (), 0, 0)
    assert read_sampling({}, seed=3).seed == 3


def test_the_reference_configuration_is_read() -> None:
    values = {"max_tokens": 512, "temperature": 0.0, "top_p": 0.9, "logprobs": 5}
    assert read_sampling(values) == Sampling(512, 0.0, 0.9, 0, (), 0, 5)


def test_a_named_seed_comes_before_the_run_s() -> None:
    assert read_sampling({"seed": 7}, seed=3).seed == 7


def test_one_stop_text_or_several() -> None:
    assert read_sampling({"stop": "。"}).stop == ("。",)
    assert read_sampling({"stop": ["\n\n", "Вопрос:"]}).stop == ("\n\n", "Вопрос:")


def test_what_cannot_be_is_refused() -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"max_token": 5}, "unknown parameter 'max_token'; did you mean 'max_tokens'?"),
        ({"frequency_penalty": 1}, "unknown parameter 'frequency_penalty'; known: "),
        ({"max_tokens": 0}, "'max_tokens' must be a whole number of at least 1, not 0"),
        ({"max_tokens": 5.0}, "'max_tokens' must be a whole number of at least 1, not 5.0"),
        ({"logprobs": True}, "'logprobs' must be a whole number of at least 0, not True"),
        ({"seed": -1}, "'seed' must be a whole number of at least 0, not -1"),
        ({"temperature": -0.1}, "'temperature' must be a number of at least 0, not -0.1"),
        ({"temperature": float("nan")}, "'temperature' must be a number of at least 0, not nan"),
        ({"temperature": "0"}, "'temperature' must be a number of at least 0, not '0'"),
        ({"top_p": 0}, "'top_p' must be above 0 and at most 1, not 0"),
        ({"top_p": 1.1}, "'top_p' must be above 0 and at most 1, not 1.1"),
        ({"stop": [""]}, "'stop' must be a text or a list of texts, none of them empty, not ['']"),
        ({"stop": 3}, "'stop' must be a text or a list of texts, none of them empty, not 3"),
        ({"stop": ""}, "'stop' must be a text or a list of texts, none of them empty, not ''"),
    ]
    for values, message in cases:
        with pytest.raises(ConfigError) as caught:
            read_sampling(values)
        assert str(caught.value).startswith(f"sampling: {message}"), message
