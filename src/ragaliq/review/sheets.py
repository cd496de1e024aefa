"""What a person sees of an item: everything that a judgement needs, and nothing that gives an answer away."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from ragaliq.errors import InputError, listed
from ragaliq.review.sampling import Place, drawn, spread_queries
from ragaliq.review.values import NuggetMarks, ReviewTask, TranslationMark, Value


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an item that is judged or edited by itself.

    Attributes:
        name: the nugget's id, or the source of a segment.
        text: the nugget, or the translation of the segment.
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """One item to be judged.

    `sheet_id` is a hash of what is shown, so it names neither the run nor the query, and changes with the texts. A
    judgement counts for all `places`: answers, or rankings, to the same query that are the same word for word.

    Attributes:
        question: the question; of a translated question or chunk empty.
        reference: the reference answer; of a translation the source text.
        answer: what is judged: an answer, a nugget (`support`), a translation.
        passages: the context, the chunks retrieved, or the document.
        parts: the nuggets of `nuggets`, the segments of `translation`.
        record: what is translated: chunk, query, reference or nugget.
        source_lang: the language of a translation's source.
    """

    sheet_id: str
    query_id: str
    lang: str
    question: str
    reference: str
    answer: str
    passages: tuple[str, ...]
    places: tuple[Place, ...]
    parts: tuple[Part, ...] = ()
    record: str = ""
    source_lang: str = ""

    def check(self, value: Value | None, remedy: str) -> None:
        """Refuse a judgement of parts that the sheet does not have; `remedy` ends the message.

        Raises:
            InputError: if it names one.
        """
        names: set[str] = set()
        if isinstance(value, NuggetMarks):
            names = {*value.hallucinated, *value.redundant}
        elif isinstance(value, TranslationMark):
            names = {edit.source for edit in value.edits}
        unknown = sorted(names - {part.name for part in self.parts})
        if unknown:
            raise InputError(f"'{unknown[0]}' is no part of this item; {remedy}")


@dataclass(frozen=True, slots=True)
class Choice:
    """Which items are judged: languages (none means all), the number drawn (None means all), the seed."""

    langs: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """A judgement that replaces the same person's earlier one of a sheet; `at` is the time in UTC."""

    earlier: Value | None
    value: Value | None
    rater: str
    at: str


class ReviewSource(Protocol):
    """What is under review: runs, or a benchmark."""

    @property
    def folder(self) -> Path:
        """Labels are in `review/` below it."""

    @property
    def only(self) -> str:
        """The run to which all labels belong, whatever its folder was called; empty where there are several or none."""

    def places(self, task: ReviewTask, seed: int) -> Iterable[Place]:
        """Return what can be judged; the seed decides where the task draws by itself."""

    def kind(self, task: ReviewTask, place: Place) -> str:
        """Return what must not be guessed of a place, and is balanced in the draw; empty where there is no such."""

    def sheet(self, task: ReviewTask, place: Place) -> Sheet | None:
        """Return the sheet of one place as it is now; None if it is no longer there."""

    def urgent(self) -> Collection[tuple[str, str]]:
        """Return the (lang, query_id) that are judged first."""

    def apply(self, sheet: Sheet, change: Change) -> None:
        """Write down what a judgement changes beyond its label, before that is written."""


def sheet_id_of(*shown: str) -> str:
    """Return the id of a sheet that shows these texts."""
    return hashlib.sha256(json.dumps(shown).encode("ascii")).hexdigest()[:16]


def make_sheets(source: ReviewSource, task: ReviewTask, choice: Choice) -> tuple[Sheet, ...]:
    """Return the sheets to be judged, in their order: urgent ones first, then as they are drawn.

    `choice.sample` counts places. What was drawn and is the same word for word is one sheet; what was not drawn is not
    judged along with it, so that the labels of each run stay a random sample of its answers.

    Raises:
        InputError: if a language is unknown, or there is nothing to judge.
    """
    places = list(source.places(task, choice.seed))
    known = {place.lang for place in places}
    for lang in choice.langs if known else ():
        if lang not in known:
            what = "answers" if task is ReviewTask.GRADE else "items"
            raise InputError(f"--lang {lang}: no {what} to judge in that language; {listed(known)}")
    chosen = [place for place in places if not choice.langs or place.lang in choice.langs]
    if not chosen:
        raise InputError(f"{source.folder}: nothing to judge by --task {task}")
    urgent = source.urgent()
    sheets: list[Sheet] = []
    left = choice.sample
    for first in (True, False):
        group = [place for place in chosen if ((place.lang, place.query_id) in urgent) is first]
        places = drawn(group, choice.seed, left, partial(source.kind, task))
        left = None if left is None else left - len(places)
        sheets += spread_queries(sheets_at(source, task, places), lambda sheet: sheet.query_id)
    return tuple(sheets)


def sheets_at(source: ReviewSource, task: ReviewTask, places: Iterable[Place]) -> tuple[Sheet, ...]:
    """Return the sheets of places as they are now: one for all that show the same, at the place of the first."""
    joined: dict[str, Sheet] = {}
    for place in places:
        sheet = source.sheet(task, place)
        if sheet is not None:
            first = joined.setdefault(sheet.sheet_id, sheet)
            joined[sheet.sheet_id] = replace(first, places=tuple(sorted({*first.places, place})))
    return tuple(joined.values())
