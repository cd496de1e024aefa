"""`ragaliq judge`: grade the answers of runs without answering again."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragaliq.cli.judging import chosen_judge, idle_model_notes, judge_notes
from ragaliq.cli.options import add_calls, add_check, add_judging, add_shared, command_session, run_path, tell
from ragaliq.cli.run import finish
from ragaliq.config import Component, RunConfig
from ragaliq.errors import InputError

if TYPE_CHECKING:
    from ragaliq.runs.folder import RunFolder


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser("judge", help="grade the answers of runs without answering again")
    add_shared(parser, "runs", "--min-coverage")
    add_judging(parser, default="the run's own judge")
    add_check(parser, default="as in the run, else offline")
    parser.add_argument("--only-unscored", action="store_true",
        help="only the answers that have no grade yet, or a draw without one")  # fmt: skip
    add_calls(parser, traces=True)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return the worst exit code of the runs."""
    from ragaliq.pipeline.rejudge import grade_again
    from ragaliq.report.markdown.results import results_file
    from ragaliq.runs.folder import RunFolder

    code = 0
    folders = [RunFolder(run_path(run)) for run in arguments.runs]
    for folder in folders:
        results_file(folder.path.parent)
    for folder in folders:
        manifest = folder.config()
        recorded = Component("offline") if arguments.judge else _recorded_judge(folder, manifest)
        judge = chosen_judge(arguments, recorded)
        reader = manifest["system"].get("reader")
        tell(judge_notes(judge, reader and _component(reader), sorted(manifest["expected"])))
        tell([] if arguments.judge else idle_model_notes(judge))
        with command_session(arguments) as session:
            config = RunConfig(judge=judge, check=_check(arguments, manifest), seed=manifest["system"]["seed"])
            graded = grade_again(folder, config, session, arguments.only_unscored, not arguments.no_controls)
        code = max(code, finish(graded, arguments.min_coverage))
    return code


def _check(arguments: argparse.Namespace, manifest: Mapping[str, Any]) -> Component:
    if arguments.check:
        return Component.parse(arguments.check, "--check")
    recorded = manifest.get("check")
    return _component(recorded) if recorded else Component("offline")


def _recorded_judge(folder: RunFolder, manifest: Mapping[str, Any]) -> Component:
    if manifest["judge"] is not None:
        return _component(manifest["judge"])
    if folder.regrading_file.exists():
        raise InputError(f"{folder}: a first grading was interrupted; go on with its command, or name --judge")
    tell([f"note: {folder} has no judge yet, so the offline one grades; --judge names another"])
    return Component("offline")


def _component(recorded: Mapping[str, Any]) -> Component:
    return Component(recorded["kind"], recorded.get("model") or "", recorded.get("options", {}))
