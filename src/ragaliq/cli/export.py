"""`ragaliq export`: a run in another tool's files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import run_path, tell
from ragaliq.errors import InputError

if TYPE_CHECKING:
    from ragaliq.aggregate.exported_log import ExportedLog
    from ragaliq.aggregate.run_figures import RunFigures

# What becomes of them in each tool's files.
_UNGRADED = {"ragaliq": "in eval_ans_… alone", "inspect": "there as not scored", "eee": "there as -1 with an error"}
_UNANSWERED = {
    "ragaliq": "in neither file",
    "inspect": "in the number of samples alone",
    "eee": "in samples_number alone",
}


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "export",
        help="write a run in another tool's files",
        description="Writes a graded run as the logs of RAGaliq (DIR/logs/eval/eval_ans_….json and eval_res_….json, "
        "DIR/logs/res/results_….txt, for each language), as logs of inspect_ai (DIR/TIME_NAME-LANG_ID.json), or in the "
        "schema of Every Eval Ever (DIR/data/NAME/ragaliq/RUN/UUID.json and UUID_samples.jsonl). What such files "
        "cannot hold is named on stderr and in docs/from_ragaliq.md and docs/other_tools.md.",
    )
    add = parser.add_argument
    add("run", metavar="RUN", help="folder of a run")
    add("--to", required=True, choices=("ragaliq", "inspect", "eee"), help="the tool; eee: Every Eval Ever")
    add("--out", required=True, metavar="DIR", help="where the files go; several runs may share a folder")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.aggregate.exported_log import exported_logs
    from ragaliq.aggregate.run_figures import read_figures
    from ragaliq.runs.folder import RunFolder

    run = read_figures(RunFolder(run_path(arguments.run)))
    logs = exported_logs(run)
    if not logs:
        raise InputError(f"{run.folder}: has no answer to an answerable query; give another run")
    files = _write(arguments.to, Path(arguments.out), run, logs)
    tell(line for log in logs for line in _losses(log, arguments.to))
    for path in files:
        print(path)
    return 0


def _write(tool: str, out: Path, run: RunFigures, logs: list[ExportedLog]) -> list[Path]:
    from ragaliq.aggregate.exported_log import graded_at
    from ragaliq.report.exports.every_eval_ever import write_every_eval_ever
    from ragaliq.report.exports.inspect_logs import write_inspect_logs
    from ragaliq.report.exports.reference_logs import write_reference_logs

    if tool == "ragaliq":
        return write_reference_logs(out, run.config, logs)
    return (write_inspect_logs if tool == "inspect" else write_every_eval_ever)(out, run, logs, graded_at(run))


def _losses(log: ExportedLog, tool: str) -> Iterator[str]:
    """Yield what of a language is not in its log."""
    if log.n_unanswerable:
        yield f"note: {log.lang}: unanswerable queries, which these logs do not know, left out: {log.n_unanswerable}"
    ungraded = len(log.answers) - len(log.graded)
    if ungraded:
        yield f"note: {log.lang}: answers without a grade, {_UNGRADED[tool]}: {ungraded}"
    if log.n_missing:
        yield f"note: {log.lang}: queries without an answer, {_UNANSWERED[tool]}: {log.n_missing}"
