"""Grading a run's answers again, without answering again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragaliq.aggregate.summary import Summary
from ragaliq.config import RunConfig
from ragaliq.errors import InputError
from ragaliq.execution.engine import SerialThread, each
from ragaliq.judge import Judge
from ragaliq.llm import LLMSession
from ragaliq.pipeline.evaluate import Job, make_judge, measure
from ragaliq.pipeline.grade import Grading, grade
from ragaliq.pipeline.judge_gate import has_unscored, require_controls
from ragaliq.pipeline.manifest import judge_identity, judge_manifest
from ragaliq.runs.folder import RunFolder, difference
from ragaliq.storage.files import write_json

# Key of `config.json` while answers are graded anew: the judge that does it, whose name and prompts are not all of it.
_REGRADING = "regrading"


def grade_again(
    folder: RunFolder,
    config: RunConfig,
    session: LLMSession | None = None,
    only_unscored: bool = False,
    controls: bool = False,
) -> list[Summary]:
    """Grade a run's answers anew without answering again, and return the summaries.

    With `only_unscored` just the answers are graded that have no grade, or a draw without one, by the judge that graded
    the others. Otherwise the old verdicts stay in force until the last new one is there; the same call after a kill
    goes on.

    Raises:
        InputError: if the folder is no run, or `only_unscored` would mix two judges.
        ControlsFailed: if `controls` asks for them and the judge fails them; nothing is judged then.
        Stopped: if the work ended early; the same call goes on.
    """
    session = session or LLMSession()
    judge = make_judge(config, session)
    job = Job("judging", folder, session, SerialThread())
    with folder.locked():
        manifest = folder.config()
        resolved = judge_manifest(config.judge, judge)
        other = difference(_asked(manifest["judge"]), _asked(resolved)) if manifest["judge"] else ""
        if only_unscored and other:
            raise InputError(
                f"{folder}: graded by '{manifest['judge']['name']}' ({other}); "
                "--only-unscored goes on with the same judge, without it all answers are graded anew"
            )
        if controls and (not only_unscored or has_unscored(folder)):
            require_controls(judge, sorted(manifest["expected"]), session, folder.controls_file)
        if only_unscored:
            # Before the first grade, so that no later call adds those of another judge.
            write_json(folder.config_file, {**manifest, "judge": resolved})
            job.carry_out(_grade_unscored(job, judge))
        else:
            _begin_regrading(folder, manifest, resolved)
            job.carry_out(_regrade(job, judge))
            manifest.pop(_REGRADING, None)
            write_json(folder.config_file, {**manifest, "judge": resolved})
            # Last, so that the same call after a kill finds its grades and only has to finish.
            folder.regrading_file.unlink(missing_ok=True)
        return measure(folder, config.seed)


async def _grade_unscored(job: Job, judge: Judge) -> None:
    stage = Grading(judge, job.folder.answers(), job.folder.verdicts(), job.session, job.thread)
    pending = stage.pending(only_unscored=True)
    await grade(stage, each(pending), len(pending))
    stage.verdicts.rewrite()


def _asked(judge: Mapping[str, Any]) -> dict[str, Any]:
    """Return what decides a recorded judge's grades; what it is certified by does not."""
    return {key: value for key, value in judge.items() if key != "certificate"}


def _begin_regrading(folder: RunFolder, manifest: Mapping[str, Any], judge: Mapping[str, Any]) -> None:
    """Note which judge grades anew; grades that an interrupted call left with other options of it are thrown away."""
    if _asked(manifest.get(_REGRADING) or judge) != _asked(judge):
        folder.regrading_file.unlink(missing_ok=True)
    write_json(folder.config_file, {**manifest, _REGRADING: judge})


async def _regrade(job: Job, judge: Judge) -> None:
    """Grade all answers into a file of their own, which takes the place of the old verdicts when it is whole."""
    folder = job.folder
    file = folder.regrading_file
    done = folder.verdicts(file)
    identity = judge_identity(judge)
    if any((done.header(key).judge, done.header(key).prompt_hash) != identity for key in done):
        # Left by an interrupted call with another judge.
        file.unlink()
        done = folder.verdicts(file)
    stage = Grading(judge, folder.answers(), done, job.session, job.thread)
    pending = stage.pending()
    await grade(stage, each(pending), len(pending))
    done.rewrite(folder.verdicts_file)
