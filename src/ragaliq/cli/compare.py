"""`ragaliq compare`: runs against a baseline, query by query."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ragaliq.cli.measure import add_judgements, measure_runs
from ragaliq.errors import ConfigError


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "compare",
        help="runs against a baseline, query by query",
        description="Paired comparison of TREC runs with the first one, the baseline: differences with their "
        "intervals, permutation, t and bootstrap tests, corrected for the number of runs.",
    )
    add = parser.add_argument
    add("baseline", metavar="A", help="the baseline")
    add("others", nargs="+", metavar="B", help="what is compared with it")
    add("--format", choices=("md", "json"), default="md", help="form of the output (default: md)")
    add("--fail-if-worse", action="store_true",
        help="exit with 1 if a run is worse than the baseline on the first measure (corrected p < .05)")  # fmt: skip
    add("--seed", type=int, default=0, metavar="N", help="of the draws (default: 0)")
    add_judgements(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Print the comparison, and return 1 if the gate is asked for and does not hold."""
    if not arguments.qrels and not arguments.data:
        raise ConfigError("comparing run folders comes with a later version; compare TREC runs with --qrels or --data")
    if arguments.seed < 0:
        raise ConfigError(f"--seed: must be at least 0, not {arguments.seed}")
    from ragaliq.report.comparison import compare_runs, render_comparison

    baseline, *others = measure_runs([Path(path) for path in (arguments.baseline, *arguments.others)], arguments)
    comparison = compare_runs(baseline, others, arguments.seed)
    print(render_comparison(comparison, arguments.format))
    if not arguments.fail_if_worse:
        return 0
    for row in comparison.worse:
        print(f"{row.run}: worse than {baseline.name} on {baseline.measures[0]}", file=sys.stderr)
    return 1 if comparison.worse else 0
