"""Addresses, links, code spans and codes: what is the same to the last character in every language."""

from __future__ import annotations

import regex

from ragaliq.text.addresses import addresses
from ragaliq.text.quantities.mentions import READ, Mention, Quantity, Scan, mention
from ragaliq.text.terms import fold

_SPAN = regex.compile(r"`([^`\n]+)`")
_HAN = regex.compile(r"\p{Han}")
_ABBREVIATION = regex.compile(r"(?:.*\.)?\w?\.[a-z]+|[^.]*")
_PART = r"[\p{Lu}\p{Nd}]++(?![\p{Ll}\p{M}])"
_CODE = regex.compile(rf"(?<![\p{{Latin}}\p{{Cyrillic}}\p{{Nd}}@./_\-]){_PART}(?:[\-/]{_PART})*(?![\p{{Nd}}@_])")
# "230V", "15KG", "9AM": a number and what it counts.
_COUNTED = regex.compile(r"\p{Nd}+\p{Lu}+|\p{Nd}+")
_CAPITALS = regex.compile(r"(?<![\p{Latin}\p{Nd}])[A-Z]{2,6}(?![\p{Latin}\p{Nd}])")
# Each address is searched in the whole text, and a long one that repeats itself takes time by the cube of its length.
# These are the most that are read, and the longest.
_MOST_ADDRESSES, _LONGEST_ADDRESS = 200, 300
# A Cyrillic capital that looks like a Latin one is the same in a code.
_LOOKALIKES = str.maketrans("АВЕКМНОРСТУХ", "ABEKMHOPCTYX")


def read_entities(scan: Scan) -> None:
    """Read code spans between backticks, addresses and links, and capitals with digits such as `C-214` or `G2`."""
    scan.take(_SPAN, lambda match: [_name(match[1].strip())])
    for address in addresses(fold(scan.text))[:_MOST_ADDRESSES]:
        # Chinese follows an address without a blank; "M.Div" is none.
        name = _HAN.split(address)[0].rstrip(".,;:!?/")
        if len(name) > _LONGEST_ADDRESS:
            continue
        if "@" in name or "/" in name or not _ABBREVIATION.fullmatch(name):
            written = regex.compile(regex.escape(name), regex.IGNORECASE)
            scan.take(written, lambda match, name=name: [_name(name)])  # type: ignore[misc]
    scan.take(_CODE, _code)


def capitals(text: str) -> frozenset[str]:
    """Return the words of two to six Latin capitals: many are translated, some are names."""
    return frozenset(_CAPITALS.findall(text))


def name_mentions(text: str, names: frozenset[str]) -> tuple[Mention, ...]:
    """Return the mentions of those words in capitals that are names."""
    return tuple(_name(word) for word in sorted(capitals(text) & names)) if names else ()


def _code(match: regex.Match[str]) -> list[Mention]:
    latin = match[0].translate(_LOOKALIKES)
    code = latin if latin.isascii() else match[0]
    mixed = any(map(str.isdigit, code)) and any(map(str.isalpha, code))
    counted = _COUNTED.fullmatch(code) is not None
    return [mention(match[0], Quantity("name", code))] if mixed and not counted and READ not in code else []


def _name(text: str) -> Mention:
    return mention(text, Quantity("name", text))
