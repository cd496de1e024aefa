"""The official client of an endpoint, over the connections of this command."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Set
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx2

from ragaliq.llm.connections.bounded import MOST_BYTES, MOST_FILE_BYTES, read_bounded
from ragaliq.llm.connections.transport import proxy_of, trusted
from ragaliq.llm.endpoints.endpoint import Endpoint, Service

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from openai import AsyncOpenAI

# Headers of every request; the client adds those of variables for another host, and some that describe the machine.
_SENT = frozenset({"accept", "accept-encoding", "content-type", "user-agent"})
_PLAIN = _SENT | {"connection", "content-length", "host"}
# What no longer holds for a body that is decompressed.
_OF_THE_WIRE = (b"content-encoding", b"content-length", b"transfer-encoding")


def official_client(endpoint: Endpoint, connections: ClientSession) -> AsyncOpenAI:
    """Return the client of an endpoint; the user's own one gets bounded replies.

    Attempts, waits and time-outs are ours, so it tries once and waits for ever.
    """
    import openai

    if endpoint.client is not None:
        return _bounded(endpoint, connections)
    azure = endpoint.service is Service.AZURE
    token = {"api-key": endpoint.token} if azure else {"Authorization": f"Bearer {endpoint.token}"}
    headers = {**token, **dict(endpoint.headers)}
    parts = urlsplit(endpoint.link)
    # The link's query comes behind the path of each call.
    shared: dict[str, Any] = {
        "default_query": dict(parse_qsl(parts.query, keep_blank_values=True)),
        "default_headers": headers,
        "max_retries": 0,
        "timeout": None,
        "http_client": _Connected(connections, {name.lower() for name in headers}),
    }
    link = urlunsplit(parts._replace(query="", path=parts.path.rstrip("/")))
    if endpoint.service is Service.OPENAI:
        return openai.AsyncOpenAI(api_key=endpoint.token, base_url=link, **shared)
    ad = endpoint.service is Service.AZURE_AD
    return openai.AsyncAzureOpenAI(
        azure_endpoint=link, api_version=endpoint.api_version,
        api_key=None if ad else endpoint.token, azure_ad_token=endpoint.token if ad else None, **shared,
    )  # fmt: skip


def _bounded(endpoint: Endpoint, connections: ClientSession) -> AsyncOpenAI:
    """Return the user's client with bounded replies.

    Where the user chose no HTTP client, ours is used: the default one cannot be used by one command after another,
    because its connections belong to the event loop of the first.
    """
    theirs = endpoint.client
    assert theirs is not None
    chosen = type(theirs._client).__name__ != "AsyncHttpxClientWrapper"
    bounded = _Bounded(theirs._client) if chosen else _Connected(connections)
    bounded.seen = endpoint.sent
    headers = dict(endpoint.headers)
    return theirs.with_options(http_client=bounded, max_retries=0, timeout=None, default_headers=headers)


class _Bounded(httpx2.AsyncClient):
    """Another client whose replies are read in blocks, up to the bound, before anybody looks at them."""

    def __init__(self, inner: httpx2.AsyncClient) -> None:
        super().__init__(transport=httpx2.AsyncBaseTransport())
        self._inner = inner
        self.seen: set[str] = set()

    def build_request(self, *args: Any, **options: Any) -> httpx2.Request:
        """Build a request with the headers and cookies of the other client."""
        return self._inner.build_request(*args, **options)

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request, and return the whole reply.

        Raises:
            ReplyTooLong: if it does not end within the bound.
        """
        _see(request, self.seen)
        try:
            response = await self._inner.send(request, stream=True, **options)
        except RuntimeError as error:
            # A connection that a command before left open: its event loop is gone.
            raise httpx2.ReadError(str(error)) from error
        try:
            body = await read_bounded(response.aiter_bytes())
        finally:
            await response.aclose()
        return _whole(request, response.status_code, response.headers.raw, body)


class _Connected(httpx2.AsyncClient):
    """Sends requests over the connections of the command, and returns whole replies, as `_Bounded` does.

    The transport that comes with the client keeps cookies, reads what the environment says of proxies once, and opens
    connections of its own for every endpoint. With `sent`, no headers are sent but these and those of `_SENT`.
    """

    def __init__(self, connections: ClientSession, sent: Set[str] = frozenset()) -> None:
        super().__init__(transport=httpx2.AsyncBaseTransport())
        self._connections = connections
        self.seen: set[str] | None = None
        self._sent = sent and _SENT | sent

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request, and return the whole reply.

        Raises:
            ReplyTooLong: if it does not end within the bound.
        """
        import aiohttp

        # A file to be uploaded comes as a stream.
        content = await request.aread()
        url, headers = request.url, dict(request.headers)
        if self.seen is not None:
            _see(request, self.seen)
        if self._sent:
            headers = {name: value for name, value in headers.items() if name in self._sent}
        if url.userinfo:
            user = b64encode(f"{url.username}:{url.password}".encode()).decode("ascii")
            headers["authorization"] = f"Basic {user}"
            url = url.copy_with(username=None, password=None)
        link = str(url)
        try:
            async with self._connections.request(
                request.method, link, data=content or None, headers=headers, proxy=proxy_of(link),
                timeout=aiohttp.ClientTimeout(), allow_redirects=False,
                ssl=trusted() if url.scheme == "https" else True,
            ) as response:  # fmt: skip
                most = MOST_FILE_BYTES if "/files/" in url.path else MOST_BYTES
                body = await read_bounded(response.content.iter_any(), most)
                return _whole(request, response.status, response.raw_headers, body)
        except aiohttp.ClientConnectorError as error:
            refused = isinstance(error.__cause__, ConnectionRefusedError)
            why = f"connection refused by {error.host}:{error.port}" if refused else f"{type(error).__name__}: {error}"
            raise httpx2.ConnectError(why) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise httpx2.ReadError(f"{type(error).__name__}: {error}") from error


def _see(request: httpx2.Request, seen: set[str]) -> None:
    """Take note of what may be secret in the headers of a user's client; of `Bearer KEY` also the key alone."""
    for name, value in request.headers.items():
        if name not in _PLAIN and not name.startswith("x-stainless-"):
            seen.update((value, value.rpartition(" ")[2]))


def _whole(
    request: httpx2.Request, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes
) -> httpx2.Response:
    """Return a reply whose body is unpacked and at hand."""
    kept = [(name, value) for name, value in headers if name.lower() not in _OF_THE_WIRE]
    return httpx2.Response(status, headers=kept, content=body, request=request)
