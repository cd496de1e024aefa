"""`ragaliq aggregate`: aggregates of run folders, verdict files, reference logs and other tools' results."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.columns import add_columns, columns_of
from ragaliq.cli.options import add_format, positive
from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from ragaliq.aggregate.summary import Summary
    from ragaliq.compare.sources.opened import ToolSource


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "aggregate",
        help="aggregates of run folders, verdicts.jsonl, or reference-format JSON",
        description="Aggregates of each file and language; of other tools' files of each metric and system, too. Files "
        "of one language and one judge on the same queries get rank_ci, the ranks that the data cannot tell apart.",
    )
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH",
        help="run folder, verdicts.jsonl, JSON list of rows with a 'score', or another tool's results")  # fmt: skip
    add("--n-expected", type=positive, metavar="N", help="number of queries that each file and language should have")
    add_columns(parser)
    add_format(parser, "csv", "json")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.aggregate.run_rows import run_at
    from ragaliq.aggregate.summary import summarise_grades, summarise_path
    from ragaliq.compare.file_ranks import rank_files
    from ragaliq.compare.sources.opened import ToolSource, open_results
    from ragaliq.compare.sources.summaries import summarise_values
    from ragaliq.report.aggregates import render_aggregates

    columns = columns_of(arguments)
    summaries: list[tuple[str, Summary]] = []
    tools: list[ToolSource] = []
    for name in arguments.paths:
        path = Path(name)
        opened = None if path.exists() and run_at(path) else open_results(path, columns)
        if isinstance(opened, ToolSource):
            tools.append(opened)
        elif opened is not None and len(opened.systems) == 1:
            summaries += [(name, summarise_grades(path, own, arguments.n_expected)) for own in opened.systems[0]]
        else:
            # Rows of several runs are those of one file here, as long as no query is graded for two of them.
            summaries += [(name, own) for own in summarise_path(path, arguments.n_expected)]
    if summaries and tools and arguments.format == "csv":
        raise ConfigError(f"--format csv: grades and {tools[0].path} have different columns; give them one at a time")
    ranked = rank_files([(path, summary.grades) for path, summary in summaries])
    values = summarise_values(tools, arguments.n_expected, columns.range)
    print(render_aggregates(summaries, arguments.format, ranked, values))
    return 0
