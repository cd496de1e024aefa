"""A loopback server with the batch endpoint of an OpenAI-compatible service: files, batches, and chats one by one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

# What becomes of a request in a batch: a status and a body, None for a row that is left out, "expired" for one that
# is not done in time, or an error row without a response.
Row = tuple[int, dict[str, Any]] | str | None


def chat(text: str) -> dict[str, Any]:
    """A chat completion."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    head = {"id": "c", "object": "chat.completion", "created": 0, "model": "m"}
    return {**head, "choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage}


@dataclass
class BatchServer:
    """What the server has seen, and how it behaves.

    Attributes:
        row: says what becomes of a request, by its body and how often it was in a batch before.
        polls: how often a batch is looked at before it ends.
        refuses: why every batch fails at once; empty for none.
        held: batches never end as long as this is true.
    """

    row: Callable[[dict[str, Any], int], Row]
    polls: int = 1
    refuses: str = ""
    held: bool = False
    link: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    batches: list[dict[str, Any]] = field(default_factory=list)
    chats: list[dict[str, Any]] = field(default_factory=list)
    submitted: list[list[str]] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    looks: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, content: bytes) -> dict[str, Any]:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return {"id": name, "object": "file", "bytes": len(content), "created_at": 0, "filename": "batch.jsonl",
                "purpose": "batch", "status": "processed"}  # fmt: skip

    def create(self, asked: dict[str, Any]) -> dict[str, Any]:
        lines = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        assert all(line["url"] == asked["endpoint"] == "/v1/chat/completions" for line in lines)
        ids = [line["custom_id"] for line in lines]
        assert len(ids) == len(set(ids))
        self.submitted.append(ids)
        batch = {
            "id": f"batch_{len(self.batches)}", "object": "batch", "endpoint": asked["endpoint"], "created_at": 0,
            "completion_window": "24h", "input_file_id": asked["input_file_id"], "status": "validating",
            "metadata": asked.get("metadata"), "output_file_id": None, "error_file_id": None, "errors": None,
            "request_counts": {"total": len(ids), "completed": 0, "failed": 0},
        }  # fmt: skip
        self.batches.append(batch)
        return batch

    def look(self, name: str) -> dict[str, Any]:
        batch = next(batch for batch in self.batches if batch["id"] == name)
        self.looks[name] = self.looks.get(name, 0) + 1
        if batch["status"] in ("validating", "in_progress") and not self.held and self.looks[name] > self.polls:
            self._end(batch)
        elif batch["status"] == "validating":
            batch["status"] = "in_progress"
        return batch

    def _end(self, batch: dict[str, Any]) -> None:
        if self.refuses:
            error = {"code": "invalid", "message": self.refuses, "line": 1, "param": None}
            batch |= {"status": "failed", "errors": {"object": "list", "data": [error]}}
            return
        good: list[dict[str, Any]] = []
        bad: list[dict[str, Any]] = []
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        expired = False
        for line in lines:
            key = line["custom_id"]
            made = self.row(line["body"], self.seen.get(key, 0))
            self.seen[key] = self.seen.get(key, 0) + 1
            row: dict[str, Any] = {"id": f"r-{key}", "custom_id": key, "response": None, "error": None}
            if isinstance(made, tuple):
                row["response"] = {"status_code": made[0], "request_id": "r", "body": made[1]}
                (good if made[0] == 200 else bad).append(row)
            elif made is not None:
                expired |= made == "batch_expired"
                row["error"] = {"code": made, "message": f"This request failed: {made}."}
                bad.append(row)
        # In any order.
        Random(len(lines)).shuffle(good)
        batch["output_file_id"] = self._file(good)
        batch["error_file_id"] = self._file(bad)
        batch["status"] = "expired" if expired else "completed"
        batch["request_counts"] |= {"completed": len(good), "failed": len(bad)}

    def _file(self, rows: list[dict[str, Any]]) -> str | None:
        if not rows:
            return None
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return str(self.keep(text.encode())["id"])


@contextmanager
def batch_server(state: BatchServer) -> Iterator[BatchServer]:
    """Serve until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            path = self.path.partition("?")[0].removeprefix("/v1")
            with state.lock:
                if path == "/batches":
                    self._json({"object": "list", "data": state.batches[::-1], "has_more": False})
                elif path.startswith("/batches/"):
                    self._json(state.look(path.split("/")[2]))
                elif path.endswith("/content"):
                    self._send(200, state.files[path.split("/")[2]])
                else:
                    self._json({"object": "list", "data": []})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            with state.lock:
                if self.path == "/v1/files":
                    head = b"Content-Type: " + self.headers["content-type"].encode() + b"\r\n\r\n"
                    parts = BytesParser().parsebytes(head + body).get_payload()
                    (content,) = (
                        part.get_payload(decode=True) for part in parts  # type: ignore[union-attr]
                        if part.get_filename()  # type: ignore[union-attr]
                    )  # fmt: skip
                    self._json(state.keep(content))  # type: ignore[arg-type]
                elif self.path == "/v1/batches":
                    self._json(state.create(json.loads(body)))
                else:
                    asked = json.loads(body)
                    state.chats.append(asked)
                    made = state.row(asked, 0)
                    assert isinstance(made, tuple)
                    self._send(made[0], json.dumps(made[1]).encode())

        def _json(self, value: Any) -> None:
            self._send(200, json.dumps(value).encode())

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def handle(self) -> None:
            # A client that was killed is no error of the test.
            with suppress(OSError, ValueError):
                super().handle()

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.link = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
