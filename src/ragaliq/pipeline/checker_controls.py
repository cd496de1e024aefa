"""Running a checker's controls: sentences of which it is known whether the passages support them."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.errors import Stopped
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.judge.checks.support import Check, Checker
from ragaliq.judge.controls.faithfulness import Faithfulness, PlantedAnswer, faithfulness
from ragaliq.llm import LLMSession
from ragaliq.pipeline.check import check_on
from ragaliq.runs.rows import RunAnswer
from ragaliq.types import VerdictOutcome


def run_checker_controls(
    checker: Checker, answers: Sequence[PlantedAnswer], session: LLMSession
) -> tuple[Faithfulness, ...]:
    """Return what a checker says of planted answers, with a progress bar.

    Raises:
        Stopped: if more than half of the answers in a language have no findings, or if the stop was asked for.
    """
    checks, thread = _Checks(), SerialThread()
    rows = [RunAnswer(planted.item, planted.answer) for planted in answers]

    async def do(places: Sequence[int]) -> list[tuple[int, Check]]:
        return [(place, await check_on(rows[place], checker, thread)) for place in places]

    carry_out(run_stage("controls", range(len(rows)), do, checks, session), session, thread)
    ordered = [check for _, check in sorted(checks, key=lambda placed: placed[0])]
    parts = faithfulness(answers, ordered)
    for part in parts:
        if part.passed is None:
            lost = (one for one in ordered if one.lang == part.lang and one.outcome is not VerdictOutcome.SCORED)
            example = next(lost).error
            raise Stopped(
                f"controls: checker '{checker.name}': {part.n_lost} of {part.n} answers in {part.lang} have no "
                f"findings, so nothing is known about it, such as: {' '.join(example.split())[:200]}"
            )
    return parts


class _Checks(list[tuple[int, Check]]):
    """Checks by place, kept in memory."""

    def sync(self) -> None:
        """Wait for nothing."""

    def failed(self, placed: tuple[int, Check]) -> bool:
        """Return whether there are no findings."""
        return placed[1].outcome is not VerdictOutcome.SCORED
