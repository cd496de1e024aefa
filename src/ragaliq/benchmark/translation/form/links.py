"""Links, e-mail addresses and code spans: the same in every language, to the last character."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import regex

from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.text.addresses import addresses
from ragaliq.text.terms import fold
from ragaliq.types import Severity, TranslationFinding, TranslationPair

_CODE_SPAN = regex.compile(r"`([^`\n]++)`")
_EMAIL = regex.compile(r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]*+@[A-Za-z0-9\-]++(?:\.[A-Za-z0-9\-]++)++")
# Chinese follows a link without a blank, so neither its letters nor its punctuation belong to one. Brackets come in
# pairs: the last one of Markdown's `[text](link)` is none of the link.
_PART = r"[\w\-./?=&%#@:~+!$\\--[\p{Han}\p{Hiragana}\p{Katakana}]]"
_LINK = regex.compile(rf"(?:https?://|(?<![A-Za-z0-9.])www\.){_PART}++(?:\({_PART}*+\){_PART}*+)?+", regex.VERSION1)
_HAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_HOST = regex.compile(r"[^@/]+\.[a-z]{2,}(?:/.*)?")
_CLOSING = ".,;:!?/*_'\\"


def link_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `link` findings: an error where one text has a link, e-mail address or code span that the other lacks.

    A warning where both have it and the numbers of times differ. Case counts but in the names of hosts; closing
    punctuation and Markdown's backslashes do not.
    """
    for pair in pairs:
        source, target = (links(text) for text in (pair.source, pair.target))
        if source == target or not pair.target.strip():
            continue
        lost, added = sorted(source.keys() - target.keys()), sorted(target.keys() - source.keys())
        messages = [f"{quoted(lost)} not in the translation"] if lost else []
        messages += [f"{quoted(added)} not in the source"] if added else []
        if messages:
            yield finding_of(pair, "link", Severity.ERROR, "; ".join(messages))
        else:
            counts = [f"'{link}' {source[link]} and {target[link]} times" for link in sorted(source)
                      if source[link] != target[link]]  # fmt: skip
            yield finding_of(pair, "link", Severity.WARNING, f"{', '.join(counts)} in source and translation")


def links(text: str) -> Counter[str]:
    """Return the code spans, e-mail addresses, links and host names of a text, each with how often it has them."""
    found: Counter[str] = Counter()

    def take(match: regex.Match[str]) -> str:
        found[_written(match)] += 1
        return " "

    if "`" in text:
        text = _CODE_SPAN.sub(take, text)
    if "." in text:
        text = _LINK.sub(take, _EMAIL.sub(take, text))
        for address in addresses(fold(text)):
            name = _HAN.split(address)[0].rstrip(_CLOSING)
            if _is_host(name, text):
                found[name] += 1
    return found


def _is_host(name: str, text: str) -> bool:
    """Return whether a folded name is that of a host in a text, not the end and the start of two sentences."""
    if not _HOST.fullmatch(name) or ".." in name or len(name.partition(".")[0]) == 1:
        return False
    match = regex.search(regex.escape(name), text, regex.IGNORECASE)
    return match is not None and match[0].partition("/")[0].rpartition(".")[2].islower()


def _written(match: regex.Match[str]) -> str:
    """Return an address as it is compared: the host folded, the rest verbatim."""
    if match.re is _CODE_SPAN:
        return f"`{match[1].strip()}`"
    text = match[0].replace("\\", "").rstrip(_CLOSING)
    scheme, mark, rest = text.partition("://") if "://" in text else ("", "", text)
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}{mark}{host.lower()}{slash}{path}"
