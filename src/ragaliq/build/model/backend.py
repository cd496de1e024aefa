"""Backends by name: `openai:MODEL`, `scripted`, `replay:FILE`, recorded with `--record`, spoilt with `--faults`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from ragaliq.build.model import Model
from ragaliq.build.model.faults import FaultyModel, parse_faults
from ragaliq.build.model.planned import PlannedCalls, PlannedModel
from ragaliq.build.model.recorded import RECORDED, Recorder, ReplayModel
from ragaliq.build.model.scripted import NAME as SCRIPTED
from ragaliq.build.model.scripted import ScriptedModel
from ragaliq.errors import ConfigError, nearest
from ragaliq.llm import DEFAULT_OPTIONS, CallOptions, LLMClient, LLMSession, Reply, Request
from ragaliq.storage.foreign import is_rows_of, refuse_foreign
from ragaliq.storage.journal import Journal
from ragaliq.storage.redaction import redact

BACKENDS = ("openai", "replay", SCRIPTED)
ROLE = "builder"


@dataclass(slots=True)
class Backend:
    """Which models a build asks.

    Attributes:
        name: `openai:MODEL`, `scripted` or `replay:FILE`.
        record: file that takes all replies, for `replay`.
        faults: the faults to inject; see `model.faults`.
        options: how an endpoint is called.
    """

    name: str = SCRIPTED
    record: Path | None = None
    faults: str = ""
    options: CallOptions = DEFAULT_OPTIONS
    _journal: Journal | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Name the journal; `recording` opens it."""
        if self.record and self.record.exists() and not self.record.is_file():
            raise ConfigError(f"--record {self.record}: not a regular file; name another one")
        if self.record:
            refuse_foreign(self.record, is_rows_of(RECORDED), "name another file with --record")
        self._journal = Journal(self.record) if self.record else None

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Keep the file of `record`, if there is one, open within the block."""
        with self._journal or nullcontext():
            yield

    def open(self, session: LLMSession, model: str = "", planned: PlannedCalls | None = None) -> Model:
        """Return a model: the backend's, or another one that the settings name, such as `openai:MODEL`.

        With `planned`, the model counts its calls there and makes none.

        Raises:
            ConfigError: if the backend is unknown, or its model, endpoint or file cannot be used.
        """
        opened = self._open(model or self.name, session)
        client = opened.client if isinstance(opened, _EndpointModel) else None
        if planned is not None:
            return PlannedModel(opened, client, planned)
        redacted = (lambda text: redact(client.endpoint.masked(text))) if client else redact
        if self.faults:
            opened = FaultyModel(opened, parse_faults(self.faults), session)
        return opened if self._journal is None else Recorder(opened, self._journal, redacted)

    def _open(self, name: str, session: LLMSession) -> Model:
        kind, _, rest = name.partition(":")
        if kind not in BACKENDS:
            raise ConfigError(f"--backend '{name}': unknown kind '{kind}'; {nearest(kind, BACKENDS)}")
        if self.name.startswith("replay:"):
            # Each model of the settings finds its own replies in a recording.
            path = Path(self.name.removeprefix("replay:"))
            return ReplayModel(path, "" if name == self.name else rest or kind, session)
        if kind == SCRIPTED:
            return ScriptedModel(session)
        if not rest:
            missing = "model" if kind == "openai" else "file"
            raise ConfigError(f"--backend '{name}': name its {missing}, as in {kind}:NAME")
        return _EndpointModel(rest, session, self.options)


class _EndpointModel:
    """A model behind an OpenAI-compatible endpoint."""

    def __init__(self, model: str, session: LLMSession, options: CallOptions) -> None:
        self.client = LLMClient(ROLE, model, session, options)
        self.name = self.client.endpoint.model

    def key(self, request: Request) -> str:
        return self.client.request_hash(request)

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        return await self.client.complete(request, accept)
