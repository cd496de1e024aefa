"""The parts of a chatbot: those that a user gives, those of its configuration, and what each is called."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ragaliq.components import adapt, make
from ragaliq.config import Component, RunConfig
from ragaliq.errors import InputError
from ragaliq.execution.carry_out import wait_for
from ragaliq.llm import LLMSession
from ragaliq.read import Reader
from ragaliq.rerank import Reranker
from ragaliq.retrieve import Embedder, Retriever, Side
from ragaliq.retrieve.embed.rows import check_rows, unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Stage of the configuration → the methods of a chatbot that do its work.
STAGE_METHODS = {
    "embedder": ("embed", "answer"),
    "retriever": ("retrieve", "answer"),
    "reranker": ("rerank", "answer"),
    "reader": ("read", "answer"),
}
# Retrievers, and channels of one, that take no vectors.
_WITHOUT_VECTORS = {"bm25", "char", "sparse", "none", "gold", "words", "chars"}
Embed = Callable[[Sequence[str], Side], Any]


class ChatbotParts(NamedTuple):
    """The parts of a chatbot, by stage; a retriever that a user gives brings its own embedder."""

    embedder: Embedder | None
    retriever: Retriever
    reranker: Reranker
    reader: Reader


def make_parts(
    config: RunConfig,
    given: Mapping[str, Any],
    session: LLMSession,
    index_dir: Path | None,
    embed: Embed | None = None,
) -> ChatbotParts:
    """Return the parts: those `given`, by stage, and for the others those of the configuration.

    The retriever gets `embed` in the place of the embedder's method, if there is one.
    """
    context = {"seed": config.seed, "sampling": config.sampling, "index_dir": index_dir, "session": session}

    def part(stage: str, **more: Any) -> Any:
        if stage in given:
            return adapt(stage, given[stage])
        return make(stage, getattr(config, stage), **context, **more)

    embedder = None if "retriever" in given else part("embedder")
    retriever = part("retriever", embedder=embedder if embed is None else _EmbedMethod(embed))
    return ChatbotParts(embedder, retriever, part("reranker"), part("reader"))


def check_embed(retriever: Component, given: Mapping[str, Any]) -> None:
    """Check that a chatbot's own `embed` makes vectors for its retriever.

    Raises:
        InputError: if the retriever of the configuration takes none, or was given with an embedder of its own.
    """
    channels = retriever.options.get("channels") or [str(retriever)]
    kinds = {Component.parse(channel, "retriever: option 'channels'").kind for channel in channels}
    if "retriever" in given or kinds <= _WITHOUT_VECTORS:
        name = type(given["retriever"]).__name__ if "retriever" in given else f"'{retriever}'"
        raise InputError(
            f"embed: has no effect, since the retriever {name} takes no vectors from the chatbot; leave `embed` out, "
            "or take the retriever 'hybrid' or 'dense'"
        )


def import_path(part: object) -> str:
    """Return `module:name` of a function or class, or of an object's class."""
    named: Any = part if hasattr(part, "__qualname__") else type(part)
    return f"{named.__module__}:{named.__qualname__}"


class _EmbedMethod:
    """A chatbot's own `embed` as an embedder. Its vectors are in no cache: nothing names what decides them."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return the vectors at unit length.

        Raises:
            InputError: if they are not one row of numbers for each text.
        """
        rows = self._embed(texts, side)
        if inspect.isawaitable(rows):
            rows = wait_for(_result(rows))
        return unit_rows(check_rows(rows, len(texts), "embed"))


async def _result(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
