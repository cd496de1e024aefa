"""`ragaliq export`: a run in another tool's files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import run_path, tell
from ragaliq.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragaliq.aggregate.exported_log import ExportedLog


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "export",
        help="write a run in another tool's files",
        description="Writes a graded run as the logs of RAGaliq: DIR/logs/eval/eval_ans_….json and eval_res_….json, "
        "DIR/logs/res/results_….txt, for each language. What such logs cannot hold is named on stderr and in "
        "docs/from_ragaliq.md.",
    )
    add = parser.add_argument
    add("run", metavar="RUN", help="folder of a run")
    add("--to", required=True, choices=("ragaliq", "inspect"), help="the tool; inspect comes with a later version")
    add("--out", required=True, metavar="DIR", help="where the files go; several runs may share a folder")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    if arguments.to != "ragaliq":
        raise ConfigError(f"--to {arguments.to}: comes with a later version; use ragaliq")
    from ragaliq.aggregate.exported_log import exported_logs
    from ragaliq.aggregate.run_figures import read_figures
    from ragaliq.report.reference_logs import write_reference_logs
    from ragaliq.runs.folder import RunFolder

    run = read_figures(RunFolder(run_path(arguments.run)))
    logs = exported_logs(run)
    if not logs:
        raise InputError(f"{run.folder}: has no answer to an answerable query; give another run")
    files = write_reference_logs(Path(arguments.out), run.config, logs)
    tell(line for log in logs for line in _losses(log))
    for path in files:
        print(path)
    return 0


def _losses(log: ExportedLog) -> Iterator[str]:
    """Yield what of a language is not in its log."""
    if log.n_unanswerable:
        yield f"note: {log.lang}: unanswerable queries, which these logs do not know, left out: {log.n_unanswerable}"
    ungraded = len(log.answers) - len(log.graded)
    if ungraded:
        yield f"note: {log.lang}: answers without a grade, in eval_ans_… alone: {ungraded}"
    if log.n_missing:
        yield f"note: {log.lang}: queries without an answer, in neither file: {log.n_missing}"
