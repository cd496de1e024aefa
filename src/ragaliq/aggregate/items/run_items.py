"""One item of a run: its answer, and what judge, checks, waterfall and traces say about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

from ragaliq.aggregate.items.judge_calls import is_call_of
from ragaliq.judge.checks.rates import CHECKS, CheckHeader, check_header
from ragaliq.judge.checks.support import Check
from ragaliq.judge.nuggets.matches import MATCHES, NuggetMatches
from ragaliq.metrics.weights import WEIGHTS
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import AnswerHeader, RunAnswer
from ragaliq.runs.traces import ItemTraces
from ragaliq.runs.waterfall import WATERFALL
from ragaliq.storage.files import Row
from ragaliq.storage.record_store import Key, Record, RecordStore
from ragaliq.types import LossStage, Verdict, WaterfallRow

# Whose calls are about one item.
_JUDGE = "judge"
_COMPONENTS = ("reader", _JUDGE)


@dataclass(frozen=True, slots=True)
class RunItem:
    """An item with its answer; None for what the run does not say about this answer.

    Attributes:
        seconds: the reader's.
        calls: reads the rows of the reader's and all judges' calls.
    """

    answered: RunAnswer
    verdict: Verdict | None
    check: Check | None
    nuggets: NuggetMatches | None
    waterfall: WaterfallRow | None
    seconds: float | None = None
    calls: Callable[[], tuple[Row, ...]] = field(default=tuple, compare=False, repr=False)

    @property
    def grade(self) -> int | None:
        """The grade, if there is one."""
        return None if self.verdict is None else self.verdict.grade

    @property
    def cause(self) -> LossStage | None:
        """The stage that loses points here; None where nothing is lost, or nobody knows."""
        return _cause(self.grade, self.waterfall)

    @property
    def traces(self) -> tuple[Row, ...]:
        """The rows of the calls behind answer and verdict, read when asked for; none of other judges."""
        verdict = self.verdict
        return tuple(
            row for row in self.calls() if row["component"] != _JUDGE or verdict is None or is_call_of(row, verdict)
        )

    @property
    def gold(self) -> frozenset[str]:
        """Ids of the documents that hold gold; empty where that is not known."""
        groups = () if self.waterfall is None else self.waterfall.groups
        return frozenset(doc_id for group in groups for doc_id in group.doc_ids)

    @property
    def supported_share(self) -> float | None:
        """Share of the sentences that state something which the passages shown support; None without any."""
        return None if self.check is None else check_header(self.check).supported_share


@dataclass(frozen=True, slots=True)
class ItemHead:
    """What is kept in memory of an item.

    Attributes:
        grade: None for an unanswerable query, too: there is nothing to grade.
        supported: share of the answer's sentences that the passages support, `partly` being none; None without a check,
            and for an answer that states nothing.
        cause: the stage that loses points; None where nothing is lost, or nobody knows.
    """

    answer: AnswerHeader
    grade: int | None
    supported: float | None
    cause: LossStage | None


class RunItems(Mapping[Key, RunItem]):
    """The items of a run in the order of language and query id; the texts stay on disk."""

    def __init__(self, folder: RunFolder) -> None:
        """Read the files of a run.

        Raises:
            InputError: if the folder is no run, or a file is broken.
        """
        self.folder = folder
        self.config = folder.config()
        self._answers = folder.answers()
        self._verdicts = folder.verdicts()
        self._checks = RecordStore(folder.checks_file, CHECKS)
        self._nuggets = RecordStore(folder.nuggets_file, MATCHES)
        self._waterfall = RecordStore(folder.waterfall_file, WATERFALL)
        self._seconds = folder.seconds()

    def __getitem__(self, key: Key) -> RunItem:
        """Read what is known about an item."""
        return RunItem(
            self._answers[key],
            self._current(self._verdicts, key),
            self._current(self._checks, key),
            self._current(self._nuggets, key),
            self._current(self._waterfall, key),
            self._seconds.get(key),
            partial(self._calls, key),
        )

    def __iter__(self) -> Iterator[Key]:
        """Return the items in order."""
        return iter(self._answers)

    def __len__(self) -> int:
        """Return the number of items that the run has answered."""
        return len(self._answers)

    def __contains__(self, key: object) -> bool:
        """Return whether the run has answered an item."""
        return key in self._answers

    @property
    def judges(self) -> str:
        """The names of those who graded; empty where nobody did."""
        return " + ".join(sorted({self._verdicts.header(key).judge for key in self._verdicts}))

    @property
    def has_checks(self) -> bool:
        """Whether the answers' sentences have been checked."""
        return bool(self._checks)

    @property
    def has_causes(self) -> bool:
        """Whether the run says which stage loses an item's points."""
        return bool(self._waterfall)

    def head(self, key: Key) -> ItemHead:
        """Return what is kept in memory of an item."""
        verdict = self._verdicts.header(key) if self._is_current(self._verdicts, key) else None
        check = self._checks.header(key) if self._is_current(self._checks, key) else CheckHeader()
        row = self._waterfall.header(key) if self._is_current(self._waterfall, key) else None
        answer = self._answers.header(key)
        grade = verdict.grade if verdict is not None and answer.answerable else None
        return ItemHead(answer, grade, check.supported_share, _cause(grade, row))

    def _calls(self, key: Key) -> tuple[Row, ...]:
        return self._traces.of(key)

    @cached_property
    def _traces(self) -> ItemTraces:
        return ItemTraces(self.folder.traces_file, _COMPONENTS)

    def _current(self, store: RecordStore[Record], key: Key) -> Record | None:
        return store[key] if self._is_current(store, key) else None

    def _is_current(self, store: RecordStore[Record], key: Key) -> bool:
        """Return whether a store has a record of an item that is about the answer in the run."""
        return key in store and bool(self._answers.header(key).has_hash(store.header(key).answer_hash))


def _cause(grade: int | None, row: WaterfallRow | None) -> LossStage | None:
    return None if row is None or grade is None or WEIGHTS[grade] == 1.0 else row.cause
