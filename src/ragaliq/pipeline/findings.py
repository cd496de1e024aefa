"""Asking about answers beside their grade: every finding is in the run folder at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from ragaliq.errors import RagaliqError
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.llm import LLMSession
from ragaliq.runs.rows import AnswerHeader, RunAnswer
from ragaliq.storage.error_log import told
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import VerdictOutcome


class FindingHeader(Protocol):
    """What is kept in memory of a finding: whether there is one, who found it, and on which answer."""

    @property
    def outcome(self) -> VerdictOutcome | None:
        """`scored` if something was found."""

    @property
    def complete(self) -> bool:
        """Whether nothing that was asked failed."""

    @property
    def checker(self) -> tuple[str, str]:
        """Name and prompt hash of who found it."""

    @property
    def answer_hash(self) -> str:
        """Of the answer; empty if not known."""


Finding = TypeVar("Finding")


@dataclass(frozen=True, slots=True)
class Inquiry(Generic[Finding]):
    """One kind of finding about the answers of a run.

    Attributes:
        name: what the progress bar says.
        identity: name and prompt hash of who finds.
        answers: the answers of the run.
        store: takes the findings.
        find: returns the finding about an answer; it calls plain functions in the thread.
        nothing: returns a finding that holds only the reason why there is none.
        concerns: whether an answer is asked about at all.
    """

    name: str
    identity: tuple[str, str]
    answers: RecordStore[RunAnswer]
    store: RecordStore[Finding]
    find: Callable[[RunAnswer, SerialThread], Awaitable[Finding]]
    nothing: Callable[[RunAnswer, VerdictOutcome, str], Finding]
    concerns: Callable[[Key], bool] = lambda _: True

    def pending(self) -> list[Key]:
        """Return the answers without a finding, or with one that no longer holds."""
        return [key for key in self.answers if self.concerns(key) and not self._holds(key)]

    def _holds(self, key: Key) -> bool:
        return key in self.store and not _stale(self.answers.header(key), self.store.header(key), self.identity)


async def inquire(
    inquiry: Inquiry[Finding],
    keys: Sequence[Key] | AsyncIterator[Key],
    session: LLMSession,
    thread: SerialThread,
    total: int | None = None,
    row: int = 0,
) -> None:
    """Ask about the answers of the keys; `total` says how many there will be of those that come one by one."""

    async def do(batch: Sequence[Key]) -> list[Finding]:
        return [await _finding(inquiry, key, thread) for key in batch]

    with inquiry.store:
        await run_stage(inquiry.name, keys, do, inquiry.store, session, total=total, row=row)


async def finding_on(
    answered: RunAnswer,
    find: Callable[[RunAnswer, SerialThread], Awaitable[Finding]],
    nothing: Callable[[RunAnswer, VerdictOutcome, str], Finding],
    thread: SerialThread,
) -> Finding:
    """Return the finding about one answer; whatever goes wrong becomes a finding with only a typed reason.

    Raises:
        RagaliqError: what is raised to stop the work.
    """
    if answered.answer.failed:
        return nothing(answered, VerdictOutcome.NO_ANSWER, answered.answer.error)
    wanted = type(nothing(answered, VerdictOutcome.API_ERROR, ""))
    try:
        finding: Any = await find(answered, thread)
        if not isinstance(finding, wanted) or finding.key != answered.item.key:  # type: ignore[attr-defined]
            raise TypeError(f"a {wanted.__name__} on {answered.item.key} is expected, not {finding!r}")
        return finding
    except RagaliqError:
        raise
    except (Exception, SystemExit) as error:  # Who is asked may be anybody's code; whatever it raises is no finding.
        query = answered.item.query
        why = told(error, f"{wanted.__name__}, query {query.query_id} ({query.lang})")
        return nothing(answered, VerdictOutcome.API_ERROR, why)


async def _finding(inquiry: Inquiry[Finding], key: Key, thread: SerialThread) -> Finding:
    finding: Any = await finding_on(inquiry.answers[key], inquiry.find, inquiry.nothing, thread)
    hashed: Finding = replace(finding, answer_hash=inquiry.answers.header(key).hash)
    return hashed


def _stale(answer: AnswerHeader, finding: FindingHeader, identity: tuple[str, str]) -> bool:
    """Return whether to ask again."""
    if finding.checker != identity or not answer.has_hash(finding.answer_hash):
        return True
    if finding.outcome is VerdictOutcome.NO_ANSWER:
        # The reader may have been asked again since, and have answered this time.
        return not answer.failed
    return not (finding.complete or finding.outcome is VerdictOutcome.NO_CONTEXTS)
