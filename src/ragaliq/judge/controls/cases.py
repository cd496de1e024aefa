"""Controls: answers of which it is known what a sound judge says.

The hand-written ones (`controls.yaml`) are parallel in their languages; others are made from a benchmark's own items.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.errors import ConfigError, listed
from ragaliq.storage.yaml_files import read_yaml
from ragaliq.text.terms import base_language
from ragaliq.types import Item, Query, VerdictOutcome

_FILE = Path(__file__).with_name("controls.yaml")
_NUMBER = regex.compile(r"\p{Nd}+(?:[.,:]\p{Nd}+)*")


class Kind(StrEnum):
    """What stands in the place of the answer."""

    REFERENCE = "reference"
    PARAPHRASE = "paraphrase"
    NUMBER = "number"
    NEIGHBOUR = "neighbour"
    ABSTENTION = "abstention"
    EMPTY = "empty"
    LANGUAGE = "language"


@dataclass(frozen=True, slots=True)
class Bound:
    """What a sound judge says to one kind of control.

    Attributes:
        least: the least grade that passes, by its number.
        most: the greatest grade that passes.
        ungraded: whether a reply without a grade passes.
        may_fail: share of the controls that may miss the bound, in 0..1; None if the kind gates nothing.
    """

    least: int = 0
    most: int = 5
    ungraded: bool = False
    may_fail: float | None = None

    def __str__(self) -> str:
        """The grades that pass, as in `≤ 1 or no grade`."""
        if self.may_fail is None:
            return "(reported only)"
        grades = f"≤ {self.most}" if self.most < 5 else f"≥ {self.least}"
        grades = str(self.most) if self.least in (self.most, 5) else grades
        return f"{grades} or no grade" if self.ungraded else grades

    def holds(self, grade: int | None) -> bool:
        """Return whether a grade, or its absence, is within the bound."""
        return self.ungraded if grade is None else self.least <= grade <= self.most

    def allowed(self, n: int) -> int | None:
        """Return how many of `n` controls may miss the bound: `may_fail * n`, half rounded up; None for no gate."""
        # The last term is for products such as .1 * 45, which floats leave just below the half.
        return None if self.may_fail is None else math.floor(self.may_fail * n + 0.5 + 1e-9)


@dataclass(frozen=True, slots=True)
class Control:
    """One control: parallel ones in several languages have the same `item_id` and `kind`."""

    item_id: str
    kind: Kind
    item: Item
    answer: str

    @property
    def lang(self) -> str:
        """The language of the question."""
        return self.item.query.lang


@dataclass(frozen=True, slots=True)
class Checked:
    """A control and what a judge said to it."""

    control: Control
    grade: int | None
    outcome: VerdictOutcome
    feedback: str

    @property
    def answered(self) -> bool:
        """Whether the judge replied at all; a call that failed tells nothing about the judge."""
        return self.outcome is not VerdictOutcome.API_ERROR

    @property
    def passed(self) -> bool:
        """Whether the grade is within the bound of its kind."""
        return self.answered and bounds()[self.control.kind].holds(self.grade)


def written_controls(langs: Iterable[str]) -> tuple[Control, ...]:
    """Return the hand-written controls of languages, sorted; a language that has none gives none.

    The answer in the wrong language is the reference in the next language of the file.
    """
    data, known = _data(), written_languages()
    controls = []
    for lang in sorted(set(langs)):
        base = base_language(lang)
        if base not in known:
            continue
        other = known[(known.index(base) + 1) % len(known)]
        for item_id, texts in sorted(data["items"].items()):
            answers = {**texts[base], Kind.EMPTY: "", Kind.ABSTENTION: data["abstention"][base],
                       Kind.LANGUAGE: texts[other]["reference"]}  # fmt: skip
            for kind in Kind:
                query = Query(f"control-{item_id}-{kind}", lang, texts[base]["question"])
                controls.append(Control(item_id, kind, Item(query, texts[base]["reference"]), answers[kind]))
    return tuple(controls)


def written_languages() -> tuple[str, ...]:
    """Return the languages that have hand-written controls."""
    return tuple(_data()["abstention"])


@cache
def bounds() -> Mapping[Kind, Bound]:
    """Return what a sound judge says to each kind.

    Raises:
        ConfigError: if the file lacks a kind or names another.
    """
    rows = _data()["kinds"]
    if set(rows) != set(Kind):
        raise ConfigError(f"{_FILE}: 'kinds' must hold exactly the kinds; {listed(Kind)}")
    return {kind: Bound(**rows[kind]) for kind in Kind}


def derived_controls(items: Sequence[Item], limit: int, parallel: bool = True) -> tuple[Control, ...]:
    """Return controls made from the first `limit` answerable items of one language of a benchmark.

    Of each item: its reference, an empty answer, the reference with one number changed (if it has a number that the
    question lacks), and the reference of the next item of the same type and with or without numbers alike (if there is
    one that differs). Items of languages that are not `parallel` get the language into their id.
    """
    answerable = [item for item in items if item.answerable and item.reference.strip()]
    controls = []
    for place, item in enumerate(answerable[:limit]):
        answers = {
            Kind.REFERENCE: item.reference,
            Kind.EMPTY: "",
            Kind.NUMBER: with_another_number(item.reference, item.query.text),
            Kind.NEIGHBOUR: _neighbour(item, [*answerable[place + 1 :], *answerable[:place]]),
        }
        item_id = item.query.query_id if parallel else f"{item.query.query_id}@{item.query.lang}"
        controls += [Control(item_id, kind, item, text) for kind, text in sorted(answers.items()) if text is not None]
    return tuple(controls)


def with_another_number(text: str, question: str) -> str | None:
    """Return `text` with the last digit of its first number that the question lacks raised by three (9 → 2).

    None if there is no such number. The digit stays in its script.
    """
    asked = {unicodedata.normalize("NFKC", number) for number in _NUMBER.findall(question)}
    for number in _NUMBER.finditer(text):
        if unicodedata.normalize("NFKC", number[0]) not in asked:
            last = number.end() - 1
            value = unicodedata.decimal(text[last])
            return text[:last] + chr(ord(text[last]) - value + (value + 3) % 10) + text[last + 1 :]
    return None


@cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = read_yaml(_FILE)
    return data


def _neighbour(item: Item, others: Iterable[Item]) -> str | None:
    """Return the reference of the first item that asks for the same kind of thing and has another answer."""
    numeric = _NUMBER.search(item.reference) is not None
    for other in others:
        alike = other.type == item.type and (_NUMBER.search(other.reference) is not None) == numeric
        if alike and other.reference != item.reference and other.reference not in item.aliases:
            return other.reference
    return None
