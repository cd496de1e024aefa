"""Replies of an earlier build: recorded into a JSON Lines file, and read from it instead of asking."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from ragaliq.build.model import Model
from ragaliq.errors import InputError
from ragaliq.llm import CallFailed, LLMSession, Reply, Request
from ragaliq.llm.call_trace import call_trace
from ragaliq.llm.endpoints.endpoint import Endpoint
from ragaliq.llm.replies.reply import reply_from_row, reply_to_row
from ragaliq.storage.files import Row
from ragaliq.storage.journal import Journal, read_journal
from ragaliq.storage.own_json import misfit
from ragaliq.storage.redaction import redacted_values

# A line of what `--record` writes.
RECORDED = {"key": str, "model": str, "reply": {str: object}}


class Recorder:
    """Asks a model, and records each reply, without secrets."""

    def __init__(self, model: Model, journal: Journal, redacted: Callable[[str], str]) -> None:
        """Take the open journal, and the function that redacts secrets."""
        self.name = model.name
        self._model, self._journal, self._redacted = model, journal, redacted

    def key(self, request: Request) -> str:
        """Return the model's key."""
        return self._model.key(request)

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        """Return the model's reply; raises what the model raises."""
        reply = await self._model.complete(request, accept)
        row = {"key": self.key(request), "model": self.name, "request": _asked(request), "reply": reply_to_row(reply)}
        self._journal.append(redacted_values(row, self._redacted))
        return reply


class ReplayModel:
    """Recorded replies; a request without one is an error that shows it."""

    def __init__(self, path: Path, name: str, session: LLMSession) -> None:
        """Read the file.

        Args:
            path: what `--record` wrote.
            name: the model whose replies are wanted; empty takes that of the first row.
            session: keeps the traces.

        Raises:
            InputError: if the file is missing or has no reply of the model.
        """
        if not path.is_file():
            raise InputError(f"--backend replay:{path}: no such file; --record writes one")
        self._replies: dict[str, Reply] = {}
        self.name, self._path, self._session = name, path, session
        for number, row in read_journal(path):
            reply = None if misfit(row, RECORDED) else reply_from_row(row["reply"])
            if reply is None:
                raise InputError(f"{path}:{number}: not a recorded reply; remove the line")
            self.name = self.name or row["model"]
            if row["model"] == self.name:
                self._replies[row["key"]] = reply
        if not self._replies:
            raise InputError(f"{path}: has no reply of the model '{self.name}'; record them with --record")

    def key(self, request: Request) -> str:
        """Return the recorded model's key."""
        return request_key(self.name, request)

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        """Return the recorded reply.

        Raises:
            InputError: if there is none.
        """
        self._session.signal.check()
        reply = self._replies.get(self.key(request))
        if reply is None:
            # In full: the difference from a recorded request may be anywhere in it.
            shown = json.dumps(_asked(request), ensure_ascii=False)
            raise InputError(
                f"{self._path}: has no reply of '{self.name}' with the key {self.key(request)}; record it with "
                f"--record. The request: {shown}"
            )
        keep_trace(self._session, self.name, request, reply)
        return reply


def request_key(model: str, request: Request) -> str:
    """Return the hash that a request to a model has in traces, whatever endpoint it is sent to."""
    from ragaliq.llm import ResponseCache

    return ResponseCache.key({"model": model, "chat": list(request.messages),
                              "parameters": dict(request.parameters), "schema": request.schema})  # fmt: skip


def keep_trace(session: LLMSession, model: str, request: Request, result: Reply | CallFailed) -> None:
    """Keep the trace of a call without an endpoint."""
    if session.traces is not None:
        session.traces.append(
            call_trace("builder", Endpoint("", model, ""), request, request_key(model, request), result)
        )


def _asked(request: Request) -> Row:
    return {"messages": list(request.messages), "parameters": dict(request.parameters), "schema": request.schema}
