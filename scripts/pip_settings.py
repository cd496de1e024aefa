"""Prints where pip downloads from as variables of uv, a line each, from what `pip config list` prints."""

from __future__ import annotations

import ast
import os
import sys

# Setting of pip: the variable of uv, and what stands between several values.
VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX", None),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", None),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", None),
    "client-cert": ("SSL_CLIENT_CERT", None),
    "proxy": ("ALL_PROXY", None),
    "timeout": ("UV_HTTP_TIMEOUT", None),
    "default-timeout": ("UV_HTTP_TIMEOUT", None),
}
# The later one counts.
_SECTIONS = ("global", "install", ":env:")


def main() -> None:
    """Translate each setting that uv's variables leave open."""
    settings: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in sys.stdin:
        name, _, value = line.strip().partition("=")
        section, _, key = name.rpartition(".")
        if section in settings:
            settings[section][key] = ast.literal_eval(value)
    known = {key: value for section in _SECTIONS for key, value in settings[section].items()}
    for key, (variable, separator) in VARIABLES.items():
        if known.get(key) and variable not in os.environ:
            print(f"{variable}={known[key] if separator is None else separator.join(known[key].split())}")
    if "extra-index-url" in known:
        # As pip: the newest of all indexes, not that of the first.
        print("UV_INDEX_STRATEGY=unsafe-best-match")


if __name__ == "__main__":
    main()
