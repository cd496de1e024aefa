"""Asking a judge the controls, and letting no paid judging begin with a judge that fails them."""

from __future__ import annotations

import sys
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ragaliq.engine import Lane, Stage, each, interruptible, run_to_end, work
from ragaliq.errors import RagaliqError, Stopped
from ragaliq.grading import verdict_on
from ragaliq.io import read_json, write_json
from ragaliq.judge import Judge
from ragaliq.judge.control_report import results_json, worst
from ragaliq.judge.controls import Checked, Control, checked, written_controls
from ragaliq.judge.panel import clients
from ragaliq.llm import Calls
from ragaliq.manifest import judge_identity
from ragaliq.run_rows import Answered
from ragaliq.runs import RunFolder
from ragaliq.types import Answer, Item, Verdict

FILE_NAME = "controls.json"
Result = TypeVar("Result")


class ControlsFailed(RagaliqError):
    """The judge fails its controls; nothing was judged."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Case:
    """An answer that a judge is asked about outside any run."""

    item: Item
    answer: Answer


def ask(judge: Judge, cases: Sequence[Case], calls: Calls, name: str = "controls") -> list[Verdict]:
    """Return a judge's verdict on each case, in their order, with a progress bar.

    Raises:
        RagaliqError: what the judge raises to stop the work.
        Stopped: if the stop was asked for.
    """
    verdicts: dict[int, Verdict] = {}
    lane = Lane()

    async def do(places: Sequence[int]) -> list[Verdict]:
        return [await verdict_on(Answered(cases[i].item, cases[i].answer), judge, lane) for i in places]

    stage: Stage[int, Verdict] = Stage(
        name, do, verdicts.__setitem__, _nothing, lambda v: v.grade is None, len(cases), calls.concurrency
    )
    try:
        carry_out(work(stage, each(range(len(cases))), calls.signal), calls)
    finally:
        lane.close()
    return [verdicts[place] for place in range(len(cases))]


def run_controls(judge: Judge, controls: Sequence[Control], calls: Calls) -> tuple[Checked, ...]:
    """Return what a judge says to controls, in their order; raises what `ask` raises."""
    verdicts = ask(judge, [Case(control.item, control.as_answer()) for control in controls], calls)
    return tuple(checked(control, verdict) for control, verdict in zip(controls, verdicts, strict=True))


def controls_to_pass(judge: Judge, langs: Sequence[str], folder: Path | None) -> tuple[Control, ...]:
    """Return the controls that a judge has yet to pass before it grades answers in languages.

    They are the hand-written ones of these languages, or the English ones if there are none in any of them. There are
    none for a judge that calls no endpoint, and none if the `controls.json` of the folder says that it has passed.
    """
    if not clients(judge):
        return ()
    controls = written_controls(langs) or written_controls(["en"])
    return () if folder is not None and _has_passed(folder / FILE_NAME, judge, controls) else controls


def open_checked(
    folder: RunFolder, manifest: Mapping[str, Any], judge: Judge, calls: Calls, fresh: bool = False
) -> None:
    """Open a run (`RunFolder.open`) whose judge has to pass its controls, unless nothing is left to be judged.

    The judge is recorded only when it has passed, so that after a failure another one can take its place.

    Raises:
        InputError: as `RunFolder.open`, before anything is called.
        ControlsFailed, Stopped: as `require_controls`.
    """
    if clients(judge):
        folder.open({**manifest, "judge": None}, fresh)
        fresh = False
        config = folder.config()
        expected = sum(sum(counts.values()) for counts in config["expected"].values())
        if config["judge"] in (None, manifest["judge"]) and len(folder.verdicts()) < expected:
            require_controls(judge, sorted(config["expected"]), calls, folder.path)
    folder.open(manifest, fresh)


def has_unscored(folder: RunFolder) -> bool:
    """Tell whether a run holds answers without a grade."""
    answers, verdicts = folder.answers(), folder.verdicts()
    return any(key not in verdicts or verdicts.note(key).grade is None for key in answers)


def require_controls(judge: Judge, langs: Sequence[str], calls: Calls, folder: Path) -> None:
    """Ask a judge the controls of languages, unless a folder's `controls.json` says that it has passed them.

    The file is written whether they pass or not; one line on stderr tells how they went.

    Raises:
        ControlsFailed: if a gate fails; the message names the worst failures.
        Stopped: if more than half of the calls failed, which tells nothing about the judge; or as `ask`.
    """
    controls = controls_to_pass(judge, langs, folder)
    if not controls:
        return
    results = run_controls(judge, controls, calls)
    name, prompt_hash = judge_identity(judge)
    check_answered(results, name)
    value, path = results_json(name, prompt_hash, results), folder / FILE_NAME
    write_json(path, value)
    failures = worst(results)
    if failures:
        raise ControlsFailed(
            f"controls: judge '{name}' fails them ({'; '.join(failures)}), so nothing was judged; name another with "
            f"--judge, see `ragaliq judge-controls` and {path}, or go on with --no-controls"
        )
    passes = sum(result.passed for result in results)
    without = sorted(set(langs) - set(value["langs"]))
    missing = f"; there are none in {', '.join(without)}" if without else ""
    print(
        f"controls: judge '{name}' passes {passes} of {len(results)} ({', '.join(value['langs'])}){missing}",
        file=sys.stderr,
    )


def check_answered(results: Sequence[Checked], name: str) -> None:
    """Refuse results of which more than half are calls that failed: they tell nothing about the judge.

    Raises:
        Stopped: with an example.
    """
    lost = [result for result in results if not result.answered]
    if 2 * len(lost) > len(results):
        raise Stopped(
            f"controls: {len(lost)} of {len(results)} calls of judge '{name}' failed, such as: "
            f"{' '.join(lost[0].feedback.split())[:200]}; the same command tries again"
        )


def _has_passed(path: Path, judge: Judge, controls: Sequence[Control]) -> bool:
    """Tell whether a file says that the judge has passed the controls of these languages."""
    if not path.is_file():
        return False
    value = read_json(path)
    if not isinstance(value, dict) or not isinstance(value.get("langs"), list):
        return False
    same = (value.get("judge"), value.get("prompt_hash")) == judge_identity(judge)
    return same and value.get("passed") is True and {c.lang for c in controls} <= set(value["langs"])


def carry_out(done: Coroutine[Any, Any, Result], calls: Calls) -> Result:
    """Do work that calls endpoints: Ctrl-C stops it in order, and its connections are closed."""

    async def carried() -> Result:
        try:
            with interruptible(calls.signal):
                return await done
        finally:
            await calls.close()

    return run_to_end(carried())


def _nothing() -> None:
    """Wait for nothing: what is asked here is kept in memory."""
