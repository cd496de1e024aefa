"""One session takes the place of another, for all who hold it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes import Scripted, chat_server
from ragaliq.errors import ConfigError, Stopped
from ragaliq.llm import LLMSession, Reply, Request, ResponseCache
from unit.llm.calling import CHAT, PRICES, REQUEST, Pointer, client_of, one

pytestmark = pytest.mark.usefixtures("quick")


def test_a_client_calls_in_the_session_that_its_own_becomes(tmp_path: Path, to: Pointer) -> None:
    with chat_server(lambda request, number: Scripted(f"reply {number}")) as server:
        to(server)
        earlier, run = LLMSession(), LLMSession(ResponseCache(tmp_path / "replies.sqlite"), PRICES, max_cost=1.0)
        held = LLMSession()
        held.become(earlier)
        client = client_of(held)
        assert isinstance(one(client), Reply) and isinstance(one(client), Reply)
        held.become(run)
        assert isinstance(one(client), Reply) and isinstance(one(client), Reply)
        # Two calls without the cache, one with it.
        assert len(server.requests) == 3
        assert [session.accounts["judge"].cached for session in (earlier, run)] == [0, 1]
        run.signal.ask("enough")
        ended = one(client, Request(CHAT, {"max_tokens": 8}))
        assert isinstance(ended, Stopped) and str(ended) == "enough"
        # Who shared the session before is left as it was.
        assert earlier.cache is None and not earlier.signal.asked
        assert isinstance(one(client_of(earlier), REQUEST), Reply)


def test_a_session_that_a_client_cannot_call_in_is_refused(to: Pointer) -> None:
    with chat_server(lambda request, number: Scripted("yes")) as server:
        to(server)
        held = LLMSession()
        client = client_of(held, model="unpriced")
        with pytest.raises(ConfigError, match="--max-cost: the price file does not know 'unpriced'"):
            held.become(LLMSession(prices=PRICES, max_cost=0.1))
        assert client.session is held
