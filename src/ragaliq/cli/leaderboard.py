"""`ragaliq leaderboard`: systems in one table, best first."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.columns import add_columns, add_groups, columns_of, one_metric, refuse_columns
from ragaliq.cli.measure import MEASURES_HELP, add_judgements, measure_runs
from ragaliq.cli.options import HIDDEN, add_format, add_shared, tell
from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from ragaliq.compare.sources.system_values import Sources


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "leaderboard",
        help="systems in one table, best first, with the ranks that the data leave open",
        description="A row for each system and a column for each language: scores with intervals, the ranks that the "
        "data cannot tell apart, how often a system comes first when the queries are drawn again, coverage, errors, "
        "cost and latency. It takes what `compare` takes: run folders, graded tables, judged logs, other tools' "
        "results, and with --qrels or --data TREC runs.",
    )
    add = parser.add_argument
    add("paths", nargs="+", metavar="RUN|FILE", help="run folder, or file with the results of one system or several")
    add_format(parser, "csv", "json")
    add_groups(parser)
    add("--mixed", action="store_true", help="show systems of different judges or data all the same, unranked")
    add_shared(parser, "--seed")
    add_judgements(parser)
    add("--metric", dest="measures", action="append", metavar="NAME", help="of grades: mean_weight (default), grade, "
        f"fives, zeros, abstained or language; of TREC runs: {MEASURES_HELP}; of other tools: their names")  # fmt: skip
    add("-m", "--measure", dest="measures", action="append", **HIDDEN)
    add_columns(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Print the leaderboard."""
    from ragaliq.compare.leaderboard.table import leaderboard_of
    from ragaliq.compare.sources.planned_looks import planned_looks
    from ragaliq.report.markdown.leaderboard import render_leaderboard

    paths = [Path(path) for path in arguments.paths]
    sources = _sources(paths, arguments)
    tell(f"note: {note}" for note in sources.notes)
    tell(f"warning: {warning}" for warning in sources.warnings)
    runs = [Path(run) for group in arguments.groups or () for run in group.runs]
    board = leaderboard_of(sources, arguments.mixed, arguments.seed, planned_looks([*paths, *runs]))
    print(render_leaderboard(board, arguments.format))
    return 0


def _sources(paths: list[Path], arguments: argparse.Namespace) -> Sources:
    from ragaliq.compare.sources.read import read_sources
    from ragaliq.compare.sources.settings import ReadSettings
    from ragaliq.experiment.figures.measured_run import run_sources

    if arguments.qrels or arguments.data:
        if arguments.mixed or arguments.groups or arguments.cluster:
            raise ConfigError(
                "--mixed, --group and --cluster are not for TREC runs; leave them out with --qrels or --data"
            )
        refuse_columns(arguments, "TREC runs")
        return run_sources(measure_runs(paths, arguments))
    return read_sources(
        paths,
        ReadSettings(
            one_metric(arguments),
            columns_of(arguments),
            arguments.lang or "",
            arguments.mixed,
            tuple(arguments.groups or ()),
            arguments.cluster,
            joined=True,
        ),
    )
