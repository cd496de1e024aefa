"""What the commands that serve a page have in common."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from ragaliq.cli.options import tell

if TYPE_CHECKING:
    from ragaliq.execution.loopback import LoopbackServer


def add_serving(parser: argparse.ArgumentParser) -> None:
    """Declare where a page is served, and whether it is opened."""
    add = parser.add_argument
    add("--port", type=_port, default=0, metavar="N", help="port of the page on 127.0.0.1 (default: a free one)")
    add("--no-browser", action="store_true", help="print the page's address without opening it")


def serve(server: LoopbackServer, open_browser: bool) -> None:
    """Serve a page until Ctrl-C, which is raised here."""
    print(server.url, flush=True)
    tell(["the page is open to this machine alone; Ctrl-C ends"])
    if open_browser and _has_display():
        import threading
        import webbrowser

        # A browser may keep its caller until it is closed.
        threading.Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
    server.serve_forever(poll_interval=0.2)


def _has_display() -> bool:
    """Return whether a browser has a window: one in this terminal would only be in the way."""
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _port(text: str) -> int:
    """Read a port; 0 means a free one."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port from 0 to 65535 is expected, not '{text}'")
    return int(text)
