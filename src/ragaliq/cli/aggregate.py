"""`ragaliq aggregate`: aggregates of run folders, verdict files and reference logs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ragaliq.cli.options import add_format, positive


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "aggregate",
        help="aggregates of run folders, verdicts.jsonl, or reference-format JSON",
        description="Aggregates of each file and language. Files of one language and one judge on the same queries get "
        "rank_ci, the ranks that the data cannot tell apart.",
    )
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH", help="run folder, verdicts.jsonl, or JSON list of rows with a 'score'")
    add("--n-expected", type=positive, metavar="N", help="number of queries that each file and language should have")
    add_format(parser, "csv", "json")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.aggregate.summary import summarise_path
    from ragaliq.compare.file_ranks import rank_files
    from ragaliq.report.aggregates import render_aggregates

    summaries = [
        (path, summary) for path in arguments.paths for summary in summarise_path(Path(path), arguments.n_expected)
    ]
    ranked = rank_files([(path, summary.grades) for path, summary in summaries])
    print(render_aggregates(summaries, arguments.format, ranked.placed, ranked.notes))
    return 0
