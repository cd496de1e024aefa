"""An embedding model behind a real HTTP server on the loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fakes import Scripted, chat_server
from ragaliq.errors import InputError, Stopped
from ragaliq.llm import Calls
from ragaliq.retrieve import Side
from ragaliq.retrieve.openai import OpenAIEmbedder

TEXTS = ["Die Tür ist rot.", "屋顶是蓝色的。", "", "Крыша синяя.", "La porte est rouge."]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ragaliq.llm.client._FIRST_WAIT_S", 0.001)
    monkeypatch.setenv("TOKEN", "t")


def vectors(request: dict[str, Any], number: int) -> Scripted:
    """The length of each text, and 4; in reverse order, as the protocol allows."""
    rows = [{"index": n, "embedding": [float(len(text)), 4.0]} for n, text in enumerate(request["input"])]
    return Scripted(raw=json.dumps({"data": rows[::-1], "usage": {"prompt_tokens": 5}}))


def test_each_text_gets_its_vector_of_unit_length(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls()
    with chat_server(vectors) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        embedder = OpenAIEmbedder("m", query_prefix="query: ", batch_size=2, calls=calls)
        found = embedder.embed(TEXTS, Side.PASSAGE)
        asked = embedder.embed(["蓝色"], Side.QUERY)
    expected = [[len(text) / np.hypot(len(text), 4), 4 / np.hypot(len(text), 4)] if text else [0, 0] for text in TEXTS]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    # The prefix goes before the query alone: 7 characters and 2.
    np.testing.assert_allclose(asked, [[9 / np.hypot(9, 4), 4 / np.hypot(9, 4)]], atol=1e-6)
    sent = sorted(len(request["input"]) for request in server.requests)
    assert sent == [1, 2, 2] and not any("" in request["input"] for request in server.requests)
    assert {request["model"] for request in server.requests} == {"m"}
    assert calls.accounts["embedder"].calls == 3


def test_nothing_to_embed_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(vectors) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert not OpenAIEmbedder("m").embed(["", "  "], Side.PASSAGE).any()
    assert server.requests == []


def test_too_few_vectors_are_an_error_and_never_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    short = Scripted(raw=json.dumps({"data": [{"index": 0, "embedding": [1.0]}]}))
    with chat_server(lambda request, number: short) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        with pytest.raises(InputError, match="embedder 'm': malformed_reply"):
            OpenAIEmbedder("m").embed(TEXTS, Side.PASSAGE)
    assert len(server.requests) == 5


def test_an_endpoint_that_is_not_there_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_LINK", "http://127.0.0.1:9/v1")
    with pytest.raises(Stopped, match="does not answer"):
        OpenAIEmbedder("m").embed(TEXTS, Side.PASSAGE)


def test_its_text_form_names_model_and_prefixes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_LINK", "http://127.0.0.1:9/v1")
    names = {str(OpenAIEmbedder(m, query_prefix=q)) for m, q in (("m", ""), ("m", "q: "), ("n", ""))}
    assert len(names) == 3
