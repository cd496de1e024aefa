"""`ragaliq show`: items of a run, or those on which two runs differ, as text."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import parse_languages, positive, run_path
from ragaliq.errors import ConfigError, nearest

if TYPE_CHECKING:
    from ragaliq.aggregate.items.run_items import RunItem, RunItems
    from ragaliq.report.items import Screen
    from ragaliq.types import LossStage

_DESCRIPTION = """Prints items of a run, the worst first: question, reference, the answer with its sentences
marked, the nuggets that it misses, the passages shown, what became of the gold, and the
judge's feedback. With two runs: the items on which their grades differ most."""
_EXAMPLES = """examples:
  ragaliq show results/default --worst 5 --lang zh
  ragaliq show results/default results/other --worst 10
"""
_MOST_COLUMNS, _LEAST_COLUMNS = 100, 50


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "show",
        help="print the worst answers of a run, or those on which two runs differ most",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("run", metavar="RUN", help="folder of a run")
    add("other", nargs="?", metavar="OTHER_RUN", help="a second run on the same data")
    add("--worst", type=positive, metavar="N", help="print N items at most (20; all of a query with --query)")
    add("--lang", default="all", metavar="L", help="languages, as in en,de (default: all)")
    add("--grade", type=_grades, default=(), metavar="G", help="grades, as in 0,1; none: answers without a grade")
    add("--query", default="", metavar="ID", help="all items of one query")
    add("--cause", type=_stage, metavar="STAGE", help=f"stage that loses the points: {', '.join(_stages())}")
    add("--unsupported", action="store_true", help="answers with a sentence that the passages do not support in full")
    add("--unanswerable", action="store_true", help="queries that the data cannot answer, those answered first")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from ragaliq.aggregate.items.disagreements import disagreements
    from ragaliq.aggregate.items.run_items import RunItems
    from ragaliq.aggregate.items.selection import ItemFilter, select_items
    from ragaliq.report.items import disagreement_lines, selection_lines
    from ragaliq.runs.folder import RunFolder

    langs = parse_languages(arguments.lang) or ()
    marks = (arguments.query, arguments.cause, arguments.unsupported, arguments.unanswerable)
    wanted = ItemFilter(langs, arguments.grade, *marks)
    most = arguments.worst or (None if arguments.query else 20)
    run = RunItems(RunFolder(run_path(arguments.run)))
    if arguments.other is None:
        selection = select_items(run, wanted, most)
        lines = selection_lines(arguments.run, selection, wanted.narrow, _screen(run, selection.items))
    else:
        if arguments.unanswerable:
            raise ConfigError("--unanswerable: such answers are not graded; name one run")
        differing = disagreements(run, RunItems(RunFolder(run_path(arguments.other))), wanted, most)
        screen = _screen(run, [first for first, _ in differing.pairs])
        lines = disagreement_lines((arguments.run, arguments.other), differing, screen)
    for line in lines:
        print(line)
    return 0


def _screen(run: RunItems, items: Collection[RunItem]) -> Screen:
    """Return how to write on this terminal; a file or a pipe gets full lines of plain text."""
    from ragaliq.report.html.benchmark_texts import benchmark_texts
    from ragaliq.report.items import Screen

    columns = shutil.get_terminal_size((_MOST_COLUMNS, 24)).columns
    langs = sorted({item.answered.item.query.lang for item in items if item.nuggets is not None})
    return Screen(
        min(max(columns, _LEAST_COLUMNS), _MOST_COLUMNS),
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        benchmark_texts([run.folder], langs).nuggets if langs else {},
    )


def _grades(text: str) -> tuple[int | None, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words or [text]:
        if word != "none" and word not in tuple("012345"):
            raise argparse.ArgumentTypeError(f"a grade is 0 to 5, or none, not '{word}'")
    return tuple(None if word == "none" else int(word) for word in words)


def _stages() -> dict[str, LossStage]:
    """Return the stages by their names for people, with _ for blanks, and those of the files where they differ."""
    from ragaliq.report.stages import STAGES

    return {text.replace(" ", "_"): stage for stage, (name, _) in STAGES.items() for text in (name, str(stage))}


def _stage(text: str) -> LossStage:
    name, stages = "_".join(text.lower().replace("-", " ").replace("_", " ").split()), _stages()
    if name not in stages:
        raise argparse.ArgumentTypeError(f"unknown stage '{text}', {nearest(name, stages)}")
    return stages[name]
