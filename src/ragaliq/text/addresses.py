"""E-mail addresses, links and codes: strings that are right to the last character or wrong."""

from __future__ import annotations

import regex

# No pattern may begin inside what it could match, and none gives back what it has taken, so that time is linear.
_EMAIL = regex.compile(r"(?<![a-z0-9._%+\-])[a-z0-9][a-z0-9._%+\-]*+@[a-z0-9\-]++(?:\.[a-z0-9\-]++)++")
_LINK = regex.compile(r"(?<![a-z0-9.\-])(https?://)?([a-z0-9][a-z0-9.\-]*+)((?:/[\w\-./?=&%#@:~+]*+)?)")
_TOP_DOMAIN = regex.compile(r"[a-z]{2,6}")
# A letter and a digit in one word, with hyphens or slashes inside: `E-R3-2030`, `MCD-1`, `3D`, `V-2`.
_CODE = regex.compile(r"(?<![\w@./\-])[a-zа-я0-9]++(?:[-/][a-zа-я0-9]++)*+(?![\w@])")


def addresses(folded: str) -> tuple[str, ...]:
    """Return the e-mail addresses, then the links and host names, of a folded text, without repeats."""
    if "." not in folded:
        return ()
    mails = [match.rstrip(".") for match in _EMAIL.findall(folded)] if "@" in folded else []
    rest = _EMAIL.sub(" ", folded) if mails else folded
    links = [link for match in _LINK.finditer(rest) if (link := _link(match))]
    return tuple(dict.fromkeys([*mails, *links]))


def codes(folded: str) -> tuple[str, ...]:
    """Return the words of a folded text that mix letters and digits, without repeats: rooms, lines, forms."""
    mixed = [word for word in _CODE.findall(folded) if any(map(str.isdigit, word)) and any(map(str.isalpha, word))]
    return tuple(dict.fromkeys(mixed))


def _link(match: regex.Match[str]) -> str:
    """Return a link without scheme, `www.` and closing punctuation, "" if it is none."""
    host = match[2].rstrip(".-").removeprefix("www.")
    name, _, end = host.rpartition(".")
    if not name or not (match[1] or _TOP_DOMAIN.fullmatch(end)):
        return ""
    return (host + match[3] if match[2] == match[2].rstrip(".-") else host).rstrip(".,;:!?/")
