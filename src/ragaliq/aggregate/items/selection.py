"""Which items of a run to look at, the worst first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from ragaliq.aggregate.items.run_items import ItemHead, RunItem, RunItems
from ragaliq.errors import InputError, listed
from ragaliq.metrics.weights import WEIGHTS
from ragaliq.storage.record_store import Key
from ragaliq.types import AnswerOutcome, LossStage


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """What an item must be to be looked at; empty parts ask nothing.

    Attributes:
        grades: None among them stands for an answer without a grade.
        query_id: every item of this query, graded or not.
        unsupported: the answer has a sentence that the passages do not support in full, to whichever query.
        unanswerable: of a query that the data cannot answer; otherwise, unless `unsupported`, of one that they can.
    """

    langs: Collection[str] = ()
    grades: Collection[int | None] = ()
    query_id: str = ""
    cause: LossStage | None = None
    unsupported: bool = False
    unanswerable: bool = False

    def fits(self, key: Key, head: ItemHead) -> bool:
        """Return whether to look at an item."""
        lang, query_id = key
        if (self.langs and lang not in self.langs) or (self.query_id and query_id != self.query_id):
            return False
        if not self._concerns(head.answer.answerable):
            return False
        if (self.grades and head.grade not in self.grades) or (self.cause and head.cause is not self.cause):
            return False
        return not self.unsupported or (head.supported is not None and head.supported < 1.0)

    def _concerns(self, answerable: bool) -> bool:
        if self.query_id or (self.unsupported and not self.unanswerable):
            return True
        return answerable is not self.unanswerable

    @property
    def narrow(self) -> bool:
        """Whether it asks for more than the worst answers."""
        return self != ItemFilter()


@dataclass(frozen=True, slots=True)
class Selection:
    """The items to look at, and how many there are.

    Attributes:
        items: the first ones of those that fit.
        n_fitting: items that fit.
        n_items: items of the run.
        n_unanswerable: of these, those of queries that the data cannot answer.
        n_graded: answerable items with a grade; `n_ungraded` without one.
        judges: names of those who graded; empty where nobody did.
    """

    items: tuple[RunItem, ...]
    n_fitting: int
    n_items: int
    n_unanswerable: int
    n_graded: int
    n_ungraded: int
    judges: str


def select_items(run: RunItems, wanted: ItemFilter, most: int | None) -> Selection:
    """Return the worst items of a run that fit a filter, `most` of them at most.

    Those whose grade costs the most weight come first (1, then 2, 0, 3, 4, 5); among them those with the least share of
    supported sentences, then by language and query id. Answers without a grade are among them only where the filter
    asks for them, or nothing is graded. Of unanswerable queries those come first that the reader answered.

    Raises:
        InputError: if the run does not have the language or the query, or lacks what the filter asks about.
    """
    check_filter(run, wanted)
    heads = {key: run.head(key) for key in run}
    asked = (wanted.query_id, wanted.unanswerable, wanted.unsupported, None in wanted.grades)
    ungraded_too = not run.judges or any(asked)
    fitting = [
        key for key, head in heads.items() if wanted.fits(key, head) and (ungraded_too or head.grade is not None)
    ]
    if not wanted.query_id:
        fitting.sort(key=lambda key: (*_badness(heads[key]), key))
    answerable = [head for head in heads.values() if head.answer.answerable]
    n_graded = sum(head.grade is not None for head in answerable)
    counts = (len(fitting), len(heads), len(heads) - len(answerable), n_graded, len(answerable) - n_graded)
    return Selection(tuple(run[key] for key in fitting[:most]), *counts, run.judges)


def check_filter(run: RunItems, wanted: ItemFilter) -> None:
    """Refuse a filter that nothing in the run could ever fit.

    Raises:
        InputError: naming what is missing, and what to do.
    """
    expected: Mapping[str, object] = run.config["expected"]
    unknown = [lang for lang in wanted.langs if lang not in expected]
    if unknown:
        raise InputError(f"--lang: {run.folder} has no language '{unknown[0]}'; {listed(expected)}")
    if wanted.query_id:
        _check_query(wanted.query_id, {query_id for _, query_id in run}, str(run.folder))
    if wanted.unanswerable and (wanted.grades or wanted.cause):
        raise InputError("--unanswerable: such answers count by whether they abstain; leave out --grade and --cause")
    if (wanted.grades or wanted.cause) and not run.judges:
        raise InputError(f"{run.folder}: not graded yet; `ragaliq judge {run.folder}` grades it")
    if wanted.cause and not run.has_causes:
        again = f"`ragaliq judge {run.folder} --only-unscored` adds it"
        raise InputError(f"{run.folder}: no waterfall.jsonl yet; {again}")
    if wanted.unsupported and not run.has_checks:
        raise InputError(f"{run.folder}: its sentences are not checked yet; `ragaliq check {run.folder}` checks them")


def _check_query(query_id: str, known: Iterable[str], run: str) -> None:
    if query_id not in (ids := sorted(known)):
        near = sorted(ids, key=lambda one: (-SequenceMatcher(None, query_id, one).ratio(), one))[:3]
        nearest = f"; the nearest are {', '.join(near)}" if near else ": it has no answers yet"
        raise InputError(f"{run}: no query '{query_id}'{nearest}")


def _badness(head: ItemHead) -> tuple[float, float]:
    """Return what an item is sorted by, the worst least; what is not known comes last."""
    supported = 2.0 if head.supported is None else head.supported
    if not head.answer.answerable:
        return float(head.answer.outcome is AnswerOutcome.ABSTAINED), supported
    return (2.0 if head.grade is None else WEIGHTS[head.grade]), supported
