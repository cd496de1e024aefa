"""The parameters of a reader model at an endpoint; its answers are tested against a server in `tests/process`."""

from __future__ import annotations

from typing import Any

import pytest

from ragaliq.errors import ConfigError
from ragaliq.llm import LLMSession
from ragaliq.read.openai import OpenAIReader
from ragaliq.types import Query


def parameters(sampling: dict[str, Any]) -> dict[str, Any]:
    reader = OpenAIReader("m", sampling, session=LLMSession(planned=True))
    return dict(reader.request(Query("q", "en", "?"), []).parameters)


def test_parameters_are_those_of_the_protocol() -> None:
    assert parameters({}) == {"temperature": 0.0, "max_tokens": 512}
    values = {"temperature": 1, "max_tokens": 9, "seed": -1, "stop": "。", "frequency_penalty": -0.5}
    assert parameters({**values, "logprobs": 5}) == {**values, "logprobs": True, "top_logprobs": 5}
    assert parameters({**values, "logprobs": 0}) == values


def test_a_limit_of_the_newer_name_replaces_the_default() -> None:
    assert parameters({"max_completion_tokens": 9}) == {"temperature": 0.0, "max_completion_tokens": 9}


def test_what_the_endpoint_alone_knows_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    known = {"top_k": 5, "min_p": 0.1, "reasoning_effort": "low", "chat_template_kwargs": {"enable_thinking": False}}
    assert parameters(known) == {"temperature": 0.0, "max_tokens": 512, **known}
    assert capsys.readouterr().err == ""
    assert parameters({"max_token": 5, "xyz": [1]}) == {
        "temperature": 0.0,
        "max_tokens": 512,
        "max_token": 5,
        "xyz": [1],
    }
    assert capsys.readouterr().err.splitlines() == [
        "note: sampling: 'max_token' is not known here, and goes to the endpoint as it is; did you mean 'max_tokens'?",
        "note: sampling: 'xyz' is not known here, and goes to the endpoint as it is",
    ]


def test_what_cannot_be_is_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"max_completion_tokens": 0}, "'max_completion_tokens' must be a whole number of at least 1, not 0"),
        ({"n": 5}, "'n' cannot be set here; take it out"),
        ({"stream": True}, "'stream' cannot be set here; take it out"),
        ({"max_tokens": 0}, "'max_tokens' must be a whole number of at least 1, not 0"),
        ({"seed": 1.5}, "'seed' must be a whole number, not 1.5"),
        ({"logprobs": True}, "'logprobs' must be a whole number of at least 0, not True"),
        ({"temperature": "0"}, "'temperature' must be a number, not '0'"),
        ({"stop": 3}, "'stop' must be a text or a list of texts, none of them empty, not 3"),
    ]
    for sampling, message in cases:
        with pytest.raises(ConfigError) as caught:
            parameters(sampling)
        assert str(caught.value) == f"sampling: {message}"
