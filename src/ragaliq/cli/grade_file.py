"""`ragaliq grade-file`: the rows of a file with a judge's grades."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.judging import abstention_notes, add_judging, chosen_judge, judge_notes
from ragaliq.cli.options import MIN_COVERAGE, add_calls, make_session, share, tell_calls

if TYPE_CHECKING:
    from ragaliq.pipeline.grade_file import FileGraded


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "grade-file",
        help="grade the answers in a file",
        description="Reads JSON Lines with lang, question, reference and answer, and writes the same rows, in the same "
        "order and with all their keys, with grade, outcome, feedback, judge and prompt_hash.",
    )
    add = parser.add_argument
    add("source", metavar="IN.jsonl", help="rows {lang, question, reference, answer}")
    add("--judge", default="offline", metavar="KIND[:MODEL]", help="offline (default), openai:MODEL, panel:A+B")
    add("--out", required=True, metavar="OUT.jsonl", help="the graded rows; the same command goes on with it")
    add("--fresh", action="store_true", help="begin anew instead of going on with OUT")
    add("--min-coverage", type=share, default=MIN_COVERAGE, metavar="SHARE", help="least share of graded answers (.95)")
    add_judging(parser)
    add_calls(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return the exit code of the coverage gate."""
    from ragaliq.config import Component, RunConfig
    from ragaliq.pipeline.evaluate import make_judge
    from ragaliq.pipeline.grade_file import file_languages, grade_file

    component = chosen_judge(Component.parse(arguments.judge, "--judge"), arguments)
    source, out = Path(arguments.source), Path(arguments.out)
    session = make_session(arguments)
    judge = make_judge(RunConfig(judge=component), session)
    langs = file_languages(source, out)
    for note in (*judge_notes(component, None, langs), *abstention_notes(component, langs)):
        print(note, file=sys.stderr)
    try:
        graded = grade_file(source, judge, out, session, arguments.fresh, not arguments.no_controls)
    finally:
        tell_calls(session)
    print(f"{out}: {graded.n_scored} of {graded.n} rows have a grade")
    return _gate(graded, out, arguments.min_coverage)


def _gate(graded: FileGraded, out: Path, least: float) -> int:
    if graded.failures:
        reasons = ", ".join(f"{count} {outcome}" for outcome, count in graded.failures.items())
        again = "; the same command tries api_error again" if "api_error" in graded.failures else ""
        print(f"ragaliq: {out}: without a grade: {reasons}{again}", file=sys.stderr)
    if graded.coverage >= least:
        return 0
    print(f"ragaliq: {out}: less than --min-coverage {least:g} of the rows have a grade", file=sys.stderr)
    return 1
