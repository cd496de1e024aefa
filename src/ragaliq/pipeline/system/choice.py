"""The system that an evaluation is of: a configuration, or a chatbot of the user's own."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Mapping
from typing import Any

from ragaliq.components import import_object
from ragaliq.config import RunConfig, as_config
from ragaliq.errors import ConfigError, RagaliqError
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.redaction import error_line

PREFIX = "python:"
System = RunConfig | Mapping[str, Any] | Chatbot | type[Chatbot]


def load_chatbot(name: str) -> Chatbot:
    """Return the chatbot that `python:module:object` names, a subclass of `Chatbot` or an instance.

    Raises:
        ConfigError: if there is none, or the class cannot be called without arguments.
    """
    path = name.removeprefix(PREFIX)
    value = import_object(path, name)
    if not isinstance(value, Chatbot) and not (inspect.isclass(value) and issubclass(value, Chatbot)):
        kind = "a class" if inspect.isclass(value) else f"of type {type(value).__name__}"
        raise ConfigError(
            f"{name}: is {kind}, not a Chatbot; a reader alone is named with --reader_model_id {PREFIX}module:object"
        )
    bot = _instance(value, name)
    bot.path = path
    return bot


def as_system(system: System) -> RunConfig | Chatbot:
    """Return a system as a configuration or as a chatbot.

    Raises:
        ConfigError: if it is neither, nor a dict, nor a subclass of `Chatbot`.
    """
    if isinstance(system, Chatbot):
        return system
    if inspect.isclass(system) and issubclass(system, Chatbot):
        return _instance(system, system.__name__)
    if isinstance(system, RunConfig | Mapping):
        return as_config(system)
    raise ConfigError(f"evaluate: a RunConfig, a dict, load_config(path) or a Chatbot is wanted, not {system!r}")


def note_changed_source(folder: RunFolder, source: str) -> None:
    """Say on stderr that the chatbot's source is another one than when a run began; its answers stay."""
    if source and folder.config_file.is_file():
        earlier = folder.config().get("chatbot_source")
        if earlier and earlier != source:
            print(
                f"note: the chatbot's source has changed since {folder} began; what it answered stays, --fresh begins "
                "anew",
                file=sys.stderr,
            )


def source_hash(bot: Chatbot) -> str:
    """Return 12 hex digits of the SHA-256 of the source of a chatbot's own classes; empty where there is none."""
    own = type(bot).__mro__[: type(bot).__mro__.index(Chatbot)]
    try:
        return hashlib.sha256("\n".join(map(inspect.getsource, own)).encode()).hexdigest()[:12] if own else ""
    except (OSError, TypeError):
        return ""


def _instance(system: Chatbot | type[Chatbot], name: str) -> Chatbot:
    if isinstance(system, Chatbot):
        bot: Chatbot = system
    else:
        try:
            bot = system()
        except RagaliqError:
            raise
        except Exception as error:  # The class is the user's own; whatever it raises is reported.
            raise ConfigError(f"{name}: {error_line(error)}; it is called without arguments") from None
    if not hasattr(bot, "session"):
        raise ConfigError(f"{name}: its __init__ does not call super().__init__()")
    return bot
