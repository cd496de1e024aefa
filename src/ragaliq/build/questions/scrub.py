"""The hook that removes personal data from texts before they are written or sent."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from ragaliq.benchmark.layout import file_hash
from ragaliq.build.questions.asked_row import AskedRow
from ragaliq.components import import_object
from ragaliq.errors import ConfigError, InputError


def scrubbed(row: AskedRow, name: str) -> AskedRow:
    """Return a row without personal data, as the hook `module:function` of this name returns its texts.

    Raises:
        ConfigError: if there is no such function.
        InputError: if the hook raises or returns no text. The message names the place and never quotes the text: it may
            be what has to stay out.
    """
    if not name:
        return row
    hook = _hook(name)
    answer = row.answer and _scrubbed(hook, name, row.answer, row.where)
    return AskedRow(row.where, row.text and _scrubbed(hook, name, row.text, row.where), answer, row.lang)


def hook_hash(name: str) -> str:
    """Return the hash of the file that a hook is in, so that a changed hook counts as new; empty without a name."""
    file = inspect.getsourcefile(_hook(name)) if name else None
    return file_hash(Path(file)) if file else ""


def _hook(name: str) -> Callable[[str], str]:
    hook = import_object(name, f"questions: scrub '{name}'")
    # Nothing in the standard library removes personal data, and some of it would run a question as a command.
    if not inspect.isfunction(hook) or hook.__module__.partition(".")[0] in sys.stdlib_module_names:
        raise ConfigError(f"questions: scrub '{name}': name a Python function of yours that takes a text")
    return hook


def _scrubbed(hook: Callable[[str], str], name: str, text: str, where: str) -> str:
    try:
        result = hook(text)
    except Exception as error:  # The hook is the user's own; whatever it raises is reported.
        line = traceback.extract_tb(error.__traceback__)[-1]
        raise InputError(
            f"{where}: the hook '{name}' failed with {type(error).__name__} at {line.filename}:{line.lineno}; fix it"
        ) from None
    if not isinstance(result, str):
        raise InputError(f"{where}: the hook '{name}' returned {type(result).__name__}, not a text; fix it")
    return result.strip()
