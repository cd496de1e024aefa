"""Chroma's clients: in memory, in a folder, behind a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from ragaliq.errors import ConfigError, InputError, RagaliqError, Stopped
from ragaliq.storage.redaction import error_line

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.config import Settings

_PORT = 8000
_PATIENCE_S = 10.0


def memory_client() -> ClientAPI:
    """Return the client of this process's memory."""
    import chromadb

    return chromadb.EphemeralClient(_settings())


def folder_client(folder: Path) -> ClientAPI:
    """Return the client of a folder; Chroma keeps one for each path that it has seen in this process."""
    import chromadb

    return chromadb.PersistentClient(str(folder), _settings())


def server_client(server: str) -> ClientAPI:
    """Return the client of the server at an address that `check_address` takes.

    Raises:
        InputError: if no Chroma server answers there.
    """
    import chromadb
    import httpx

    parts = urlsplit(server)
    with answering(server, at_work=False):
        # Chroma itself would wait for ever.
        reply = httpx.get(f"{parts.scheme}://{parts.netloc}/api/v2/heartbeat", timeout=_PATIENCE_S)
        if reply.status_code != httpx.codes.OK or "heartbeat" not in reply.text:
            raise httpx.ConnectError(f"something else does, with status {reply.status_code}")
        return chromadb.HttpClient(str(parts.hostname), _port(parts), ssl=parts.scheme == "https", settings=_settings())


def check_address(server: str) -> str:
    """Return the address with its port.

    Raises:
        ConfigError: if it is none such as `http://127.0.0.1:8000`.
    """
    # What calls endpoints takes a tenth of a second to load.
    from ragaliq.llm.endpoints.endpoint import is_link

    parts = urlsplit(server if is_link(server) else "")
    if not parts.hostname or parts.username is not None or parts.path.strip("/") or parts.query or parts.fragment:
        # The value is not shown: it may hold a password.
        raise ConfigError("retriever: option 'server' is an address and no more, such as http://127.0.0.1:8000")
    host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    return f"{parts.scheme}://{host}:{_port(parts)}"


@contextmanager
def answering(server: str, at_work: bool = True) -> Iterator[None]:
    """Tell in one line that a server does not answer, or what it answers; without a server, nothing is caught.

    Raises:
        InputError: in place of what Chroma and its HTTP client raise.
        Stopped: if the server goes away when it is `at_work`, that is, has answered before.
    """
    if not server:
        yield
        return
    import httpx

    try:
        yield
    except RagaliqError:
        raise
    except httpx.TransportError as error:
        if at_work:
            raise Stopped(
                f"{server}: the Chroma server went away ({error_line(error)}); start it again, the same command goes on"
            ) from None
        raise InputError(
            f"{server}: no Chroma server answers ({error_line(error)}); start one with "
            f"`chroma run --host {urlsplit(server).hostname} --port {_port(urlsplit(server))} --path FOLDER`"
        ) from None
    except Exception as error:  # Chroma raises its own kinds and, for what it does not know, a bare Exception.
        raise InputError(f"{server}: the Chroma server fails ({error_line(error)}); see what it says itself") from None


@contextmanager
def whole(folder: Path) -> Iterator[None]:
    """Tell in one line that an index kept in a folder is damaged.

    Raises:
        InputError: in place of what Chroma raises.
    """
    from chromadb.errors import ChromaError

    try:
        yield
    except ChromaError as error:
        raise InputError(
            f"{folder}: a damaged index ({error_line(error)}); remove the folder, the same command makes it anew"
        ) from None


def _settings() -> Settings:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


def _port(parts: SplitResult) -> int:
    if parts.port is not None:
        return parts.port
    return 443 if parts.scheme == "https" else _PORT
