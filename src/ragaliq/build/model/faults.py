"""Injected faults: a model that refuses, breaks off, mislabels, forgets or fails, to test how a build copes."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ragaliq.build.model import Model
from ragaliq.build.model.recorded import keep_trace
from ragaliq.errors import ConfigError, nearest
from ragaliq.judge.parse import read_object
from ragaliq.llm import CallFailed, FaultKind, LLMSession, Reply, Request

_FAILURES = {
    "429": (FaultKind.RATE_LIMIT, "HTTP 429: on purpose"),
    "500": (FaultKind.SERVER, "HTTP 500: on purpose"),
    "timeout": (FaultKind.TIMEOUT, "no reply in time: on purpose"),
}
_LABELS = ("label", "importance")
_CYRILLIC = re.compile("[а-я]")
_RUSSIAN = "Это предложение написано на другом языке, чем просили, и потому никуда не годится."
_ENGLISH = "This sentence is written in another language than the one that was asked for."


@dataclass(frozen=True, slots=True)
class Faults:
    """Share of the requests that each kind of fault hits, and the seed that chooses them."""

    shares: Mapping[str, float]
    seed: int = 0

    def of(self, key: str) -> str:
        """Return the fault that hits a request; empty for none."""
        digest = hashlib.sha256(f"{self.seed}\0{key}".encode()).digest()
        place = int.from_bytes(digest[:8]) / 2**64
        for kind, share in self.shares.items():
            if place < share:
                return kind
            place -= share
        return ""


def parse_faults(spec: str) -> Faults:
    """Return the faults in a text such as `refusal=.1,500=.05,seed=3`; `all=.2` divides a share among all kinds.

    Raises:
        ConfigError: if a kind is unknown, a share is none, or they sum to more than 1.
    """
    shares: dict[str, float] = {}
    seed = 0
    for part in filter(None, (part.strip() for part in spec.split(","))):
        kind, _, text = part.partition("=")
        if kind not in (*KINDS, "all", "seed"):
            raise ConfigError(f"--faults: unknown kind '{kind}'; {nearest(kind, [*KINDS, 'all', 'seed'])}")
        try:
            value = float(text)
        except ValueError:
            raise ConfigError(f"--faults: '{part}' is not KIND=SHARE, as in refusal=.1") from None
        if kind == "seed":
            if not value.is_integer():
                raise ConfigError(f"--faults: '{part}': a seed is a whole number")
            seed = int(value)
        else:
            shares.update({one: value / len(KINDS) for one in KINDS} if kind == "all" else {kind: value})
    if not all(share >= 0 for share in shares.values()) or sum(shares.values()) > 1 + 1e-9:
        raise ConfigError(f"--faults '{spec}': shares are at least 0 and sum to at most 1")
    return Faults(dict(sorted(shares.items())), seed)


class FaultyModel:
    """A model that spoils its first reply to a share of the questions; asked again, it replies correctly."""

    def __init__(self, model: Model, faults: Faults, session: LLMSession) -> None:
        """Take the model, the faults to inject, and the session that keeps the traces."""
        self.name = model.name
        self._model, self._faults, self._session = model, faults, session
        self._asked: Counter[str] = Counter()

    def key(self, request: Request) -> str:
        """Return the model's key."""
        return self._model.key(request)

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        """Return the model's reply, or what a fault makes of it.

        Raises:
            CallFailed: where that is the fault.
        """
        key = self.key(request)
        self._asked[key] += 1
        repaired = any(message["role"] == "assistant" for message in request.messages)
        kind = "" if repaired or self._asked[key] > 1 else self._faults.of(key)
        if not kind:
            return await self._model.complete(request, accept)
        if kind in _FAILURES:
            failure = CallFailed(*_FAILURES[kind], attempts=1)
            keep_trace(self._session, self.name, request, failure)
            raise failure
        # A spoilt reply must not be cached; the trace shows the reply that the build got.
        reply = _SPOILT[kind](await self._model.complete(request, lambda _: False))
        keep_trace(self._session, self.name, request, reply)
        return reply


def _refused(reply: Reply) -> Reply:
    return replace(reply, text="I cannot help with that.", refused=True)


def _cut(reply: Reply) -> Reply:
    return replace(reply, text=reply.text[: len(reply.text) // 2], finish_reason="length")


def _broken(reply: Reply) -> Reply:
    return replace(reply, text=reply.text[: len(reply.text) * 2 // 3])


def _changed(reply: Reply, change: Callable[[Any], Any]) -> Reply:
    value = read_object(reply.text)
    return reply if value is None else replace(reply, text=json.dumps(change(value), ensure_ascii=False))


def _relabelled(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _relabelled(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_relabelled(inner, key) for inner in value]
    # Scores off the scale, unknown labels, passages that were not shown.
    return "maybe" if key in _LABELS else 98 if type(value) is int else value


def _translated(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _translated(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_translated(inner, key) for inner in value]
    if not isinstance(value, str) or not value or key in _LABELS:
        return value
    return _ENGLISH if _CYRILLIC.search(value) else _RUSSIAN


def _shortened(value: Any, key: str = "") -> Any:
    """Leave out the last entry of a list that must be complete: the cells of a judgement."""
    if isinstance(value, dict):
        return {name: _shortened(inner, name) for name, inner in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict) and "label" in value[0]:
        return value[:-1]
    return [_shortened(inner, key) for inner in value] if isinstance(value, list) else value


_SPOILT: dict[str, Callable[[Reply], Reply]] = {
    "refusal": _refused,
    "truncated": _cut,
    "broken": _broken,
    "label": lambda reply: _changed(reply, _relabelled),
    "language": lambda reply: _changed(reply, _translated),
    "missing": lambda reply: _changed(reply, _shortened),
}
KINDS = (*_FAILURES, *_SPOILT)
