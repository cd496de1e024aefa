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
# Of a variable whose name has such a part, people choose the value.
_CHOSEN = r"(?:SECRET|PASSWORD|PASSWD|PASSPHRASE|PWD|(?<!COM)(?<!BY)PASS)S?$"
_CHOSEN_END = re.compile(_CHOSEN)
_SECRET_END = re.compile(rf"(?:KEY|TOKEN|CREDENTIAL)S?$|^(?:ADO|AZURE|GH|GITHUB|GITLAB|GL)PATS?$|{_CHOSEN}")
_NO_KEYS = re.compile(r"(?:DON|FLUN|HOC|HOT|JOC|LAC|MIC|MON|TUR|WHIS)KEYS?")
# A name that ends so says where something is or of what kind, not what it is. An ID is that of the part before.
_ABOUT = {
    "ALG", "ALGO", "ALGORITHM", "ALGORITHMS", "AUDIENCE", "COLUMN", "DIR", "DOMAIN", "DRIVER", "ENDPOINT", "EXPIRY",
    "FIELD", "FILE", "FORMAT", "HOST", "ISSUER", "LENGTH", "LIFETIME", "LINK", "METHOD", "MODE", "NAME", "PATH",
    "POLICY", "PORT", "PREFIX", "PROVIDER", "REALM", "REGION", "ROLE", "SAMESITE", "SCHEME", "SCOPE", "SCOPES", "SIZE",
    "SOCK", "TABLE", "TIMEOUT", "TTL", "TYPE", "URI", "URL", "USER", "USERNAME", "VERSION",
}  # fmt: skip
# Set by the shell or the desktop, and no secret whatever their names look like.
_SYSTEM = re.compile(r"(?:XDG|DBUS|DESKTOP)_.*|OLDPWD|PWD|SESSION_MANAGER|GDMSESSION|SSH_ASKPASS|SUDO_ASKPASS")
_SHOWN = ("HOME", "HOSTNAME", "LANG", "LOGNAME", "OLDPWD", "PATH", "PWD", "SHELL", "TERM", "USER")
# What an address or a connection string holds; of a user without a password only what is long enough to be a key.
_IN_VALUE = (
    re.compile(r"://[^/\s:@]*:([^/\s@]+)@"),
    re.compile(r"://([^/\s:@]{16,})@"),
    re.compile(r"\b(?:password|passwd|pwd|accountkey|sharedaccesskey)\s*=\s*([^\s;&]+)", re.IGNORECASE),
)
# Shorter values are words that may stand in any text; none of them is a key. So are short figures, dates, versions.
_SHORTEST, _SHORTEST_NUMBER = 8, 12
_FIGURE = re.compile(r"[\d.,:/+-]+")
# From these lengths on a word, a word as a password, and a name of several words are no longer what texts say anyway.
_LONG_WORD, _LONG_PASSWORD, _LONG_NAME = 16, 12, 24
_JOINT = re.compile(r"[-_./: ]+")
_LABEL = r"[a-z]{1,15}(?:-[a-z]{1,15}){0,3}\d{0,2}"
_HOST = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL}){{1,4}}|\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?::\d{{1,5}})?")
_LONGEST_LINE = 500


def error_line(error: BaseException) -> str:
    """Return an exception as one short line without secrets."""
    return redact(" ".join(f"{type(error).__name__}: {error}".split()))[:_LONGEST_LINE]


def redact(text: str) -> str:
    """Return a text with `***` for every secret of the environment and of `.env` in the working directory.

    A variable is secret by its name. The name is cut into parts where no letter stands; one of the parts is TOKEN, KEY,
    SECRET, PASSWORD, PASS, PWD, PASSPHRASE, CREDENTIAL, AUTH, AUTHORIZATION, BEARER, JWT, PAT, COOKIE or SESSION, also
    in the plural, or ends as DBPASS, STRIPEKEY and GHPAT do. So AUTHOR, MONKEY, PATTERN, COMPATH and TOKENIZERS are not
    secret, nor is a name whose last part says where something is or of what kind (TOKEN_URL, KEY_COLUMN, AUTH_USER); an
    ID is secret only behind a secret part (ACCESS_KEY_ID). Of any variable, the password in an address or a connection
    string is secret.

    Its value is one from eight characters on, unless a text may say it anyway:

    - a number, date or version of fewer than twelve digits and signs;
    - a path that exists, or what HOME, USER and the like show;
    - of PASSWORD, PASS, PWD, PASSPHRASE and SECRET, and of passwords in addresses: one word of fewer than twelve
      letters. So `correcthorse` and `other-word` are secret, `postgres` is not;
    - of all others: a word of fewer than 16 letters, several joined by blanks, `-_./:` of fewer than 24 characters, or
      a host's name.

    A word is letters alone, in one case or capitalised, so mixed case, digits among letters and other signs make a key.
    Percent-encoded values count, too.
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


def count_altered(before: object, after: object) -> None:
    """Count what somebody's code returned if redaction changed it."""
    _Altered.total += before != after


def altered() -> int:
    """Return how many answers and feedbacks redaction has changed since the last call."""
    total, _Altered.total = _Altered.total, 0
    return total


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


class _Altered:
    total = 0


@lru_cache(maxsize=4)
def _secrets(environment: tuple[tuple[str, str], ...], folder: str) -> list[str]:
    """Return the secrets, the longest first: one may be part of another."""
    variables = [(name, value.strip()) for name, value in (*environment, *_dotenv(folder))]
    shown = {value for name, value in variables if name in _SHOWN}
    named = [(name, value) for name, value in variables if _is_secret(name) and not _is_path(value)]
    chosen = {value for name, value in named if _is_chosen(name)}
    chosen |= {part for _, value in variables for part in _parts(value)}
    kept = {value for value in chosen if _is_telling(value) and not _is_word(value, _LONG_PASSWORD)}
    kept |= {value for _, value in named if value not in chosen and _is_telling(value) and not _is_name(value)}
    kept -= shown
    forms = kept | {quote(value, safe="") for value in kept}
    return sorted(forms, key=lambda value: (-len(value), value))


def _is_secret(name: str) -> bool:
    words = _words(name)
    if words[-1:] == ["ID"]:
        words = words[-2:-1]
    if not words or words[-1] in _ABOUT or _SYSTEM.fullmatch(name):
        return False
    return any(word in _SECRET_PARTS or _ends_secret(word) for word in words)


def _ends_secret(word: str) -> bool:
    return _SECRET_END.search(word) is not None and not _NO_KEYS.fullmatch(word)


def _is_chosen(name: str) -> bool:
    return any(map(_CHOSEN_END.search, _words(name)))


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[^A-Z]+", name.upper()) if word]


def _is_path(value: str) -> bool:
    """Return whether a value names a file; a key may begin with a slash, too, but there is no such file."""
    return re.match(r"/|~|\.{1,2}[/\\]|[A-Za-z]:[/\\]", value) is not None and os.path.exists(os.path.expanduser(value))


def _parts(value: str) -> Iterator[str]:
    for pattern in _IN_VALUE:
        for match in pattern.finditer(value):
            yield from (match[1], unquote(match[1]))


def _is_telling(value: str) -> bool:
    return len(value) >= (_SHORTEST_NUMBER if _FIGURE.fullmatch(value) else _SHORTEST)


def _is_name(value: str) -> bool:
    """Return whether a value is one that a text may say anyway: words, or a host's name."""
    if _HOST.fullmatch(value):
        return True
    words = _JOINT.split(value)
    return (len(words) == 1 or len(value) < _LONG_NAME) and all(_is_word(word, _LONG_WORD) for word in words)


def _is_word(value: str, too_long: int) -> bool:
    return value.isalpha() and len(value) < too_long and value in (value.lower(), value.upper(), value.capitalize())


def _dotenv(folder: str) -> list[tuple[str, str]]:
    path = os.path.join(folder, ".env")
    if not os.path.isfile(path):
        return []
    from dotenv import dotenv_values

    try:
        return [(name, value or "") for name, value in dotenv_values(path).items()]
    except (OSError, UnicodeDecodeError):
        return []
