"""An embedding model behind a real HTTP server on the loopback."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fakes import Scripted, chat_server
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import ConfigError, InputError, Stopped
from ragaliq.llm import LLMSession, ResponseCache, load_prices
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.openai import OpenAIEmbedder

TEXTS = ["Die Tür ist rot.", "屋顶是蓝色的。", "", "Крыша синяя.", "La porte est rouge."]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.setenv("TOKEN", "t")


def vectors(request: dict[str, Any], number: int) -> Scripted:
    """The length of each text, and 4; in reverse order, as the protocol allows."""
    rows = [{"index": n, "embedding": [float(len(text)), 4.0]} for n, text in enumerate(request["input"])]
    return Scripted(raw=json.dumps({"data": rows[::-1], "usage": {"prompt_tokens": 5}}))


def test_each_text_gets_its_vector_of_unit_length(monkeypatch: pytest.MonkeyPatch) -> None:
    session = LLMSession()
    with chat_server(vectors) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        embedder = OpenAIEmbedder("m", query_prefix="query: ", batch_size=2, session=session)
        found = embedder.embed(TEXTS, Side.PASSAGE)
        asked = embedder.embed(["蓝色"], Side.QUERY)
    expected = [[len(text) / np.hypot(len(text), 4), 4 / np.hypot(len(text), 4)] if text else [0, 0] for text in TEXTS]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    # The prefix goes before the query alone: 7 characters and 2.
    np.testing.assert_allclose(asked, [[9 / np.hypot(9, 4), 4 / np.hypot(9, 4)]], atol=1e-6)
    sent = sorted(len(request["input"]) for request in server.requests)
    assert sent == [1, 2, 2] and not any("" in request["input"] for request in server.requests)
    assert {request["model"] for request in server.requests} == {"m"}
    assert session.accounts["embedder"].calls == 3


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
    monkeypatch.setenv("JUDGE_API_LINK", "http://elsewhere.example/key-1234567/v1")
    elsewhere = str(OpenAIEmbedder("m"))
    assert elsewhere not in names and "elsewhere" not in elsewhere and "1234567" not in elsewhere


def only(bad: str, scripted: Scripted) -> Callable[[dict[str, Any], int], Scripted]:
    """A server that says `scripted` where the texts hold `bad`, and gives vectors else."""
    return lambda request, number: scripted if bad in request["input"] else vectors(request, number)


def test_batches_that_were_paid_for_are_not_asked_again_after_a_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    port = 0

    def embedded(refused: str) -> tuple[Any, list[list[str]], LLMSession]:
        nonlocal port
        session = LLMSession(ResponseCache(tmp_path / "replies.sqlite"), concurrency=1)
        with chat_server(only(refused, Scripted("too bad", status=400)), port=port) as server:
            port = server.port
            monkeypatch.setenv("JUDGE_API_LINK", server.link)
            try:
                found = OpenAIEmbedder("m", passage_prefix="p: ", batch_size=1, session=session).embed(
                    TEXTS, Side.PASSAGE
                )
            except InputError:
                found = None
            asyncio.run(session.close())
        return found, [request["input"] for request in server.requests], session

    found, asked, _ = embedded("p: Крыша синяя.")
    assert found is None and asked == [["p: Die Tür ist rot."], ["p: 屋顶是蓝色的。"], ["p: Крыша синяя."]]
    found, asked, session = embedded("nothing")
    assert asked == [["p: Крыша синяя."], ["p: La porte est rouge."]]
    assert (session.accounts["embedder"].cached, session.accounts["embedder"].calls) == (2, 2)
    again, asked, _ = embedded("nothing")
    assert asked == []
    # Kept and fresh vectors are the same; the prefix has 3 characters.
    np.testing.assert_array_equal(again, found)
    lengths = [len(text) + 3 if text else 0 for text in TEXTS]
    expected = [[n / np.hypot(n, 4), 4 / np.hypot(n, 4)] if n else [0, 0] for n in lengths]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_each_new_budget_makes_progress(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("date: '2026-06'\nmodels:\n  m: {prompt: 1000000, completion: 0}\n")
    texts = [f"Дверь номер {number}" for number in range(6)]
    runs = 0
    with chat_server(vectors) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        while runs < 10:
            runs += 1
            # One US dollar for a token; the server reports 5 for each request.
            session = LLMSession(
                ResponseCache(tmp_path / "replies.sqlite"), load_prices(prices), max_cost=25, concurrency=1
            )
            try:
                OpenAIEmbedder("m", batch_size=1, session=session).embed(texts, Side.PASSAGE)
                break
            except Stopped as error:
                assert "--max-cost" in str(error)
            finally:
                asyncio.run(session.close())
        asked = [request["input"][0] for request in server.requests]
    assert 1 < runs < 10
    assert asked == texts


@pytest.mark.parametrize(
    ("vector", "fault"),
    [
        ("[1, NaN]", "is not finite"),
        ("[1, Infinity]", "is not finite"),
        ("[1e200, 1e200]", "is not finite"),
        (f"[1, 1{'0' * 400}]", "is not finite"),
        ("[1, null]", "holds something that is no number"),
        ('["1", "2"]', "holds something that is no number"),
        ("[1, [2]]", "holds something that is no number"),
        ("null", "is no list of numbers"),
        ('"AAAA"', "is no list of numbers"),
        ("[]", "is no list of numbers"),
        ("[1, 2, 3]", "has 3 numbers where others have 2"),
        ("[1]", "has 1 numbers where others have 2"),
    ],
)
@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.filterwarnings("error")
def test_what_is_no_vector_is_an_error_and_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, vector: str, fault: str, batch_size: int
) -> None:
    def reply(request: dict[str, Any], number: int) -> Scripted:
        rows = [vector if text == "Крыша синяя." else "[3, 4]" for text in request["input"]]
        data = ", ".join(f'{{"index": {n}, "embedding": {row}}}' for n, row in enumerate(rows))
        return Scripted(raw=f'{{"data": [{data}]}}')

    file, port = tmp_path / "replies.sqlite", 0
    for reply_now, sent in ((reply, None), (vectors, 2 if batch_size == 1 else 1)):
        session = LLMSession(ResponseCache(file), concurrency=1)
        with chat_server(reply_now, port=port) as server:
            port = server.port
            monkeypatch.setenv("JUDGE_API_LINK", server.link)
            embedder = OpenAIEmbedder("m", batch_size=batch_size, session=session)
            if sent is None:
                with pytest.raises(InputError, match=f"embedder 'm': the vector of text 4 of 5 {fault}") as caught:
                    embedder.embed(TEXTS, Side.PASSAGE)
                assert "\n" not in str(caught.value)
            else:
                assert np.isfinite(embedder.embed(TEXTS, Side.PASSAGE)).all()
                assert len(server.requests) == sent
        asyncio.run(session.close())


def test_queries_of_another_length_than_the_passages_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    longer = Scripted(raw=json.dumps({"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0]}]}))
    with chat_server(only("蓝色", longer)) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        embedder = OpenAIEmbedder("m")
        embedder.embed(TEXTS, Side.PASSAGE)
        with pytest.raises(InputError, match="text 1 of 1 has 3 numbers where others have 2"):
            embedder.embed(["蓝色"], Side.QUERY)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"batch_size": 0}, "'batch_size' must be at least 1, not 0"),
        ({"batch_size": -3}, "'batch_size' must be at least 1, not -3"),
        ({"timeout_s": 0}, "'timeout_s' must be above 0, not 0"),
        ({"timeout_s": -1.5}, "'timeout_s' must be above 0, not -1.5"),
    ],
)
def test_options_are_checked_at_once(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], told: str) -> None:
    monkeypatch.setenv("JUDGE_API_LINK", "http://127.0.0.1:9/v1")
    with pytest.raises(ConfigError, match=f"^embedder '(openai:)?m': option {told}$"):
        make("embedder", Component("openai", "m", options))


class Watched(Sequence[str]):
    """Texts that tell which of them was looked at for a request."""

    def __init__(self, count: int) -> None:
        self.looked: list[int] = []
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        self.looked.append(place)
        return f"Puerta {place}"

    def __iter__(self) -> Any:
        return (f"Puerta {place}" for place in range(self._count))


def test_only_so_many_batches_are_made_as_may_be_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, lock = Watched(40), threading.Lock()
    ahead: list[int] = []

    def reply(request: dict[str, Any], number: int) -> Scripted:
        time.sleep(0.01)
        with lock:
            ahead.append(len(texts.looked) - len(ahead))
        return vectors(request, number)

    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        found = OpenAIEmbedder("m", batch_size=1, session=LLMSession(concurrency=3)).embed(texts, Side.PASSAGE)
    assert found.shape == (40, 2) and found.dtype == np.float32
    assert texts.looked == list(range(40))
    assert 1 < max(ahead) <= 3


class Watching(LLMSession):
    """Counts who is still at work when the connections close."""

    others = -1

    async def disconnect(self) -> None:
        self.others = len(asyncio.all_tasks()) - 1
        await super().disconnect()


@pytest.mark.filterwarnings("error")
def test_when_a_batch_fails_the_others_end_before_the_connections_close(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    def reply(request: dict[str, Any], number: int) -> Scripted:
        if "Die Tür ist rot." in request["input"]:
            return Scripted("too bad", status=400)
        return Scripted("busy", status=500)

    # The others wait for their next attempt, and would open new connections for it.
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.02)
    calls = Watching()
    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        with pytest.raises(InputError, match="too bad"):
            OpenAIEmbedder("m", batch_size=1, session=calls).embed(TEXTS, Side.PASSAGE)
        # What was on its way when the batch failed may still arrive.
        time.sleep(0.1)
        sent = len(server.requests)
        time.sleep(0.1)
        assert len(server.requests) == sent
    gc.collect()
    assert calls.others == 0 and not calls._sessions
    assert "Unclosed" not in caplog.text and not recwarn.list


def test_it_embeds_while_an_event_loop_is_running(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(vectors) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)

        async def cell() -> Any:
            return OpenAIEmbedder("m").embed(TEXTS, Side.PASSAGE)

        found = asyncio.run(cell())
        np.testing.assert_array_equal(found, OpenAIEmbedder("m").embed(TEXTS, Side.PASSAGE))
