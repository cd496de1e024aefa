"""Stand-ins used by the tests; none of them is ever the thing under test."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import selectors
import socket
import ssl
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

from ragaliq.build.model import Model
from ragaliq.build.model.backend import Backend
from ragaliq.build.model.planned import PlannedCalls
from ragaliq.build.model.recorded import request_key
from ragaliq.judge.controls.cases import written_controls, written_languages
from ragaliq.llm import CallFailed, LLMSession, Reply, Request
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer, run_answer_to_row, verdict_to_row
from ragaliq.storage.files import write_json, write_jsonl
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Item, Query, Reading, Trace, Verdict, VerdictOutcome

Result = TypeVar("Result")


# How served models write a thought before their answer: the tags around it.
THOUGHT_FORMS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|thinking|>", "</|thinking|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("analysis", "assistantfinal"),
    ("Here is my thought process:", "Here is my response:"),
)


def chunk(doc_id: str, text: str, lang: str = "en", title: str = "") -> Chunk:
    return Chunk(doc_id, lang, text, "source.md", 0, len(text), title)


def hits(*texts: str, lang: str = "en", scores: Sequence[float] = ()) -> list[Hit]:
    """Hits d1, d2, … with the given texts, best first."""
    values = list(scores) or [1.0 - 0.1 * i for i in range(len(texts))]
    return [Hit(chunk(f"d{i}", text, lang), values[i - 1], i) for i, text in enumerate(texts, start=1)]


def sparse_rows(rows: Sequence[Mapping[int, float]], n_columns: int) -> Any:
    """Return vectors as a matrix with one row for each."""
    import numpy as np
    from scipy.sparse import csr_matrix

    cells = [(row, column, weight) for row, vector in enumerate(rows) for column, weight in sorted(vector.items())]
    places, columns, weights = zip(*cells, strict=True) if cells else ((), (), ())
    return csr_matrix((np.array(weights, np.float32), (places, columns)), shape=(len(rows), n_columns))


def item(question: str, reference: str, lang: str = "en", query_id: str = "q1", answerable: bool = True) -> Item:
    return Item(Query(query_id, lang, question), reference, answerable)


@dataclass
class Scripted:
    """One reply of the chat server: a status, and a chat completion, the vectors of the input, or a raw body.

    `delay_s` comes before the reply; `reset` drops the connection without one; `cut` closes it in the middle of the
    body that was announced; `blocks` makes a body of unknown length, of which nobody need read all.
    """

    content: str | None = None
    status: int = 200
    finish_reason: str = "stop"
    refusal: str | None = None
    raw: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    reset: bool = False
    cut: bool = False
    blocks: Callable[[], Iterator[bytes]] | None = None

    def body(self, request: dict[str, Any]) -> bytes:
        if self.raw is not None:
            return self.raw.encode()
        if self.status != 200:
            return json.dumps({"error": {"message": self.content or "scripted error"}}).encode()
        if "input" in request:
            vectors = [{"object": "embedding", "index": i, "embedding": vector_of(text)}
                       for i, text in enumerate(request["input"])]  # fmt: skip
            usage = {"prompt_tokens": 7, "total_tokens": 7}
            return json.dumps({"object": "list", "data": vectors, "model": "m", "usage": usage}).encode()
        message = {"role": "assistant", "content": self.content, "refusal": self.refusal}
        choice = {"index": 0, "finish_reason": self.finish_reason, "message": message}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        completion = {"id": "c", "object": "chat.completion", "created": 0, "model": "m"}
        return json.dumps({**completion, "choices": [choice], "usage": usage}).encode()


def vector_of(text: str) -> list[float]:
    """The vector that the chat server gives a text: four numbers of its hash."""
    return [byte / 256 for byte in hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:4]]


@dataclass
class ChatServer:
    """A real HTTP server on the loopback with the endpoints of an OpenAI-compatible service."""

    link: str
    port: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


@contextmanager
def chat_server(
    reply: Callable[[dict[str, Any], int], Scripted],
    alive: Callable[[], bool] = lambda: True,
    port: int = 0,
    certificate: Path | None = None,
) -> Iterator[ChatServer]:
    """Serve `reply(request, number of the request from 0)` until the block ends; `/models` tells whether it is alive.

    Several requests may be in `reply` at once. With the `port` of a server that has ended, it is the same endpoint.
    With a certificate and its key in one file, it speaks TLS.
    """
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self.send_response(200 if alive() else 503)
            self.send_header("content-length", "0")
            self.end_headers()

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                number = len(state.requests)
                state.requests.append(request)
                state.tokens.append(self.headers.get("authorization", ""))
                state.paths.append(self.path)
                state.headers.append({name.lower(): value for name, value in self.headers.items()})
            scripted = reply(request, number)
            time.sleep(scripted.delay_s)
            self.close_connection = scripted.reset or scripted.cut
            if scripted.reset:
                # With no time to linger the system sends a reset.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            self.send_response(scripted.status)
            if "content-type" not in scripted.headers:
                self.send_header("content-type", "application/json")
            if scripted.blocks is not None:
                self._send_blocks(scripted)
                return
            body = scripted.body(request)
            self.send_header("content-length", str(len(body)))
            for name, value in scripted.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if scripted.cut else body)

        def _send_blocks(self, scripted: Scripted) -> None:
            for name, value in {**scripted.headers, "transfer-encoding": "chunked"}.items():
                self.send_header(name, value)
            self.end_headers()
            assert scripted.blocks is not None
            for block in scripted.blocks():
                self.wfile.write(b"%x\r\n%b\r\n" % (len(block), block))
            self.wfile.write(b"0\r\n\r\n")

        def handle(self) -> None:
            # A client that has hung up is no error of the test.
            with suppress(OSError, ValueError):
                super().handle()

        def finish(self) -> None:
            with suppress(OSError, ValueError):
                super().finish()

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

    server = _Server(("127.0.0.1", port), Handler)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    scheme = "http" if certificate is None else "https"
    state = ChatServer(f"{scheme}://127.0.0.1:{server.server_port}/v1", server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Clock(selectors.DefaultSelector):
    """Passes at once the time in which nothing happens."""

    now = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None:
            self.now += timeout
            return super().select(0)
        # Everybody waits: for a thread, or for ever.
        ready = super().select(5)
        assert ready, "everybody waits, and nothing will ever happen"
        return ready


class _ClockedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Clock()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Wait for the threads as long as that takes: on this clock, any timeout passes at once."""
        await super().shutdown_default_executor()


def run_clocked(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine without connections on a clock of its own: no sleep takes any time.

    A deadlock is an AssertionError.
    """
    with asyncio.Runner(loop_factory=_ClockedLoop) as runner:
        return runner.run(work)


class ListRetriever:
    """Returns the chunks of the query's language in the order in which they were indexed."""

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []

    def index(self, chunks: Sequence[Chunk]) -> None:
        self.chunks += chunks

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        own = [chunk for chunk in self.chunks if chunk.lang == query.lang][:top_k]
        return [Hit(chunk, 1 / rank, rank) for rank, chunk in enumerate(own, start=1)]


class ReversingReranker:
    """Puts the last hit first."""

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        return [Hit(hit.chunk, 1 / rank, rank) for rank, hit in enumerate(reversed(hits), start=1)]


class FixedReader:
    """Says the same to every question; by default a plain text."""

    def __init__(self, says: Reading | str = "It is blue.") -> None:
        self.says = says

    def read(self, query: Query, context: Sequence[Hit]) -> Reading | str:
        return self.says


class FixedCoroutineReader(FixedReader):
    """The same, as a coroutine."""

    async def read(self, query: Query, context: Sequence[Hit]) -> Reading | str:  # type: ignore[override]
        return self.says


def answered(query_id: str, text: str, lang: str = "en", answerable: bool = True) -> RunAnswer:
    """An item with an answer; a blank answer is a reader's failure, "none" an abstention."""
    asked = item(f"question {query_id}", f"reference {query_id}", lang, query_id, answerable)
    outcomes = {"": AnswerOutcome.ERROR, "none": AnswerOutcome.ABSTAINED}
    return RunAnswer(asked, Answer(asked.query, text, outcomes.get(text, AnswerOutcome.ANSWERED), ()))


def verdict(query_id: str, grade: int | None, lang: str = "en", judge: str = "offline") -> Verdict:
    outcome = VerdictOutcome.UNPARSEABLE if grade is None else VerdictOutcome.SCORED
    return Verdict(query_id, lang, grade, outcome, "", judge, "hash")


def write_run_folder(
    path: Path, grades: Sequence[int | None], *, reader: str = "r", data: str = "data", judge: str = "offline"
) -> RunFolder:
    """A finished English run with the queries q1, q2, …, all answerable, and its grades."""
    folder = RunFolder(path)
    ids = [f"q{number}" for number, _ in enumerate(grades, start=1)]
    parts = {name: {"kind": "fake", "model": ""} for name in ("embedder", "reranker", "retriever")}
    config = {
        "data": {"name": "tiny", "version": "1", "hash": data},
        "system": {**parts, "reader": {"kind": "fake", "model": reader}, "seed": 0},
        "judge": {"kind": judge, "model": "", "name": judge},
        "expected": {"en": {"answerable": len(ids), "unanswerable": 0}},
    }
    write_json(folder.config_file, config)
    write_jsonl(folder.answers_file, [run_answer_to_row(answered(name, "It is blue.")) for name in ids])
    rows = [verdict_to_row(verdict(name, grade, judge=judge)) for name, grade in zip(ids, grades, strict=True)]
    write_jsonl(folder.verdicts_file, rows)
    write_jsonl(folder.timings_file, [{"lang": "en", "query_id": name, "seconds": 0.5} for name in ids])
    write_json(folder.metrics_file, {})
    return folder


def between_fences(prompt: str, label: str) -> str:
    """What stands in a judge's prompt behind the line with this label, up to the next line of the fence."""
    fence = next(line.split()[0] for line in prompt.splitlines() if line.startswith("=====") and " " in line)
    return prompt.split(f"\n{fence} {label}\n", 1)[1].split(f"\n{fence} ", 1)[0]


SOUND_GRADES = {
    "reference": 5, "paraphrase": 4, "number": 2, "neighbour": 1, "abstention": 0, "empty": 1, "language": 4,
}  # fmt: skip


def sound_reply(request: dict[str, Any], **grades: int) -> Scripted:
    """What a sound judge says to the hand-written controls; `grades` changes kinds, everything else gets a 3."""
    prompt = request["messages"][1]["content"]
    question, answer = (between_fences(prompt, label).strip() for label in ("QUESTION", "ANSWER TO GRADE"))
    for control in written_controls(written_languages()):
        if (control.item.query.text, control.answer) == (question, answer):
            return Scripted(f"Feedback: a control. [RESULT] {(SOUND_GRADES | grades)[control.kind]}")
    return Scripted("Feedback: fine. [RESULT] 3")


def checking_reply(request: dict[str, Any]) -> Scripted:
    """What a sound checker says to the separate questions: of several texts the first holds, the others do not."""
    prompt = request["messages"][1]["content"]
    numbers = {label: len(re.findall(rf"^=====\w+ {label} \d+$", prompt, re.MULTILINE)) for label in _LABELS}

    def rows(label: str, key: str, first: str, other: str) -> list[dict[str, Any]]:
        places = range(1, numbers[label] + 1)
        return [{label.lower(): place, key: first if place == 1 else other} for place in places]

    if numbers["FACT"]:
        said: dict[str, Any] = {"facts": rows("FACT", "label", "support", "not_support")}
    elif "reference answer, cut into" in prompt:
        said = {"passages": rows("PASSAGE", "useful", "yes", "no")}
        said["sentences"] = rows("SENTENCE", "attributable", "yes", "no")
    else:
        sentences = rows("SENTENCE", "support", "supported" if numbers["PASSAGE"] else "not", "not")
        placed = [{**row, "passage": int(row["support"] == "supported")} for row in sentences]
        said = {"sentences": placed, "abstains": "no", "in_language": "yes"}
    return Scripted(json.dumps(said))


_LABELS = ("FACT", "PASSAGE", "SENTENCE")


def prompt_of(request: Request) -> str:
    """What the user says first in a request."""
    return next(str(message["content"]) for message in request.messages if message["role"] == "user")


def task_of(request: Request) -> str:
    """The task that a prompt of the builder names."""
    return prompt_of(request).partition("\n")[0].removeprefix("Task: ")


@dataclass
class ChangedBackend(Backend):
    """The builder's scripted model, whose replies `change(task, reply, how often this was asked before)` alters."""

    change: Callable[[str, str, int], str | Reply] = lambda task, reply, before: reply
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)

    def open(self, session: LLMSession, model: str = "", planned: PlannedCalls | None = None) -> Model:
        return _ChangedModel(super().open(session, model, planned), self)

    def n_asked(self, task: str) -> int:
        """How many requests of a task there were, repairs included."""
        return sum(count for (one, _), count in self.asked.items() if one == task)


@dataclass
class _ChangedModel:
    model: Model
    backend: ChangedBackend
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.model.name

    def key(self, request: Request) -> str:
        return self.model.key(request)

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        task = task_of(request)
        before = self.backend.asked[task, self.key(request)]
        self.backend.asked[task, self.key(request)] += 1
        reply = await self.model.complete(request, accept)
        changed = self.backend.change(task, reply.text, before)
        return changed if isinstance(changed, Reply) else replace(reply, text=changed)


class KeptTraces(list[Trace]):
    """Keeps traces in memory."""

    def sync(self) -> None:
        """Nothing is on disk."""


class NegativeRetriever(ListRetriever):
    """Returns the indexed chunks worst first, with scores below 0, the first chunk's nearest to it."""

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        return [Hit(hit.chunk, -float(hit.rank), 1) for hit in reversed(super().retrieve(query, 10**6))]


class CannedModel:
    """A model of the builder that has a reply for each task, or one for all.

    A reply is a JSON object, a text, a `Reply`, a failure, a list of these that is gone through (the last stays), or a
    function of the request that returns one. `requests` are kept; `accepted` is what was made of the last reply.
    """

    def __init__(self, replies: Mapping[str, Any] | Sequence[Any] | Callable[[Request], Any], name: str = "canned"):
        by_task = replies if isinstance(replies, Mapping) else {"": replies}
        self.name = name
        self.requests: list[Request] = []
        self.accepted = False
        self.replies = {task: list(reply) if isinstance(reply, list) else [reply] for task, reply in by_task.items()}

    def key(self, request: Request) -> str:
        return request_key(self.name, request)

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        self.requests.append(request)
        replies = self.replies["" if "" in self.replies else task_of(request)]
        said = replies.pop(0) if len(replies) > 1 else replies[0]
        said = said(request) if callable(said) else said
        if isinstance(said, CallFailed):
            raise said
        if not isinstance(said, Reply):
            said = Reply(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))
        self.accepted = accept(said)
        return said

    def tasks(self) -> list[str]:
        """The tasks of the requests."""
        return [task_of(request) for request in self.requests]

    def prompts(self, task: str) -> list[str]:
        """All that was said to the model in the requests of a task, one text a request."""
        return [
            "\n".join(message["content"] for message in one.messages) for one in self.requests if task_of(one) == task
        ]


@dataclass
class CannedBackend(Backend):
    """Opens canned models by the names of the settings; the backend's own has the name ""."""

    models: Mapping[str, CannedModel] = field(default_factory=dict)

    def open(self, session: LLMSession, model: str = "", planned: PlannedCalls | None = None) -> CannedModel:
        return self.models[model]
