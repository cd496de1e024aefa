"""`ragaliq report`: results.md of chosen runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ragaliq.cli.options import add_shared, run_path, tell
from ragaliq.errors import ConfigError


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser("report", help="write results.md of the runs named")
    add_shared(parser, "runs", "--min-coverage")
    add = parser.add_argument
    add("--out", metavar="DIR", help="where results.md goes (default: beside the first run)")
    add("--format", choices=("md", "html", "all"), default="md", help="html comes with a later version")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return the exit code of the coverage gate."""
    if arguments.format != "md":
        raise ConfigError(f"--format {arguments.format}: comes with a later version; use md")
    from ragaliq.aggregate.run_figures import read_figures
    from ragaliq.compare.results import compare_results
    from ragaliq.report.markdown.results import results_file, write_results
    from ragaliq.report.terminal import withheld_lines
    from ragaliq.runs.folder import RunFolder

    path = results_file(Path(arguments.out) if arguments.out else run_path(arguments.runs[0]).parent)
    runs = [read_figures(RunFolder(run_path(run))) for run in arguments.runs]
    results = compare_results(runs, arguments.min_coverage, path.parent / "certificates")
    write_results(path, results)
    print(f"results: {path}")
    withheld = withheld_lines(results)
    tell(f"ragaliq: {line}" for line in withheld)
    return 1 if withheld else 0
