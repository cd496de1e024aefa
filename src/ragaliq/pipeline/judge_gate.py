"""Asking a judge the controls, and letting no paid judging begin with a judge that fails them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError, RagaliqError, Stopped
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.judge import Judge
from ragaliq.judge.controls.cases import Checked, Control, written_controls
from ragaliq.judge.controls.gates import worst_gates
from ragaliq.judge.controls.results import CONTROLS_FORMAT, JudgeResults, results_json, unmeasured
from ragaliq.judge.panel import PanelJudge, clients
from ragaliq.llm import LLMSession
from ragaliq.pipeline.grade import verdict_on
from ragaliq.pipeline.manifest import judge_identity
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer, current_verdicts
from ragaliq.storage.files import read_json, write_json
from ragaliq.storage.own_json import misfit
from ragaliq.types import Answer, AnswerOutcome, Item, Verdict


class ControlsFailed(RagaliqError):
    """The judge fails its controls; nothing was judged."""

    exit_code = 1


def grade_cases(
    judge: Judge, cases: Sequence[tuple[Item, str]], session: LLMSession, name: str = "controls"
) -> list[Verdict]:
    """Return a judge's verdict on each answer text to an item, in their order, with a progress bar.

    Raises:
        RagaliqError: what the judge raises to stop the work.
        Stopped: if the stop was asked for.
    """
    verdicts, thread = _Verdicts(), SerialThread()
    answers = [RunAnswer(item, Answer(item.query, text, AnswerOutcome.ANSWERED, ())) for item, text in cases]

    async def do(places: Sequence[int]) -> list[tuple[int, Verdict]]:
        return [(i, await verdict_on(answers[i], judge, thread)) for i in places]

    carry_out(run_stage(name, range(len(answers)), do, verdicts, session), session, thread)
    return [verdict for _, verdict in sorted(verdicts, key=lambda placed: placed[0])]


class _Verdicts(list[tuple[int, Verdict]]):
    """Verdicts by place, kept in memory."""

    def sync(self) -> None:
        """Wait for nothing."""

    def failed(self, placed: tuple[int, Verdict]) -> bool:
        """Return whether there is no grade."""
        return placed[1].grade is None


def run_controls(judge: Judge, controls: Sequence[Control], session: LLMSession) -> JudgeResults:
    """Return what a judge says to controls, in their order; raises what `ask` raises.

    Of a panel each draw of each member is asked once; what the panel says follows from them.
    """
    cases = [(control.item, control.answer) for control in controls]
    if not isinstance(judge, PanelJudge):
        return _results(judge_identity(judge), controls, grade_cases(judge, cases, session))
    panel = judge

    def merged(draws: Sequence[Sequence[Verdict]]) -> list[Verdict]:
        by_control = zip(controls, zip(*draws, strict=True), strict=True)
        return [panel.merge(control.item, verdicts) for control, verdicts in by_control]

    drawn: list[list[Verdict]] = []
    members: list[JudgeResults] = []
    for member in panel.members:
        draws = [grade_cases(draw, cases, session, f"controls, {member.name}") for draw in member.draws]
        drawn += draws
        if clients(member.draws[0]) and len(panel.members) > 1:
            members.append(_results((member.name, member.prompt_hash), controls, merged(draws)))
    return _results(judge_identity(judge), controls, merged(drawn), members)


def _results(
    identity: tuple[str, str],
    controls: Sequence[Control],
    verdicts: Sequence[Verdict],
    members: Sequence[JudgeResults] = (),
) -> JudgeResults:
    results = tuple(Checked(c, v.grade, v.outcome, v.feedback) for c, v in zip(controls, verdicts, strict=True))
    return JudgeResults(*identity, results, tuple(members))


def controls_to_pass(judge: Judge, langs: Sequence[str], passed: Path | None) -> tuple[Control, ...]:
    """Return the controls that a judge has yet to pass before it grades answers in languages.

    They are the hand-written ones of these languages, or the English ones if there are none in any of them. There are
    none for a judge that calls no endpoint, and none if the file `passed` says that it has passed.
    """
    if not clients(judge):
        return ()
    controls = written_controls(langs) or written_controls(["en"])
    return () if passed is not None and _has_passed(passed, judge, controls) else controls


def open_checked(
    folder: RunFolder, manifest: Mapping[str, Any], judge: Judge, session: LLMSession, fresh: bool = False
) -> None:
    """Open a run (`RunFolder.open`) whose judge has to pass its controls, unless nothing is left to be judged.

    The judge is recorded only when it has passed, so that after a failure another one can take its place; and only then
    a run that `fresh` throws away is removed.

    Raises:
        InputError: as `RunFolder.open`, before anything is called.
        ControlsFailed, Stopped: as `require_controls`.
    """
    fresh = fresh or folder.makes_room_for(manifest)
    if fresh and clients(judge) and folder.config_file.is_file():
        folder.check_removable()
        require_controls(judge, sorted(manifest["expected"]), session, folder.controls_file, anew=True)
        passed = read_json(folder.controls_file)
        folder.open(manifest, fresh)
        write_json(folder.controls_file, passed)
        return
    earlier = None if fresh or not folder.config_file.is_file() else folder.config()["judge"]
    # A run of another judge is refused below, as a whole: not a line of its configuration may change before.
    if clients(judge) and earlier in (None, manifest["judge"]):
        folder.open({**manifest, "judge": None}, fresh)
        fresh = False
        config = folder.config()
        expected = sum(sum(counts.values()) for counts in config["expected"].values())
        if len(current_verdicts(folder.answers(), folder.verdicts())) < expected:
            require_controls(judge, sorted(config["expected"]), session, folder.controls_file)
    folder.open(manifest, fresh)


def require_controls(judge: Judge, langs: Sequence[str], session: LLMSession, path: Path, anew: bool = False) -> None:
    """Ask a judge the controls of languages, unless the file `path` says that it has passed them.

    With `anew` it is asked then, too. The file is written whether they pass or not; a line on stderr tells how they
    went.

    Raises:
        InputError: if the file is there and tells of no controls.
        ControlsFailed: if a gate fails, of the judge or of a panel's member; the message names the worst failures.
        Stopped: if too many calls failed (`check_answered`), which tells nothing about the judge; or as `ask`.
    """
    controls = controls_to_pass(judge, langs, None if anew else path)
    if not controls:
        return
    if path.exists() and not _tells_of_controls(path):
        raise InputError(f"{path}: is no file of controls, and they would be written there; move it away")
    results = run_controls(judge, controls, session)
    check_answered(results)
    value = results_json(results)
    write_json(path, value)
    failures = failure_lines(results)
    if failures:
        raise ControlsFailed(
            f"{failures[0]}, so nothing was judged; name another with --judge, see `ragaliq judge-controls` and "
            f"{path}, or go on with --no-controls"
        )
    without = sorted(set(langs) - set(value["langs"]))
    missing = f"; there are none in {', '.join(without)}" if without else ""
    for one in (*results.members, results):
        passes = f"{sum(result.passed for result in one.results)} of {len(one.results)}"
        print(f"controls: judge '{one.name}' passes {passes} ({', '.join(value['langs'])}){missing}", file=sys.stderr)


def failure_lines(results: JudgeResults) -> list[str]:
    """Return a line for each judge that fails, a panel's members before the panel; none if all pass."""
    failing = [(one.name, worst_gates(one.results)) for one in (*results.members, results)]
    return [f"controls: judge '{name}' fails them ({'; '.join(failures)})" for name, failures in failing if failures]


def check_answered(results: JudgeResults) -> None:
    """Refuse results with too many calls that failed (`unmeasured`): they tell nothing about the judge, or a member.

    Raises:
        Stopped: with an example.
    """
    for one in (*results.members, results):
        which = unmeasured(one.results)
        if which:
            example = next(result.feedback for result in one.results if not result.answered)
            raise Stopped(
                f"controls: judge '{one.name}': {which} failed, so nothing is known about it, such as: "
                f"{' '.join(example.split())[:200]}; the same command tries again"
            )


def _tells_of_controls(path: Path) -> bool:
    return not misfit(read_json(path), {"format": frozenset({CONTROLS_FORMAT})})


def _has_passed(path: Path, judge: Judge, controls: Sequence[Control]) -> bool:
    """Return whether a file says that the judge has passed the controls of these languages."""
    if not path.is_file():
        return False
    value = read_json(path)
    if misfit(value, {"langs": [str], "passed": (bool, None), "judge": str, "prompt_hash": str}):
        return False
    same = (value.get("judge"), value.get("prompt_hash")) == judge_identity(judge)
    return same and value["passed"] is True and {c.lang for c in controls} <= set(value["langs"])
