"""`ragaliq grade-file`: the rows of a file with a judge's grades."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.judging import abstention_notes, chosen_judge, idle_model_notes, judge_notes
from ragaliq.cli.options import add_calls, add_judging, add_shared, command_session, tell
from ragaliq.config import Component, RunConfig

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
    add("--out", required=True, metavar="OUT.jsonl", help="the graded rows; the same command goes on with it")
    add_shared(parser, "--fresh", "--min-coverage")
    add_judging(parser)
    add_calls(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return the exit code of the coverage gate."""
    from ragaliq.pipeline.evaluate import make_judge
    from ragaliq.pipeline.grade_file import grade_file, read_answers

    component = chosen_judge(arguments, Component("offline"))
    tell([] if arguments.judge else idle_model_notes(component))
    source, out = Path(arguments.source), Path(arguments.out)
    with command_session(arguments) as session:
        judge = make_judge(RunConfig(judge=component), session)
        answers = read_answers(source, out)
        tell((*judge_notes(component, None, answers.langs), *abstention_notes(answers.langs, component)))
        graded = grade_file(answers, judge, session, arguments.fresh, not arguments.no_controls)
    print(f"{out}: {graded.n_scored} of {graded.n} rows have a grade")
    return _gate(graded, out, arguments.min_coverage)


def _gate(graded: FileGraded, out: Path, least: float) -> int:
    if graded.failures:
        reasons = ", ".join(f"{count} {outcome}" for outcome, count in graded.failures.items())
        again = "; the same command tries api_error again" if "api_error" in graded.failures else ""
        tell([f"ragaliq: {out}: without a grade: {reasons}{again}"])
    if graded.coverage >= least:
        return 0
    tell([f"ragaliq: {out}: less than --min-coverage {least:g} of the rows have a grade"])
    return 1
