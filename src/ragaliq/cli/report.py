"""`ragaliq report`: results.md of chosen runs and files of grades."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import add_shared, positive, run_path, tell
from ragaliq.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragaliq.runs.folder import RunFolder


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "report",
        help="write results.md of the runs or graded files named",
        description="Writes results.md: of run folders on the same data, or of whatever `ragaliq aggregate` reads "
        "(old logs of RAGaliq, graded tables, verdicts.jsonl), with runs among them or not.",
    )
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH", help="run folder, verdicts.jsonl, graded file, or log of RAGaliq")
    add_shared(parser, "--min-coverage")
    number = (
        "number of queries that each file and language should have (default for a log: that of its eval_ans_… file)"
    )
    add("--n-expected", type=positive, metavar="N", help=number)
    add("--out", metavar="DIR", help="where results.md goes (default: beside the first run or file)")
    add("--format", choices=("md", "html", "all"), default="md", help="html comes with a later version")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return the exit code of the coverage gate."""
    if arguments.format != "md":
        raise ConfigError(f"--format {arguments.format}: comes with a later version; use md")
    from ragaliq.aggregate.run_rows import run_at
    from ragaliq.report.markdown.results import results_file

    paths = [run_path(text) for text in arguments.paths]
    target = results_file(Path(arguments.out) if arguments.out else paths[0].parent)
    runs = [run_at(path) for path in paths]
    known = [run for run in runs if run is not None]
    of_runs = len(known) == len(runs)
    withheld = _of_runs(known, target, arguments) if of_runs else _of_files(paths, target, arguments)
    print(f"results: {target}")
    tell(f"ragaliq: {line}" for line in withheld)
    return 1 if withheld else 0


def _of_runs(folders: Sequence[RunFolder], target: Path, arguments: argparse.Namespace) -> list[str]:
    from ragaliq.aggregate.run_figures import read_figures
    from ragaliq.compare.results import compare_results
    from ragaliq.report.markdown.results import write_results
    from ragaliq.report.terminal import withheld_lines

    if arguments.n_expected is not None:
        raise InputError("--n-expected: a run knows how many queries it has; leave it out")
    runs = list(map(read_figures, folders))
    results = compare_results(runs, arguments.min_coverage, target.parent / "certificates")
    write_results(target, results)
    return withheld_lines(results)


def _of_files(paths: Sequence[Path], target: Path, arguments: argparse.Namespace) -> list[str]:
    from ragaliq.compare.file_results import compare_files
    from ragaliq.report.markdown.results import write_results
    from ragaliq.report.terminal import withheld_file_lines

    results = compare_files(paths, arguments.min_coverage, arguments.n_expected)
    write_results(target, results)
    return withheld_file_lines(results)
