"""The official client of an endpoint, over the connections of this command."""

from __future__ import annotations

from collections.abc import AsyncIterator, Set
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx2

from ragaliq.llm.connections.bounded import read_bounded
from ragaliq.llm.connections.transport import proxy_of, trusted
from ragaliq.llm.endpoints.endpoint import Endpoint, Service

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession
    from openai import AsyncOpenAI

# Headers of every request; the client adds those of variables for another host, and some that describe the machine.
_SENT = frozenset({"accept", "accept-encoding", "content-type", "user-agent"})
# What no longer holds for a body that is decompressed.
_OF_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")
_BLOCK = 2**14


def official_client(endpoint: Endpoint, connections: ClientSession) -> AsyncOpenAI:
    """Return the client of an endpoint; the user's own client keeps its connections, and gets bounded replies.

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
        "http_client": _Bounded(_over(connections, {name.lower() for name in headers})),
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
    inner = theirs._client if chosen else _over(connections)
    headers = dict(endpoint.headers)
    return theirs.with_options(http_client=_Bounded(inner), max_retries=0, timeout=None, default_headers=headers)


def _over(connections: ClientSession, sent: Set[str] = frozenset()) -> httpx2.AsyncClient:
    """Return a client over the connections; with `sent`, it sends no headers but these and those of `_SENT`."""
    # With cookies an answer might depend on what was asked before.
    none = CookieJar(DefaultCookiePolicy(allowed_domains=()))
    return httpx2.AsyncClient(transport=_AiohttpTransport(connections, sent and _SENT | sent), cookies=none)


class _Bounded(httpx2.AsyncClient):
    """Another client whose replies are read in blocks, up to the bound, before anybody looks at them."""

    def __init__(self, inner: httpx2.AsyncClient) -> None:
        super().__init__(transport=httpx2.AsyncBaseTransport())
        self._inner = inner

    def build_request(self, *args: Any, **options: Any) -> httpx2.Request:
        """Build a request with the headers and cookies of the other client."""
        return self._inner.build_request(*args, **options)

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request, and return the whole reply.

        Raises:
            ReplyTooLong: if it does not end within the bound.
        """
        try:
            response = await self._inner.send(request, stream=True, **options)
        except RuntimeError as error:
            # A connection that a command before left open: its event loop is gone.
            raise httpx2.ReadError(str(error)) from error
        try:
            body = await read_bounded(response.aiter_bytes())
        finally:
            await response.aclose()
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_WIRE]
        return type(response)(response.status_code, headers=headers, content=body, request=request)


class _AiohttpTransport(httpx2.AsyncBaseTransport):
    """Sends requests over the connections of the command.

    The transport that comes with the client keeps cookies, follows what the environment says of proxies only when it is
    made, and opens connections of its own for every endpoint.
    """

    def __init__(self, connections: ClientSession, sent: Set[str]) -> None:
        """Take the connections, and the names of the headers that are sent, if not all are."""
        self._connections = connections
        self._sent = sent

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        import aiohttp

        # aiohttp refuses a user in the address beside the header that is made of it.
        url = str(request.url.copy_with(username=None, password=None))
        headers = {name: value for name, value in request.headers.items() if not self._sent or name in self._sent}
        try:
            response = await self._connections.request(
                request.method, url, data=request.content or None, headers=headers, proxy=proxy_of(url),
                timeout=aiohttp.ClientTimeout(), allow_redirects=False, auto_decompress=False,
                ssl=trusted() if request.url.scheme == "https" else True,
            )  # fmt: skip
        except aiohttp.ClientConnectorError as error:
            raise httpx2.ConnectError(f"{type(error).__name__}: {error}") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise httpx2.ReadError(f"{type(error).__name__}: {error}") from error
        return httpx2.Response(response.status, headers=response.raw_headers, stream=_Stream(response))


class _Stream(httpx2.AsyncByteStream):
    """The body of a reply, as it arrives."""

    def __init__(self, response: ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        import aiohttp

        try:
            async for block in self._response.content.iter_chunked(_BLOCK):
                yield block
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise httpx2.ReadError(f"{type(error).__name__}: {error}") from error

    async def aclose(self) -> None:
        # One that was not read to its end cannot be used again.
        self._response.release() if self._response.content.at_eof() else self._response.close()
