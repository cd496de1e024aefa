"""`ragaliq judge`: grade the answers of runs without answering again."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ragaliq.cli.judging import add_judging, chosen_judge, judge_notes
from ragaliq.cli.options import MIN_COVERAGE, add_calls, make_session, run_path, share, tell_calls
from ragaliq.cli.run import finish


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser("judge", help="grade the answers of runs without answering again")
    add = parser.add_argument
    add("runs", nargs="+", metavar="RUN", help="folder of a run")
    add("--judge", metavar="KIND[:MODEL]", help="offline, openai:MODEL, or several as in panel:openai:A+offline "
        "(default: the run's own judge)")  # fmt: skip
    add("--only-unscored", action="store_true", help="only the answers that have no grade yet, or a draw without one")
    add("--min-coverage", type=share, default=MIN_COVERAGE, metavar="SHARE", help="least share of graded answers (.95)")
    add_judging(parser)
    add_calls(parser, traces=True)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return the worst exit code of the runs."""
    from ragaliq.config import Component, RunConfig
    from ragaliq.errors import InputError
    from ragaliq.pipeline.rejudge import grade_again
    from ragaliq.runs.folder import RunFolder

    code = 0
    for run in arguments.runs:
        folder = RunFolder(run_path(run))
        manifest = folder.config()
        if arguments.judge:
            judge = Component.parse(arguments.judge, "--judge")
        else:
            if manifest["judge"] is None and folder.regrading_file.exists():
                raise InputError(f"{folder}: a first grading was interrupted; go on with its command, or name --judge")
            if manifest["judge"] is None:
                print(
                    f"note: {folder} has no judge yet, so the offline one grades; --judge names another",
                    file=sys.stderr,
                )
            recorded = manifest["judge"] or {"kind": "offline"}
            judge = Component(recorded["kind"], recorded.get("model", ""), recorded.get("options", {}))
        judge = chosen_judge(judge, arguments)
        reader = manifest["system"].get("reader") or {}
        read_by = Component(str(reader.get("kind", "")), str(reader.get("model") or ""))
        for note in judge_notes(judge, read_by, sorted(manifest["expected"])):
            print(note, file=sys.stderr)
        config = RunConfig(judge=judge, seed=manifest["system"]["seed"])
        session = make_session(arguments)
        try:
            graded = grade_again(folder, config, session, arguments.only_unscored, not arguments.no_controls)
        finally:
            tell_calls(session)
        code = max(code, finish(graded, arguments.min_coverage))
    return code
