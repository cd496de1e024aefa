"""Links, e-mail addresses and code: the same in every language, to the last character."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import regex

from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.text.addresses import (
    CODE_SPAN,
    EAST_ASIAN,
    WRITTEN_EMAIL,
    WRITTEN_LINK,
    addresses,
    may_hold_addresses,
    without_fences,
)
from ragaliq.text.terms import fold
from ragaliq.types import Severity, TranslationFinding, TranslationPair

_HAN = regex.compile(f"[{EAST_ASIAN}]")
_HOST = regex.compile(r"[^@/]+\.[a-z]{2,}(?:/.*)?")
# Comments are translated.
_COMMENT = regex.compile(r"(?:^|\s)(?:#|//)\s.*|^--\s.*|<!--.*?-->")
_CODE_WORD = regex.compile(r"[\p{L}\p{M}\p{Nd}]+")
_CLOSING = ".,;:!?/*_'\\"


def link_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `link` findings: an error where one text has a link, e-mail address or code span that the other lacks.

    A warning where both have it and the numbers of times differ. Case counts but in the names of hosts; closing
    punctuation and Markdown's backslashes do not. So for the lines of fenced code, comments and blanks aside; where
    each line that is lost has another one of other words in its place, they seem translated, which is a warning.
    """
    for pair in pairs:
        yield from _code_findings(pair)
        source, target = (links(text) for text in (pair.source, pair.target))
        if source == target or not pair.target.strip():
            continue
        lost, added = sorted(source.keys() - target.keys()), sorted(target.keys() - source.keys())
        messages = [f"{quoted(lost)} not in the translation"] if lost else []
        messages += [f"{quoted(added)} not in the source"] if added else []
        if messages:
            yield finding_of(pair, "link", Severity.ERROR, "; ".join(messages))
        else:
            counts = [f"{quoted([link])} {source[link]} and {target[link]} times" for link in sorted(source)
                      if source[link] != target[link]]  # fmt: skip
            yield finding_of(pair, "link", Severity.WARNING, f"{', '.join(counts)} in source and translation")


def _code_findings(pair: TranslationPair) -> Iterator[TranslationFinding]:
    source, target = (_code_lines(text) for text in (pair.source, pair.target))
    lost, added = source - target, target - source
    if not pair.target.strip() or not (lost or added):
        return
    words = [frozenset(word for line in side for word in _CODE_WORD.findall(line)) for side in (lost, added)]
    translated = lost.total() == added.total() and not words[0] & words[1]
    messages = [f"{quoted(sorted(lost))} not in the translation"] if lost else []
    messages += [f"{quoted(sorted(added))} not in the source"] if added else []
    severity = Severity.WARNING if translated else Severity.ERROR
    yield finding_of(pair, "link", severity, f"code: {'; '.join(messages)}")


def _code_lines(text: str) -> Counter[str]:
    """Return the lines of fenced code with how often each is there, blanks as one, without comments."""
    lines = (" ".join(_COMMENT.sub("", line).split()) for line in without_fences(text)[1])
    return Counter(line for line in lines if line)


def links(text: str) -> Counter[str]:
    """Return the code spans, e-mail addresses, links and host names of a text, each with how often it has them."""
    found: Counter[str] = Counter()
    text = without_fences(text)[0]

    def take(match: regex.Match[str]) -> str:
        found[_written(match)] += 1
        return " "

    if "`" in text:
        text = CODE_SPAN.sub(take, text)
    if may_hold_addresses(text):
        text = WRITTEN_LINK.sub(take, WRITTEN_EMAIL.sub(take, text))
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
    if match.re is CODE_SPAN:
        return f"`{match[1].strip()}`"
    text = match[0].replace("\\", "").rstrip(_CLOSING)
    scheme, mark, rest = text.partition("://") if "://" in text else ("", "", text)
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}{mark}{host.lower()}{slash}{path}"
