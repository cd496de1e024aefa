"""`ragaliq validate`: check a benchmark."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser("validate", help="check a benchmark; its statistics")
    parser.add_argument("folder", metavar="DIR", help="the benchmark's folder")
    parser.add_argument("--stats", action="store_true", help="print its statistics")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Print the findings, and return 1 if there are any."""
    from ragaliq.corpus.benchmark import load_benchmark
    from ragaliq.corpus.statistics import statistics_table
    from ragaliq.corpus.validate import validate

    folder = Path(arguments.folder)
    findings = validate(folder)
    for finding in findings:
        print(finding)
    if findings:
        print(f"{folder}: {len(findings)} findings", file=sys.stderr)
        return 1
    if arguments.stats:
        print(statistics_table(load_benchmark(folder)))
    print(f"{folder}: no findings", file=sys.stderr)
    return 0
