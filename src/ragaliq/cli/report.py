"""`ragaliq report`: results.md of chosen runs and files of grades, and the page of runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import add_shared, positive, run_path, tell
from ragaliq.errors import InputError

if TYPE_CHECKING:
    from ragaliq.compare.results import Results
    from ragaliq.runs.folder import RunFolder


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "report",
        help="write results.md of the runs or graded files named, or a page of runs",
        description="Writes results.md: of run folders on the same data, or of whatever `ragaliq aggregate` reads "
        "(old logs of RAGaliq, graded tables, verdicts.jsonl), with runs among them or not. With --format html: "
        "report.html, one file with the figures and every answer of the runs, which needs no network.",
    )
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH", help="run folder, verdicts.jsonl, graded file, or log of RAGaliq")
    add_shared(parser, "--min-coverage")
    number = (
        "number of queries that each file and language should have (default for a log: that of its eval_ans_… file)"
    )
    add("--n-expected", type=positive, metavar="N", help=number)
    add(
        "--out",
        metavar="DIR",
        help="where the files go (default: beside the first run or file; the page of one run into its folder)",
    )
    add("--format", choices=("md", "html", "all"), default="md", help="results.md, report.html or both (default: md)")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return the exit code of the coverage gate."""
    from ragaliq.aggregate.run_rows import run_at

    paths = [run_path(text) for text in arguments.paths]
    runs = [run_at(path) for path in paths]
    known = [run for run in runs if run is not None]
    of_runs = len(known) == len(runs)
    withheld = _of_runs(known, paths, arguments) if of_runs else _of_files(paths, arguments)
    tell(f"ragaliq: {line}" for line in withheld)
    return 1 if withheld else 0


def _of_runs(folders: Sequence[RunFolder], paths: Sequence[Path], arguments: argparse.Namespace) -> list[str]:
    from ragaliq.aggregate.run_figures import load_run, read_figures
    from ragaliq.compare.results import compare_results
    from ragaliq.report.findings import finding_sentences
    from ragaliq.report.html.page_file import page_path
    from ragaliq.report.markdown.results import results_file
    from ragaliq.report.terminal import withheld_lines

    if arguments.n_expected is not None:
        raise InputError("--n-expected: a run knows how many queries it has; leave it out")
    beside = Path(arguments.out) if arguments.out else paths[0].parent
    with_table, with_page = arguments.format != "html", arguments.format != "md"
    table = results_file(beside) if with_table else None
    page = page_path(folders[0].path if len(folders) == 1 and not arguments.out else beside) if with_page else None
    # The page shows what there is of a run that is not graded yet.
    runs = [read_figures(folder) if with_table else load_run(folder.path) for folder in folders]
    results = compare_results(runs, arguments.min_coverage, beside / "certificates")
    _write(results, table, page)
    for line in finding_sentences(results.findings):
        print(line)
    return withheld_lines(results)


def _write(results: Results, table: Path | None, page: Path | None) -> None:
    from ragaliq.report.html.page_data import page_data
    from ragaliq.report.html.page_file import write_report_page
    from ragaliq.report.markdown.results import write_results

    if table is not None:
        write_results(table, results)
        print(f"results: {table}")
    if page is not None:
        write_report_page(page, page_data(results))
        print(f"page: {page}")


def _of_files(paths: Sequence[Path], arguments: argparse.Namespace) -> list[str]:
    from ragaliq.compare.file_results import compare_files
    from ragaliq.report.markdown.results import results_file, write_results
    from ragaliq.report.terminal import withheld_file_lines

    if arguments.format != "md":
        raise InputError(f"--format {arguments.format}: a page shows run folders; of files of grades, take md")
    target = results_file(Path(arguments.out) if arguments.out else paths[0].parent)
    results = compare_files(paths, arguments.min_coverage, arguments.n_expected)
    write_results(target, results)
    print(f"results: {target}")
    return withheld_file_lines(results)
