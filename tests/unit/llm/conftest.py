"""What the tests of calls to endpoints have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes import ChatServer
from unit.llm.calling import TOKEN, Pointer


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wait little between attempts, and find neither a proxy nor an `.env` of somebody else."""
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.setattr("ragaliq.llm.retry._LONGEST_REFUSED_S", 0.01)
    monkeypatch.setattr("ragaliq.llm.limiter._FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr("ragaliq.llm.limiter._LONGEST_PAUSE_S", 0.01)
    monkeypatch.chdir(tmp_path)
    for name in (
        "READER_TOKEN",
        "READER_API_LINK",
        "JUDGE_MODEL",
        "http_proxy",
        "HTTP_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOKEN", TOKEN)


@pytest.fixture
def to(monkeypatch: pytest.MonkeyPatch) -> Pointer:
    """Point the clients that are made from now on at a server."""

    def pointed(server: ChatServer) -> ChatServer:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        return server

    return pointed
