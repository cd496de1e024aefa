"""What a person sees of an item: everything that a judgement needs, and nothing that tells the system."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from ragaliq.errors import InputError, listed
from ragaliq.review.retrieved import RunRankings
from ragaliq.review.sampling import Place, drawn, spread_queries
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer
from ragaliq.storage.record_store import RecordStore


class ReviewTask(StrEnum):
    """What is judged: an answer by the rubric, or whether the first ten chunks look good to answer the question."""

    GRADE = "grade"
    LGTM = "lgtm"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One item to be judged.

    `sheet_id` is a hash of what is shown, so it names neither the run nor the query, and changes with the texts. A
    judgement counts for all `places`: answers, or rankings, to the same query that are the same word for word.
    """

    sheet_id: str
    query_id: str
    lang: str
    question: str
    reference: str
    answer: str
    passages: tuple[str, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which items are judged: languages (none means all), the number drawn (None means all), the seed."""

    langs: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0


class Runs:
    """The runs under review: a run's folder, or a folder of them. Each is known by its folder's name."""

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        """Open the runs; `data` is the benchmark where it is not at the path that a run names.

        Raises:
            InputError: if there is no run.
        """
        self.folder = folder
        is_run = (folder / "config.json").is_file()
        paths = [folder] if is_run else [path.parent for path in folder.glob("*/config.json")]
        if not paths:
            raise InputError(f"{folder}: neither a run (config.json is missing) nor a folder of runs; check the path")
        folders = {path.resolve().name: RunFolder(path) for path in paths}
        self.names = tuple(sorted(folders))
        # The run's name if the folder is itself a run.
        self.only = self.names[0] if is_run else ""
        self._answers: dict[str, RecordStore[RunAnswer]] = {name: run.answers() for name, run in folders.items()}
        self._retrieved = {name: RunRankings(run, data) for name, run in folders.items()}

    def size(self, name: str, lang: str) -> int:
        """Return how many items of a language are up for review in a run by task `lgtm`: its answerable queries."""
        return sum(place.lang == lang for place in self.places(ReviewTask.LGTM) if place.run == name)

    def places(self, task: ReviewTask) -> Iterator[Place]:
        """Yield what can be judged.

        Only answerable queries: the others enter no mean of grades. An answer whose reader failed is nothing to grade.
        """
        for name in self.names:
            answers = self._answers[name]
            for lang, query_id in answers:
                header = answers.header((lang, query_id))
                if header.answerable and (task is ReviewTask.LGTM or not header.failed):
                    yield Place(name, lang, query_id)

    def sheet(self, task: ReviewTask, place: Place) -> Sheet | None:
        """Return the sheet of one place; None if the run has no such answer any more."""
        answers = self._answers.get(place.run)
        if answers is None or (place.lang, place.query_id) not in answers:
            return None
        answered = answers[place.lang, place.query_id]
        query, reference, answer = answered.item.query, answered.item.reference, answered.answer.text
        if task is ReviewTask.LGTM:
            reference = answer = ""
            passages = self._retrieved[place.run].passages(place.lang, place.query_id)
        else:
            passages = tuple(hit.chunk.text for hit in answered.answer.context)
        # The context is there for reading; who saw another context and answered the same is graded the same.
        shown = passages if task is ReviewTask.LGTM else ()
        parts = [task, place.lang, place.query_id, query.text, reference, answer, *shown]
        digest = hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:16]
        return Sheet(digest, place.query_id, place.lang, query.text, reference, answer, passages, (place,))


def make_sheets(runs: Runs, task: ReviewTask, choice: Choice) -> tuple[Sheet, ...]:
    """Return the sheets to be judged, in their order.

    `choice.sample` counts answers (or rankings). What was drawn and is the same word for word is one sheet; what was
    not drawn is not judged along with it, so that the labels of each run stay a random sample of its answers.

    Raises:
        InputError: if a language is unknown, or there is nothing to judge.
    """
    places = list(runs.places(task))
    known = {place.lang for place in places}
    for lang in choice.langs:
        if lang not in known:
            raise InputError(f"--lang {lang}: no answers to judge in that language; {listed(known)}")
    chosen = [place for place in places if not choice.langs or place.lang in choice.langs]
    if not chosen:
        raise InputError(f"{runs.folder}: nothing to judge; the runs hold no answers to answerable queries")
    sheets = sheets_at(runs, task, drawn(chosen, choice.seed, choice.sample))
    return tuple(spread_queries(sheets, lambda sheet: sheet.query_id))


def sheets_at(runs: Runs, task: ReviewTask, places: Iterable[Place]) -> tuple[Sheet, ...]:
    """Return the sheets of places as they are now: one for all that show the same, at the place of the first."""
    joined: dict[str, Sheet] = {}
    for place in places:
        sheet = runs.sheet(task, place)
        if sheet is not None:
            first = joined.setdefault(sheet.sheet_id, sheet)
            joined[sheet.sheet_id] = replace(first, places=tuple(sorted({*first.places, place})))
    return tuple(joined.values())
