"""A real Chroma server on a free port of the loopback, which can be killed and started again."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

from ragaliq.errors import InputError
from ragaliq.retrieve.index.chroma import server_client


class ChromaServer:
    """`chroma run` and where it listens."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self.start()

    def start(self) -> None:
        program = Path(sys.executable).with_name("chroma")
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--path", str(self._folder)]
        self.process = subprocess.Popen(
            [program, "run", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(300):
            try:
                server_client(self.address)
            except InputError:
                assert self.process.poll() is None, "the server ended"
                time.sleep(0.1)
            else:
                return
        raise AssertionError("the server does not answer")

    def names(self) -> list[str]:
        return [collection.name for collection in server_client(self.address).list_collections()]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
