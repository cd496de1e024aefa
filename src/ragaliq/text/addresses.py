"""E-mail addresses, links and codes: strings that are right to the last character or wrong."""

from __future__ import annotations

import regex

# No pattern may begin inside what it could match, and none gives back what it has taken, so that time is linear.
_EMAIL = regex.compile(r"(?<![a-z0-9._%+\-])[a-z0-9][a-z0-9._%+\-]*+@[a-z0-9\-]++(?:\.[a-z0-9\-]++)++")
_LINK = regex.compile(r"(?<![a-z0-9.\-])(https?://)?([a-z0-9][a-z0-9.\-]*+)((?:/[\w\-./?=&%#@:~+]*+)?)")
_TOP_DOMAIN = regex.compile(r"[a-z]{2,6}")
# A letter and a digit in one word, with hyphens or slashes inside: `E-R3-2030`, `MCD-1`, `3D`, `V-2`.
_CODE = regex.compile(r"(?<![\w@./\-])[a-zа-я0-9]++(?:[-/][a-zа-я0-9]++)*+(?![\w@])")

# The same in texts that are not folded, and code between backticks. Chinese and Japanese write an address without a
# blank beside it. Brackets in a link come in pairs: the last one of Markdown's `[text](link)` is none of the link.
EAST_ASIAN = r"\p{Han}\p{Hiragana}\p{Katakana}"
CODE_SPAN = regex.compile(r"`([^`\n]++)`")
WRITTEN_EMAIL = regex.compile(
    r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]*+@[A-Za-z0-9\-]++(?:\.[A-Za-z0-9\-]++)++"
)
_PART = rf"[\w\-./?=&%#@:~+!$\\--[{EAST_ASIAN}]]"
WRITTEN_LINK = regex.compile(
    rf"(?:https?://|(?<![A-Za-z0-9.])www\.){_PART}++(?:\({_PART}*+\){_PART}*+)?+", regex.VERSION1
)
_WRITTEN_HOST = regex.compile(
    rf"(?<![[\w.\-]--[{EAST_ASIAN}]])[a-z0-9\-]++(?:\.[a-z0-9\-]++)*\.[a-z]{{2,}}+(?![[\w\-]--[{EAST_ASIAN}]])"
    rf"(?:/{_PART}*+)?+",
    regex.VERSION1,
)
_FENCE = regex.compile(r"\s*(`{3,}|~{3,})")


def without_fences(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without its fenced code blocks, and the lines of these, stripped, in order, blank ones left out.

    An open block goes on to the end of the text.
    """
    if "```" not in text and "~~~" not in text:
        return text, ()
    prose, code, fence = list[str](), list[str](), ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if not fence and mark:
            fence = mark[1]
        elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence:
            prose.append(line)
        elif line.strip():
            code.append(line.strip())
    return "\n".join(prose), tuple(code)


def may_hold_addresses(text: str) -> bool:
    """Return whether a text can hold an e-mail address, link or host name: most cannot, which saves the search."""
    return "." in text or "://" in text


def without_addresses(text: str, mark: str = " ") -> str:
    """Return a text with a mark in place of each code span, e-mail address, link and host name in small letters.

    Fenced code blocks are left out.
    """
    text = without_fences(text)[0]
    if "`" in text:
        text = CODE_SPAN.sub(mark, text)
    if not may_hold_addresses(text):
        return text
    for pattern in (WRITTEN_EMAIL, WRITTEN_LINK, _WRITTEN_HOST):
        text = pattern.sub(mark, text)
    return text


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
