"""`ragaliq view`: the page of runs on this machine, which follows a run that is under way."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ragaliq.cli.options import add_shared, run_path
from ragaliq.cli.serving import add_serving, serve


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "view",
        help="open the page of runs, which follows a run that is under way",
        description="Serves the page of `ragaliq report --format html` to this machine alone, and brings it up to date "
        "while a run goes on. Nothing is written. Ctrl-C ends it.",
    )
    add_shared(parser, "runs", "--min-coverage")
    add_serving(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.report.html.followed_runs import FollowedRuns
    from ragaliq.report.html.server import PageServer

    runs = FollowedRuns([run_path(text) for text in arguments.runs], arguments.min_coverage)
    try:
        # What is wrong with the runs is said here, not to a browser.
        runs.page()
        with PageServer(runs, arguments.port) as server:
            serve(server, not arguments.no_browser)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return 0
