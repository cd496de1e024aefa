"""`ragaliq grade`: the rows of a file of answers with a judge's grades and what their contexts support."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragaliq.cli.judging import abstention_notes, chosen_judge, idle_model_notes, judge_notes
from ragaliq.cli.options import add_calls, add_check, add_judging, add_shared, command_session, tell
from ragaliq.config import Component
from ragaliq.errors import ConfigError


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "grade",
        aliases=["grade-file"],
        help="grade answers that you have: CSV, JSON Lines, JSON, Parquet, traces",
        description="Reads rows with a question and an answer, and a reference (for a grade), contexts (for "
        "groundedness) or both; writes the same rows in the same order, with all their columns, and prints the figures "
        "by language. Columns are known by their usual names, or named with --map. Traces (OpenTelemetry, Langfuse, "
        "LangSmith) become one row for each answer.",
    )
    add = parser.add_argument
    add("source", metavar="IN", help="file of answers: .csv .tsv .jsonl .ndjson .json .parquet")
    add("--out", required=True, metavar="OUT", help="the graded rows, in the format of its ending; the same command "
        "goes on with it")  # fmt: skip
    add("--map", action="append", default=[], metavar="ROLE=COLUMN,…",
        help="columns of question, answer, reference, contexts, lang, as in --map answer=output")  # fmt: skip
    add("--encoding", default="", metavar="NAME", help="encoding of a file that is not UTF-8, as in cp1252")
    add_shared(parser, "--fresh", "--min-coverage")
    add_judging(parser)
    add_check(parser)
    add_calls(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return the exit code of the coverage gate."""
    from ragaliq.pipeline.answer_files.grade_file import grade_file, read_answers
    from ragaliq.pipeline.answer_files.graders import make_graders
    from ragaliq.report.graded_answers import missing_lines, render_answer_figures

    judge = chosen_judge(arguments, Component("offline"))
    check = Component.parse(arguments.check, "--check") if arguments.check else Component("offline")
    tell([] if arguments.judge else idle_model_notes(judge))
    source, out = Path(arguments.source), Path(arguments.out)
    with command_session(arguments) as session:
        answers = read_answers(source, out, named_columns(arguments.map), arguments.encoding)
        graders = make_graders(answers.columns, judge, check, session)
        tell([*answers.notes, f"columns: {answers.columns}; --map names others"])
        tell((*judge_notes(judge, None, answers.langs), *abstention_notes(answers.langs, judge)))
        figures = grade_file(answers, graders, session, arguments.fresh, not arguments.no_controls)
    print(f"{render_answer_figures(figures, arguments.min_coverage)}\n\ngraded: {out}")
    tell(f"ragaliq: {out}: {line}" for line in missing_lines(figures, arguments.min_coverage))
    return 0 if all(one.covered(arguments.min_coverage) for one in figures) else 1


def named_columns(options: Sequence[str]) -> dict[str, str]:
    """Return the columns that `--map` names, by their role.

    Raises:
        ConfigError: if an entry is no pair.
    """
    named = {}
    for entry in (entry for option in options for entry in option.split(",")):
        role, sign, column = entry.partition("=")
        if not (role.strip() and sign and column.strip()):
            raise ConfigError(f"--map {entry}: write ROLE=COLUMN, as in --map answer=output")
        named[role.strip()] = column.strip()
    return named
