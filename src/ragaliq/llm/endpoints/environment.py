"""The variables of the environment and of `.env`, and headers whose values are in them."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ragaliq.errors import ConfigError

_HEADER = re.compile(r"\s*([A-Za-z0-9-]+)\s*=\s*(\w+)\s*")


def environment() -> dict[str, str]:
    """Return the variables of the environment and, where it has none of a name, of `.env` in the working directory.

    Values are without the blanks around them; a variable without a value is left out.

    Raises:
        ConfigError: if `.env` cannot be read.
    """
    from dotenv import dotenv_values

    try:
        values = {**dotenv_values(Path(".env")), **os.environ}
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigError(f".env: cannot be read ({type(error).__name__}); save it as UTF-8 text") from None
    return {name: value.strip() for name, value in values.items() if value and value.strip()}


def headers_from_env(pairs: str, name: str) -> dict[str, str]:
    """Return the headers of `HEADER=VARIABLE, HEADER=VARIABLE`; `name` is the component's in messages.

    Raises:
        ConfigError: if the pairs have another form, or a variable's value is missing or no header's. No value is shown.
    """
    named = headers_named(pairs, name)
    values = environment() if named else {}
    headers = {}
    for header, variable in named.items():
        if variable not in values:
            raise ConfigError(f"{name}: {variable} is not set; put it into .env or the environment")
        if not is_header_value(values[variable]):
            raise ConfigError(f"{name}: {variable} holds characters that no header may have")
        headers[header] = values[variable]
    return headers


def headers_named(pairs: str, name: str) -> dict[str, str]:
    """Return the variables of `HEADER=VARIABLE, HEADER=VARIABLE` by header.

    Raises:
        ConfigError: if the pairs have another form.
    """
    matches = [_HEADER.fullmatch(pair) for pair in pairs.split(",")] if pairs.strip() else []
    if None in matches:
        # The value is not shown: it may be the secret itself.
        raise ConfigError(f"{name}: write headers_from_env as HEADER=VARIABLE, HEADER=VARIABLE")
    return {match[1]: match[2] for match in matches if match}


def is_header_value(text: str) -> bool:
    """Return whether a text can be the value of a header."""
    return text.isascii() and text.isprintable()
