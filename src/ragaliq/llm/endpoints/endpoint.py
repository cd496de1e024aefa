"""Where a model is served, and the secret that opens it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from ragaliq.errors import ConfigError
from ragaliq.llm.endpoints.call_options import DEFAULT_OPTIONS, CallOptions
from ragaliq.llm.endpoints.environment import environment, headers_from_env, is_header_value
from ragaliq.storage.redaction import redact

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_USER = re.compile(r"//[^/\s@]*@")
# Local servers are given tokens such as `x` or `none`, which are parts of ordinary words.
_SHORTEST_SECRET = 6
_PORTS = {"http": 80, "https": 443}
_JUDGES = ("judge", "check")
_OFFICIAL = ("OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT")
_OTHERS = ", nor is OPENAI_API_KEY or AZURE_OPENAI_ENDPOINT"
_OPENAI = "https://api.openai.com/v1"
_OPENAI_HEADERS = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}
_AZURE_VERSIONS = ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION")


class Service(StrEnum):
    """How an endpoint wants to be addressed."""

    OPENAI = "openai"
    AZURE = "azure"
    AZURE_AD = "azure_ad"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served. What may be secret is in no text form of the record.

    Attributes:
        link: address that the paths of calls are put behind.
        model: the model's name there; of Azure, the deployment's.
        token: of the kind that the service takes.
        service: how it is addressed.
        api_version: of Azure; empty elsewhere.
        headers: further headers of every request.
        client: the user's own `AsyncOpenAI` or `AsyncAzureOpenAI`, which then decides on all but the model.
        variable: what names the link.
        sent: values of headers that this client has sent, which may be secret.
    """

    link: str
    model: str
    token: str = field(repr=False)
    service: Service = Service.OPENAI
    api_version: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    client: AsyncOpenAI | None = field(default=None, repr=False)
    variable: str = field(default="base_url of the client", compare=False)
    sent: set[str] = field(default_factory=set, repr=False, compare=False)

    @property
    def address(self) -> str:
        """The link as the cache of replies knows it; empty where nothing is called."""
        return plain_address(self.link)

    def clean(self, text: str) -> str:
        """Return a text as one short line without secrets, neither the endpoint's nor those of the environment."""
        return redact(self.masked(" ".join(text.split())))[:500]

    def masked(self, text: str) -> str:
        """Return a text without the token and what the link may hold of secrets."""
        return mask(_USER.sub("//***@", text), self._secrets()) if text else text

    def _secrets(self) -> set[str]:
        parts = urlsplit(self.link)
        values = [self.token, parts.username, parts.password, parts.query, *(value for _, value in self.headers)]
        values += [*self.sent, *(value for _, value in parse_qsl(parts.query))]
        return {form for value in values if value for form in (value, unquote(value), quote(value, safe=""))}


def mask(text: str, secrets: Iterable[str]) -> str:
    """Return a text with `***` for each secret of at least six characters; shorter ones stand in ordinary words."""
    # The longest first: a shorter one may be a part of it.
    for secret in sorted({one for one in secrets if len(one) >= _SHORTEST_SECRET}, key=lambda one: (-len(one), one)):
        text = text.replace(secret, "***")
    return text


def read_endpoint(
    role: str,
    model: str,
    options: CallOptions = DEFAULT_OPTIONS,
    planned: bool = False,
    client: AsyncOpenAI | None = None,
) -> Endpoint:
    """Return the endpoint of a role from the environment, or from `.env` in the working directory.

    Judge and check take `TOKEN`, `JUDGE_API_LINK` and, without `model`, `JUDGE_MODEL`; all others take `READER_TOKEN`
    and `READER_API_LINK`, which fall back to the judge's. Where none of these links and tokens is set, the variables of
    the official client count: `OPENAI_API_KEY` and `OPENAI_BASE_URL`, else `AZURE_OPENAI_ENDPOINT`,
    `AZURE_OPENAI_API_KEY` or `AZURE_OPENAI_AD_TOKEN`, and `OPENAI_API_VERSION`; none of them is used beside the others.
    Real variables win over `.env`.

    Args:
        role: `judge`, `check`, `reader`, `reranker` or `embedder`.
        model: the model's name at the endpoint.
        options: the component's; its headers count here.
        planned: nothing will be called, so link and token may be missing.
        client: the user's own `AsyncOpenAI` or `AsyncAzureOpenAI`, in place of the environment.

    Raises:
        ConfigError: naming the variable that is missing.
    """
    values = environment()
    if not model and role not in _JUDGES:
        raise ConfigError(f"{role} 'openai': name its model, as in openai:MODEL")
    if client is not None:
        key = client.api_key
        called = Endpoint(str(client.base_url), "", key if isinstance(key, str) else "", client=client)
    else:
        called = _in_environment(role, values, planned)
    if planned:
        # The address alone, where there is one: it decides which replies are cached.
        called = Endpoint(called.link if is_link(called.link) else "", "", "")
    else:
        _check(called, role)
    more = {} if planned else headers_from_env(options.headers_from_env, f"{role} 'openai'")
    name = model or _first(role, values, "JUDGE_MODEL")
    return replace(called, model=name, headers=(*called.headers, *more.items()))


def _in_environment(role: str, values: Mapping[str, str], planned: bool) -> Endpoint:
    """Return the endpoint that variables name, without its model; with `planned`, a value that is not set is empty."""

    def first(*names: str) -> str:
        return _first(role, {**dict.fromkeys(names[-1:], ""), **values} if planned else values, *names)

    tokens: tuple[str, ...] = ("TOKEN",)
    links: tuple[str, ...] = ("JUDGE_API_LINK",)
    if role not in _JUDGES:
        tokens, links = ("READER_TOKEN", *tokens), ("READER_API_LINK", *links)
    # A key is never sent to the link of another service.
    if not any(name in values for name in (*tokens, *links)):
        if "OPENAI_API_KEY" in values:
            return Endpoint(
                values.get("OPENAI_BASE_URL", _OPENAI), "", values["OPENAI_API_KEY"],
                headers=_openai_headers(values), variable="OPENAI_BASE_URL",
            )  # fmt: skip
        if "AZURE_OPENAI_ENDPOINT" in values:
            service = Service.AZURE_AD if "AZURE_OPENAI_AD_TOKEN" in values else Service.AZURE
            token = first("AZURE_OPENAI_AD_TOKEN", "AZURE_OPENAI_API_KEY")
            version, variable = first(*_AZURE_VERSIONS), "AZURE_OPENAI_ENDPOINT"
            return Endpoint(values[variable], "", token, service, version, variable=variable)
        return Endpoint("", "", "") if planned else _refuse(role, tokens, _OTHERS)
    if not planned and not any(name in values for name in tokens) and set(values) & set(_OFFICIAL):
        _refuse(role, tokens, f" (OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT count only without {' and '.join(links)})")
    token = first(*tokens)
    return Endpoint(first(*links), "", token, variable=next((name for name in links if name in values), links[-1]))


def _openai_headers(values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the headers that the official client's variables name; of the last one each line is `NAME: VALUE`."""
    lines = [line.partition(":") for line in values.get("OPENAI_CUSTOM_HEADERS", "").splitlines()]
    named = [(header, values[name]) for name, header in _OPENAI_HEADERS.items() if name in values]
    return (*named, *((name.strip(), value.strip()) for name, colon, value in lines if colon))


def _first(role: str, values: Mapping[str, str], *names: str) -> str:
    for name in names:
        if name in values:
            return values[name]
    return _refuse(role, names)


def _refuse(role: str, names: Iterable[str], note: str = "") -> NoReturn:
    raise ConfigError(f"{role} 'openai': {' or '.join(names)} is not set{note}; put it into .env or the environment")


def _check(endpoint: Endpoint, role: str) -> None:
    if not is_link(endpoint.link):
        # The value is not shown: a token may have got into the wrong line.
        raise ConfigError(f"{role} 'openai': the API link is no http:// or https:// address; check {endpoint.variable}")
    for name, value in endpoint.headers:
        if not re.fullmatch(r"[A-Za-z0-9-]+", name) or not is_header_value(value):
            raise ConfigError(f"{role} 'openai': the variables of the endpoint's headers hold one that cannot be")
    if not is_header_value(endpoint.token):
        raise ConfigError(
            f"{role} 'openai': the token holds characters that no token has; put yours in place of the example"
        )


def plain_address(link: str) -> str:
    """Return a link in the one form that every spelling of it has, without user, password, query and fragment.

    Scheme and host are in small letters; the scheme's own port and slashes at the end are left out.
    """
    parts = urlsplit(link)
    if not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def is_link(text: str) -> bool:
    """Return whether a text is an http:// or https:// address with a host."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
