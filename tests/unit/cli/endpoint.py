"""A judge's endpoint for commands, where nothing else names one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fakes import ChatServer, Scripted, chat_server


def alone(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Work in a folder with a token and no address; wait little between attempts."""
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.chdir(folder)
    for name in ("JUDGE_API_LINK", "JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOKEN", "sk-secret-1234567890")


@contextmanager
def judge_server(reply: Callable[[dict[str, Any], int], Scripted]) -> Iterator[ChatServer]:
    """Serve replies at the address that the judge's variable names."""
    with chat_server(reply) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUDGE_API_LINK", server.link)
        yield server
