"""`ragaliq merge`: shards of one run, or its languages, joined into one run folder."""

from __future__ import annotations

import argparse
from typing import Any

from ragaliq.cli.options import add_shared, run_path
from ragaliq.cli.run import finish


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "merge",
        help="join shards of a run, or runs of different languages",
        description="Join the shards of one run (`ragaliq run --shard I/N`), or runs of different languages, into one "
        "run folder with its results.md. Parts that differ in system, judge, data or versions, an item that is in two "
        "of them and one that is in none are refused; nothing is called.",
    )
    add_shared(parser, "runs")
    parser.add_argument("--out", required=True, metavar="RUN", help="the folder of the joined run")
    add_shared(parser, "--min-coverage")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.pipeline.measure import measure
    from ragaliq.report.markdown.results import results_file
    from ragaliq.runs.folder import RunFolder
    from ragaliq.runs.merge import merge_runs

    out = run_path(arguments.out)
    results_file(out.parent)
    merge_runs([run_path(run) for run in arguments.runs], out)
    folder = RunFolder(out)
    if folder.config()["judge"] is None:
        print(f"answers: {folder.answers_file}; `ragaliq judge {out}` grades them")
        return 0
    return finish(measure(folder), arguments.min_coverage)
