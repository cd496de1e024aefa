"""Nothing secret in what is written or printed: what an exception says may hold the key that a call was made with."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote

# Parts of a variable's name that say that it holds a secret; a part may also end in a longer one, as in DBPASS.
_SECRET_PARTS = {
    "AUTH", "AUTHORIZATION", "BEARER", "COOKIE", "COOKIES", "CRED", "CREDENTIAL", "CREDENTIALS", "CREDS", "JWT", "KEY",
    "KEYS", "PASS", "PASSPHRASE", "PASSWD", "PASSWORD", "PASSWORDS", "PAT", "PWD", "SECRET", "SECRETS", "SESSION",
    "TOKEN", "TOKENS",
}  # fmt: skip
_SECRET_END = re.compile(
    r"(?:(?:API|ACCESS|AUTH|MASTER|PRIVATE|SECRET)KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PWD|CREDENTIALS?"
    r"|(?<!COM)(?<!BY)PASS)S?$"
)
# A name that ends so says where something is or of what kind, not what it is.
_ABOUT = {
    "DIR", "ENDPOINT", "FILE", "HOST", "LINK", "METHOD", "MODE", "NAME", "PATH", "PORT", "SOCK", "TIMEOUT", "TYPE",
    "URI", "URL",
}  # fmt: skip
# Set by the shell or the desktop, and no secret whatever their names look like.
_SYSTEM = re.compile(r"(?:XDG|DBUS|DESKTOP)_.*|OLDPWD|PWD|SESSION_MANAGER|GDMSESSION|SSH_ASKPASS|SUDO_ASKPASS")
_SHOWN = ("HOME", "HOSTNAME", "LANG", "LOGNAME", "OLDPWD", "PATH", "PWD", "SHELL", "TERM", "USER")
_WORDS = {"changeme", "disabled", "optional", "password", "required", "undefined"}
# What an address or a connection string holds; of a user without a password only what is long enough to be a key.
_IN_VALUE = (
    re.compile(r"://[^/\s:@]*:([^/\s@]+)@"),
    re.compile(r"://([^/\s:@]{16,})@"),
    re.compile(r"\b(?:password|passwd|pwd|accountkey|sharedaccesskey)\s*=\s*([^\s;&]+)", re.IGNORECASE),
)
# Shorter values are words that may stand in any text; none of them is a key. A short number is a figure.
_SHORTEST, _SHORTEST_NUMBER = 8, 12
_LONGEST_LINE = 500


def error_line(error: BaseException) -> str:
    """Return an exception as one short line without secrets."""
    return redact(" ".join(f"{type(error).__name__}: {error}".split()))[:_LONGEST_LINE]


def redact(text: str) -> str:
    """Return a text with `***` for every secret of the environment and of `.env` in the working directory.

    A variable is secret by its name. The name is cut into parts where no letter stands; one of the parts is TOKEN, KEY,
    SECRET, PASSWORD, PASS, PWD, PASSPHRASE, CREDENTIAL, AUTH, AUTHORIZATION, BEARER, JWT, PAT, COOKIE or SESSION, also
    in the plural, or ends as DBPASS and APIKEY do. So AUTHOR, PATTERN, COMPATH and TOKENIZERS are not secret, nor is a
    name whose last part says where something is or of what kind (TOKEN_URL, KEY_FILE). Of any variable, the password
    in an address or a connection string is secret.

    Its value is one from eight characters on, a number from twelve digits on, unless it is a path that exists, one of a
    few common words, or what HOME, USER and the like show anyway. Percent-encoded values count, too.
    """
    return redactor()(text) if text else text


def redactor() -> Callable[[str], str]:
    """Return `redact` with the secrets of this moment, for many texts: to look through the environment costs time."""
    secrets = _secrets(tuple(sorted(os.environ.items())), os.getcwd())

    def cleaned(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, "***")
        return text

    return cleaned


def redacted_values(value: Any, clean: Callable[[str], str] | None = None) -> Any:
    """Return a JSON value with all its texts redacted; in the serialised value JSON escapes would hide a secret."""
    clean = clean or redactor()
    if isinstance(value, Mapping):
        return {key: redacted_values(inner, clean) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [redacted_values(inner, clean) for inner in value]
    return clean(value) if isinstance(value, str) else value


def names_secret(name: str) -> bool:
    """Return whether a name is that of a secret, by the rule of `redact`."""
    return _is_secret(name)


@lru_cache(maxsize=4)
def _secrets(environment: tuple[tuple[str, str], ...], folder: str) -> list[str]:
    """Return the secrets, the longest first: one may be part of another."""
    variables = [(name, value.strip()) for name, value in (*environment, *_dotenv(folder))]
    shown = {value for name, value in variables if name in _SHOWN}
    values = {value for name, value in variables if _is_secret(name) and not _is_path(value)}
    values |= {part for _, value in variables for part in _parts(value)}
    kept = {value for value in values - shown if _is_telling(value)}
    forms = kept | {quote(value, safe="") for value in kept}
    return sorted(forms, key=lambda value: (-len(value), value))


def _is_secret(name: str) -> bool:
    parts = re.split(r"[^A-Z]+", name.upper())
    words = [part for part in parts if part]
    if not words or words[-1] in _ABOUT or _SYSTEM.fullmatch(name):
        return False
    return any(word in _SECRET_PARTS or _SECRET_END.search(word) for word in words)


def _is_path(value: str) -> bool:
    """Return whether a value names a file; a key may begin with a slash, too, but there is no such file."""
    return re.match(r"/|~|\.{1,2}[/\\]|[A-Za-z]:[/\\]", value) is not None and os.path.exists(os.path.expanduser(value))


def _parts(value: str) -> Iterator[str]:
    for pattern in _IN_VALUE:
        for match in pattern.finditer(value):
            yield from (match[1], unquote(match[1]))


def _is_telling(value: str) -> bool:
    shortest = _SHORTEST_NUMBER if value.isdecimal() else _SHORTEST
    return len(value) >= shortest and value.lower() not in _WORDS


def _dotenv(folder: str) -> list[tuple[str, str]]:
    path = os.path.join(folder, ".env")
    if not os.path.isfile(path):
        return []
    from dotenv import dotenv_values

    try:
        return [(name, value or "") for name, value in dotenv_values(path).items()]
    except (OSError, UnicodeDecodeError):
        return []
