"""Chats through the batch endpoint of an OpenAI-compatible service: half the price, an answer within a day.

Calls wait; when no further one comes, those that wait are sent as one batch, which is polled until it has ended. A
batch is noted in a file before it is waited for, so that the same command, begun again, waits for it instead of sending
its requests once more. Every request comes back as a reply or as a fault; a batch never loses one.

Source: the reference of OpenAI's Batch API (`/v1/batches`): an input file of at most 50,000 requests and 200 MB;
results in any order, in a file of outputs and one of errors; an expired batch holds what was done until then.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ragaliq.errors import ConfigError, Stopped
from ragaliq.execution import stopwatch
from ragaliq.execution.progress import say
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm.cache import ResponseCache
from ragaliq.llm.connections.transport import Fault, FaultKind, reply_or_fault
from ragaliq.llm.endpoints.endpoint import Endpoint
from ragaliq.storage.journal import Journal, read_journal

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Answer = dict[str, Any] | Fault
Value = TypeVar("Value")
# What a batch costs beside calls one by one, by the service's list prices.
SHARE = 0.5
# Most requests and bytes of a batch; the service takes more, but a reply of all is read at once.
MOST_REQUESTS, MOST_BYTES = 10_000, 150 * 2**20
# A batch is sent when no request has come for so long.
_QUIET_S = 3.0
_FIRST_POLL_S, _LONGEST_POLL_S = 1.0, 60.0
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_PATH: Final = "/v1/chat/completions"


@dataclass(slots=True)
class _Waiting:
    """The requests to one endpoint that wait for a batch, by their hash; equal ones share a place in it."""

    client: AsyncOpenAI
    endpoint: Endpoint
    bodies: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    futures: dict[str, list[asyncio.Future[Answer]]] = field(default_factory=dict)
    size: int = 0
    last: float = 0.0
    sender: asyncio.Task[None] | None = None


class Batches:
    """Sends the chats of a command in batches."""

    def __init__(self, file: Path) -> None:
        """Take the file in which batches are noted."""
        self._file = file
        self._waiting: dict[str, _Waiting] = {}
        self._under_way: set[asyncio.Task[None]] = set()

    async def post(
        self, client: AsyncOpenAI, endpoint: Endpoint, body: Mapping[str, Any], signal: StopSignal
    ) -> Answer:
        """Return the reply to a chat, or why there is none; the caller may try again, in a later batch.

        Raises:
            Stopped: if the stop is asked for; what was sent is noted, and the same command goes on.
            ConfigError: if the service refuses the batch as a whole.
        """
        loop = asyncio.get_running_loop()
        waiting = self._waiting.setdefault(endpoint.address, _Waiting(client, endpoint))
        key = ResponseCache.key(body)[:32]
        future: asyncio.Future[Answer] = loop.create_future()
        if key not in waiting.bodies:
            waiting.bodies[key] = body
            waiting.size += len(json.dumps(body))
        waiting.futures.setdefault(key, []).append(future)
        waiting.last = loop.time()
        if waiting.sender is None:
            waiting.sender = self._begin(self._send_when_quiet(waiting, signal))
        if len(waiting.bodies) >= MOST_REQUESTS or waiting.size >= MOST_BYTES:
            waiting.last = float("-inf")
            self._close(waiting)
        with stopwatch.waiting():
            return await future

    def _close(self, waiting: _Waiting) -> None:
        """Let those that come from now on be the next batch."""
        if self._waiting.get(waiting.endpoint.address) is waiting:
            del self._waiting[waiting.endpoint.address]

    def _begin(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    async def _send_when_quiet(self, waiting: _Waiting, signal: StopSignal) -> None:
        loop = asyncio.get_running_loop()
        try:
            while (rest := waiting.last + _QUIET_S - loop.time()) > 0:
                await signal.sleep(min(rest, _QUIET_S))
        except BaseException as error:
            _fail(waiting.futures, error)
            return
        finally:
            self._close(waiting)
        try:
            await self._carry_out(waiting, signal)
        except BaseException as error:
            _fail(waiting.futures, error)

    async def _carry_out(self, waiting: _Waiting, signal: StopSignal) -> None:
        """Wait for the batches of an earlier call that hold these requests, and send the others."""
        service = _Service(waiting.client, waiting.endpoint, self._file)
        left = set(waiting.bodies)
        for batch_id, keys in service.noted():
            if keys & left:
                _settle(waiting.futures, await service.wait(batch_id, keys & left, signal))
                left -= keys
        if left:
            bodies = {key: waiting.bodies[key] for key in sorted(left)}
            batch_id = await service.submit(bodies)
            _settle(waiting.futures, await service.wait(batch_id, left, signal))


class _Service:
    """The batch endpoint of one service."""

    def __init__(self, client: AsyncOpenAI, endpoint: Endpoint, file: Path) -> None:
        self._client = client
        self._endpoint = endpoint
        self._file = file

    def noted(self) -> list[tuple[str, set[str]]]:
        """Return the batches of this endpoint whose results nobody has taken yet, with their requests."""
        batches: dict[str, set[str]] = {}
        for _, row in read_journal(self._file):
            if row.get("endpoint") != self._endpoint.address:
                continue
            if row.get("taken"):
                batches.pop(row["batch"], None)
            else:
                batches[row["batch"]] = set(row["requests"])
        return list(batches.items())

    async def submit(self, bodies: Mapping[str, Mapping[str, Any]]) -> str:
        """Send requests as a batch, note it, and return its id; one that was sent but not noted is found again."""
        lines = [
            json.dumps({"custom_id": key, "method": "POST", "url": _PATH, "body": body}, ensure_ascii=False)
            for key, body in bodies.items()
        ]
        digest = hashlib.sha256("\n".join(bodies).encode("ascii")).hexdigest()
        batch_id = await self._sent_before(digest)
        if not batch_id:
            data = "\n".join(lines).encode("utf-8", "replace") + b"\n"
            file = await self._answered(self._client.files.create(file=("batch.jsonl", data), purpose="batch"))
            batch = await self._answered(
                self._client.batches.create(
                    input_file_id=file.id, endpoint=_PATH, completion_window="24h", metadata={"ragaliq": digest}
                )
            )
            batch_id = str(batch.id)
        self._note({"batch": batch_id, "endpoint": self._endpoint.address, "requests": list(bodies)})
        say(f"batch {batch_id}: {len(bodies)} requests sent; after a stop the same command waits for them")
        return batch_id

    async def _answered(self, call: Awaitable[Value]) -> Value:
        """Return what the service says.

        Raises:
            ConfigError: if it refuses, as one without batches does.
            Stopped: if it does not answer, or fails.
        """
        from openai import APIStatusError, OpenAIError

        try:
            return await call
        except OpenAIError as error:
            why = self._endpoint.clean(str(error))[:300]
            if isinstance(error, APIStatusError) and error.status_code < 500 and error.status_code not in (408, 429):
                raise ConfigError(f"--batch: {self._endpoint.address} refuses: {why}; leave out --batch") from None
            raise Stopped(f"--batch: {self._endpoint.address}: {why}; the same command goes on") from None

    async def _sent_before(self, digest: str) -> str:
        """Return the batch of just these requests that a killed command has sent, an empty text if there is none."""
        taken = {row["batch"] for _, row in read_journal(self._file) if row.get("taken")}
        page = await self._answered(self._client.batches.list(limit=100))
        for batch in page.data:
            if (batch.metadata or {}).get("ragaliq") == digest and str(batch.id) not in taken:
                return str(batch.id)
        return ""

    async def wait(self, batch_id: str, keys: set[str], signal: StopSignal) -> dict[str, Answer]:
        """Return what became of each request of a batch, once it has ended."""
        pause, told = _FIRST_POLL_S, ""
        while True:
            batch = await self._answered(self._client.batches.retrieve(batch_id))
            counts = batch.request_counts
            line = f"batch {batch_id}: {batch.status}"
            if counts is not None:
                line += f", {counts.completed} of {counts.total} done, {counts.failed} failed"
            if line != told:
                say(line)
                told = line
            if batch.status in _ENDED:
                break
            await signal.sleep(pause)
            pause = min(2 * pause, _LONGEST_POLL_S)
        if batch.status == "failed":
            self._note({"batch": batch_id, "endpoint": self._endpoint.address, "taken": True})
            errors = batch.errors.data if batch.errors is not None else None
            why = errors[0].message if errors else "no reason given"
            raise ConfigError(self._endpoint.clean(f"batch {batch_id}: the service refuses it: {why}"))
        answers: dict[str, Answer] = {}
        for file_id in filter(None, (batch.output_file_id, batch.error_file_id)):
            content = await self._answered(self._client.files.content(file_id))
            answers |= self._rows(content.content)
        taken = {key: answers.get(key) or _missing(str(batch.status)) for key in keys}
        self._note({"batch": batch_id, "endpoint": self._endpoint.address, "taken": True})
        say(_account(batch_id, list(taken.values())))
        return taken

    def _rows(self, content: bytes) -> dict[str, Answer]:
        """Return the answers of a file of results; a line that is none is left out, and its request found missing."""
        answers: dict[str, Answer] = {}
        for line in content.decode("utf-8", "replace").splitlines():
            try:
                row = json.loads(line)
                key, response, error = row["custom_id"], row.get("response") or {}, row.get("error") or {}
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
            if "status_code" in response:
                text = json.dumps(response.get("body"))
                answer = reply_or_fault(self._endpoint, int(response["status_code"]), {}, text)
                if isinstance(answer, Fault) and answer.kind is FaultKind.RATE_LIMIT:
                    # No window of calls that is too wide: the next batch has room.
                    answer = Fault(FaultKind.SERVER, answer.message)
                answers[key] = answer
            else:
                why = self._endpoint.clean(str(error.get("message") or error.get("code") or "no response"))
                answers[key] = Fault(FaultKind.SERVER, why)
        return answers

    def _note(self, row: Mapping[str, Any]) -> None:
        with Journal(self._file) as journal:
            journal.append(row)


def _missing(status: str) -> Fault:
    if status == "expired":
        return Fault(FaultKind.SERVER, "the batch expired before this request was done")
    return Fault(FaultKind.SERVER, f"the batch is {status} without this request")


def _account(batch_id: str, answers: Sequence[Answer]) -> str:
    """Return the line that accounts for every request of a batch."""
    faults = Counter(answer.message[:80] for answer in answers if isinstance(answer, Fault))
    line = f"batch {batch_id}: {len(answers)} requests: {len(answers) - faults.total()} answered"
    return line + "".join(f", {n} not ({why})" for why, n in sorted(faults.items()))


def _settle(futures: Mapping[str, list[asyncio.Future[Answer]]], answers: Mapping[str, Answer]) -> None:
    for key, answer in answers.items():
        for future in futures.get(key, ()):
            if not future.done():
                # Each caller may change what it gets.
                future.set_result(dict(answer) if isinstance(answer, dict) else answer)


def _fail(futures: Mapping[str, list[asyncio.Future[Answer]]], error: BaseException) -> None:
    for future in (future for same in futures.values() for future in same):
        if not future.done():
            future.set_exception(error)
