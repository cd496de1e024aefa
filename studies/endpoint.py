"""Starting the local endpoint, and reading what it counted."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_SERVER = Path(__file__).resolve().with_name("server.py")


@dataclass(frozen=True, slots=True)
class Local:
    """A running endpoint; `link` is what an OpenAI-compatible client takes."""

    root: str

    @property
    def link(self) -> str:
        """The address of the API."""
        return f"{self.root}/v1"

    def reset(self) -> None:
        """Set all counts to zero, and fill the bucket of the rate limit."""
        with urllib.request.urlopen(urllib.request.Request(f"{self.root}/reset", method="POST")):
            pass

    def stats(self) -> dict[str, float]:
        """Return the counts since the last reset."""
        with urllib.request.urlopen(f"{self.root}/stats") as reply:
            counts: dict[str, float] = json.load(reply)
        return counts


@contextmanager
def endpoint(**options: object) -> Iterator[Local]:
    """Serve in a process of its own until the block ends; the options are those of `server.py`."""
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    server = subprocess.Popen([sys.executable, str(_SERVER), *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield Local(f"http://127.0.0.1:{int(server.stdout.readline())}")
    finally:
        server.terminate()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()
