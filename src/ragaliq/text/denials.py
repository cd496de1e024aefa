"""What a text denies: "…, but that is not true", "it is wrong that …", "the market is not on Monday"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.polarity import function_words
from ragaliq.text.sentences import folded_statements
from ragaliq.text.terms import WORD, base_language, fold

_FILE = Path(__file__).with_name("denials.yaml")
# What ends the scope of a denial.
_CLAUSE_END = regex.compile(r"[,;:.!?，；：。！？]|\s(?:but|sondern|mais|sino|но|а)\s|而是|而在")
# Not inside a number.
_CLAUSE_MARK = regex.compile(r"(?:(?<!\d)[,:，：]|[,:，：](?!\d))\s*[-–—]?\s*|\s[-–—]\s")
# What follows a denial that closes a sentence or clause.
_END = r"(?=[\s\p{Pe}\p{Pf}\"]*(?:$|[.;:!。；：！]))"


@dataclass(frozen=True, slots=True)
class Denied:
    """A folded text in parts: `claims` denied as a whole, `negated` clauses with a "not", and the affirmed `rest`."""

    claims: str
    negated: str
    rest: str


def denied(text: str, lang: str) -> Denied:
    """Return what a text denies and what it affirms; the words of the denial itself are in no part.

    A text in an unknown language denies nothing.
    """
    if base_language(lang) not in _data():
        return Denied("", "", fold(text))
    claims: list[str] = []
    negated: list[str] = []
    rest: list[str] = []
    # Where in `rest` the sentence before begins: a denial reaches no further back.
    start_before = start_here = 0
    for sentence in folded_statements(text):
        start_before, start_here = start_here, len(rest)
        before = _pattern("before", lang).search(sentence)
        after = None if before else _pattern("after", lang).search(sentence)
        if before:
            end = _end_of_clause(sentence, before.end())
            claims.append(sentence[before.end() : end])
            rest += [sentence[: before.start()], sentence[end:]]
        elif after:
            start = _start_of_clause(sentence[: after.start()], lang)
            claim = sentence[start : after.start()]
            while len(rest) > start_before and not _claims(claim, lang):
                claim = f"{rest.pop()} {claim}"
            claims.append(claim)
            rest += [sentence[:start], sentence[after.end() :]]
        else:
            for part, is_negated in _clauses(sentence, lang):
                (negated if is_negated else rest).append(part)
    return Denied(" ".join(claims), " ".join(negated), " ".join(rest))


def light_words(lang: str) -> frozenset[str]:
    """Return the folded words that add no meaning of their own to a negated clause."""
    return frozenset(str(_data().get(base_language(lang), {}).get("light", "")).split())


def _clauses(sentence: str, lang: str) -> Iterator[tuple[str, bool]]:
    """Yield the clauses of a sentence, each with whether it is negated; of a negated clause the "not" is left out."""
    at = 0
    while at < len(sentence):
        end = _end_of_clause(sentence, at)
        clause = sentence[at:end]
        yield _pattern("not", lang).sub(" ", clause), bool(_pattern("not", lang).search(clause))
        following = _CLAUSE_END.match(sentence, end)
        at = following.end() if following else len(sentence)


def _end_of_clause(sentence: str, start: int) -> int:
    match = _CLAUSE_END.search(sentence, start)
    # A mark inside a number ends nothing.
    while (
        match
        and sentence[match.start() - 1 : match.start()].isdigit()
        and sentence[match.end() : match.end() + 1].isdigit()
    ):
        match = _CLAUSE_END.search(sentence, match.end())
    return match.start() if match else len(sentence)


def _start_of_clause(sentence: str, lang: str) -> int:
    """Return where the last clause begins if it claims something, else 0."""
    start = max((match.end() for match in _CLAUSE_MARK.finditer(sentence)), default=0)
    return start if _claims(sentence[start:], lang) else 0


def _claims(folded: str, lang: str) -> bool:
    """Return whether a text holds words beside function words and those of who claims something."""
    if base_language(lang) == "zh":
        folded = _hearsay(lang).sub(" ", folded)
    return any(not _hearsay(lang).fullmatch(word) for word in WORD.findall(folded))


@cache
def _hearsay(lang: str) -> regex.Pattern[str]:
    """Return the pattern of function words and of those that say who claims something, and nothing of what."""
    words = [*fold(str(_data()[base_language(lang)]["hearsay"])).split(), *function_words(lang)]
    return regex.compile("|".join(sorted(map(regex.escape, words), key=len, reverse=True)))


@cache
def _pattern(kind: str, lang: str) -> regex.Pattern[str]:
    entry = _data()[base_language(lang)]
    closing = [f"(?:{one}){_END}" for one in entry["closing"]] if kind == "after" else []
    return regex.compile("|".join([*entry[kind], *closing]))


@cache
def _data() -> dict[str, Any]:
    return read_mapping(_FILE)
