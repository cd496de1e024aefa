"""Grading a run's answers again, without answering again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.benchmark.load import Benchmark
from ragaliq.config import RunConfig
from ragaliq.errors import InputError
from ragaliq.execution.progress import say
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.judge import Judge
from ragaliq.llm import LLMSession
from ragaliq.pipeline.check import check_answers, make_checking, with_nuggets
from ragaliq.pipeline.evaluate import make_judge, work_on_run
from ragaliq.pipeline.findings import Inquiry
from ragaliq.pipeline.grade import Grading, grade_answers
from ragaliq.pipeline.judge_gate import require_controls
from ragaliq.pipeline.manifest import judge_identity, judge_manifest, resolved_judge
from ragaliq.pipeline.measure import measure
from ragaliq.pipeline.waterfall.waterfall import forget_conditions, locate_gold
from ragaliq.runs.benchmark import items_by_key, run_benchmark
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.manifests import asked_judge, first_difference, judge_name
from ragaliq.runs.rows import RunAnswer
from ragaliq.storage.files import write_json
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import Verdict

# Key of `config.json` while answers are graded anew: the judge that does it, whose name and prompts are not all of it.
_REGRADING = "regrading"


def grade_again(
    folder: RunFolder,
    config: RunConfig,
    session: LLMSession | None = None,
    only_unscored: bool = False,
    controls: bool = False,
) -> RunFigures:
    """Grade a run's answers anew without answering again, and return the run's figures.

    With `only_unscored` just the answers are graded that have no grade, or a draw without one, by the judge that graded
    the others. Otherwise the old verdicts stay in force until the last new one is there; the same call after a kill
    goes on. The separate questions of `config.check` are asked last, where there are no findings yet.

    The judge is given the benchmark's items, with gold and type, if the benchmark of `config.json` is at hand and has
    the same hash; else items as the run holds them, without.

    Raises:
        InputError: if the folder is no run, holds findings of another model than `config.check`, or `only_unscored`
            would mix two judges.
        ControlsFailed: if `controls` asks for them and the judge fails them; nothing is judged then.
        Stopped: if the work ended early; the same call goes on.
    """
    session = session or LLMSession()
    judge = make_judge(config, session)
    checking = make_checking(config.check, session, config.seed)
    with folder.locked():
        manifest, answers = folder.config(), folder.answers()
        benchmark = _benchmark(folder)
        inquiries: list[Inquiry[Any]] = []
        if checking:
            checking = with_nuggets(checking, folder)
            inquiries = checking.inquiries(folder, answers)
            checking.refuse_others(folder, inquiries)
        resolved = judge_manifest(config.judge, judge)
        if only_unscored and manifest["judge"]:
            _check_judge(folder, manifest["judge"], resolved)

        def pass_controls() -> None:
            if controls:
                require_controls(judge, sorted(manifest["expected"]), session, folder.controls_file)

        if only_unscored:
            stage = _grading(benchmark, judge, answers, folder.verdicts(), session)
            rest = stage.pending(only_unscored=True)
            if not all(stage.answers.header(key).failed for key in rest):
                pass_controls()
            # Before the first grade, so that no later call adds those of another judge.
            write_json(folder.config_file, {**manifest, "judge": resolved})
            _grade(folder, stage, rest)
            _follow_gold(folder, benchmark, manifest["judge"], resolved)
        else:
            pass_controls()
            _begin_regrading(folder, manifest, resolved)
            stage = _grading(benchmark, judge, answers, _regraded(folder, judge), session)
            _grade(folder, stage, stage.pending())
            _follow_gold(folder, benchmark, manifest["judge"], resolved)
            manifest.pop(_REGRADING, None)
            write_json(folder.config_file, {**manifest, "judge": resolved})
            # Last, so that the same call after a kill finds its grades and only has to finish.
            folder.regrading_file.unlink(missing_ok=True)
        folder.note_models(resolved_judge(config.judge, judge))
        try:
            if checking:
                check_answers(folder, checking, inquiries, session)
        finally:
            figures = measure(folder)
        return figures


def _check_judge(folder: RunFolder, recorded: Mapping[str, Any], judge: Mapping[str, Any]) -> None:
    other = first_difference(asked_judge(recorded), asked_judge(judge))
    if other:
        raise InputError(
            f"{folder}: graded by '{judge_name(recorded)}' ({other}); "
            "--only-unscored goes on with the same judge, without it all answers are graded anew"
        )


def _benchmark(folder: RunFolder) -> Benchmark | None:
    """Return the benchmark of a run; None where it is not at hand."""
    try:
        return run_benchmark(folder, sorted(folder.config()["expected"]))
    except InputError:
        return None


def _grading(
    benchmark: Benchmark | None,
    judge: Judge,
    answers: RecordStore[RunAnswer],
    verdicts: RecordStore[Verdict],
    session: LLMSession,
) -> Grading:
    items = items_by_key(benchmark) if benchmark else {}
    return Grading(judge, answers, verdicts, session, SerialThread(), items)


def _grade(folder: RunFolder, stage: Grading, keys: Sequence[Key]) -> None:
    """Grade answers of a run; the stage's verdicts become the run's."""
    work_on_run("judging", folder, grade_answers(stage, keys), stage.session, stage.thread)
    stage.verdicts.rewrite(folder.verdicts_file)


def _follow_gold(
    folder: RunFolder, benchmark: Benchmark | None, recorded: Mapping[str, Any] | None, judge: Mapping[str, Any]
) -> None:
    """Write what is missing of a graded run's waterfall; answers from other contexts stay with the judge they had."""
    if recorded and first_difference(asked_judge(recorded), asked_judge(judge)):
        forget_conditions(folder)
    if benchmark is not None:
        locate_gold(folder, benchmark)
    elif not folder.waterfall_file.is_file():
        say(f"note: {folder}: its benchmark is not at hand, so nothing tells which stage loses the points")


def _begin_regrading(folder: RunFolder, manifest: Mapping[str, Any], judge: Mapping[str, Any]) -> None:
    """Note which judge grades anew; grades that an interrupted call left with other options of it are thrown away."""
    if asked_judge(manifest.get(_REGRADING) or judge) != asked_judge(judge):
        folder.regrading_file.unlink(missing_ok=True)
    write_json(folder.config_file, {**manifest, _REGRADING: judge})


def _regraded(folder: RunFolder, judge: Judge) -> RecordStore[Verdict]:
    """Return the judge's new verdicts: a file of their own, which takes the old one's place when it is whole."""
    verdicts = folder.verdicts(folder.regrading_file)
    identity = judge_identity(judge)
    if any((verdicts.header(key).judge, verdicts.header(key).prompt_hash) != identity for key in verdicts):
        # Left by an interrupted call with another judge.
        folder.regrading_file.unlink()
        verdicts = folder.verdicts(folder.regrading_file)
    return verdicts
