"""`ragaliq compare`: systems against a baseline, query by query."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ragaliq.cli.measure import MEASURES_HELP, add_judgements, measure_runs
from ragaliq.cli.options import HIDDEN, add_format, add_shared, tell
from ragaliq.errors import ConfigError, nearest


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "compare",
        help="systems against a baseline, query by query",
        description="Paired comparison with the first one, the baseline. Run folders, graded tables (.csv, .jsonl …) "
        "and judged logs (.json) are compared on their grades, per language and over all languages, with intervals, "
        "tests, and the ranks that the data cannot tell apart. With --qrels or --data, TREC runs are compared on "
        "measures of retrieval.",
    )
    add = parser.add_argument
    add("baseline", metavar="A", help="the baseline")
    add("others", nargs="+", metavar="B", help="what is compared with it")
    add_format(parser, "json")
    add("--full", action="store_true", help="also tests, ranks and power (json has all)")
    add("--fail-if-worse", action="store_true",
        help="exit with 1 if something is worse than the baseline (corrected p < .05): grades in a language or in all "
        "together, TREC runs on the first measure; also if grades of a language cannot be compared")  # fmt: skip
    add("--margin", type=_margin, metavar="D",
        help="grades: test whether the difference is less than D, such as .03 (above 0, below 1)")  # fmt: skip
    add("--mixed", action="store_true", help="grades: compare across judges or data all the same, and say so")
    add_shared(parser, "--seed")
    add_judgements(parser)
    add("--metric", dest="measures", action="append", metavar="NAME", help="of grades: mean_weight (default), grade, "
        f"fives, zeros, abstained or language; of TREC runs: {MEASURES_HELP}")  # fmt: skip
    add("-m", "--measure", dest="measures", action="append", **HIDDEN)
    parser.set_defaults(call=call)


def _margin(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(f"a difference above 0 and below 1 is expected, not '{text}'")
    return value


def call(arguments: argparse.Namespace) -> int:
    """Print the comparison, and return 1 if the gate is asked for and does not hold."""
    if not arguments.qrels and not arguments.data:
        return _compare_grades(arguments)
    if arguments.margin is not None or arguments.mixed:
        raise ConfigError("--margin and --mixed are for graded systems; leave them out with --qrels or --data")
    from ragaliq.experiment.figures.measured_run import compare_runs
    from ragaliq.report.markdown.comparison.run_comparison import render_run_comparison

    runs = measure_runs([Path(path) for path in (arguments.baseline, *arguments.others)], arguments)
    comparison = compare_runs(runs, arguments.seed)
    print(render_run_comparison(runs, comparison, arguments.format, arguments.full))
    worse = comparison.sections[0].worse if arguments.fail_if_worse else []
    tell(f"{name}: worse than {runs[0].name} on {comparison.sections[0].metric.name}" for name in worse)
    return 1 if worse else 0


def _compare_grades(arguments: argparse.Namespace) -> int:
    from ragaliq.aggregate.grades.graded_metrics import MEAN_WEIGHT, METRICS
    from ragaliq.compare.comparable import read_comparable
    from ragaliq.compare.grade_comparison import compare_grades
    from ragaliq.compare.standings import ComparisonSettings
    from ragaliq.report.markdown.comparison.grade_comparison import render_grade_comparison

    names = [name.strip() for name in ",".join(arguments.measures or []).split(",") if name.strip()]
    name = names[0] if names else MEAN_WEIGHT.name
    if len(names) > 1:
        raise ConfigError(f"--metric: one at a time for graded systems, not {', '.join(names)}")
    if name not in METRICS:
        hint = f"{nearest(name, METRICS)} (TREC runs need --qrels or --data)"
        raise ConfigError(f"--metric: unknown metric '{name}' of graded systems; {hint}")
    paths = [Path(path) for path in (arguments.baseline, *arguments.others)]
    compared = read_comparable(paths, arguments.lang or None, arguments.mixed)
    settings = ComparisonSettings(arguments.seed, arguments.margin, compared.ranked)
    comparison = compare_grades(compared.systems, METRICS[name], settings)
    print(render_grade_comparison(comparison, arguments.format, compared.warnings, arguments.full))
    left_out = [lang or "no language" for lang in comparison.left_out]
    tell(f"warning: {warning}" for warning in compared.warnings)
    tell(f"warning: {lang}: left out, not all systems have a value for the same two queries" for lang in left_out)
    if not arguments.fail_if_worse:
        return 0
    tell(f"{run}: worse than the baseline on {name} ({lang or 'no language'})" for run, lang in comparison.worse)
    tell(
        f"{lang}: not checked, so --fail-if-worse does not hold; grade what is missing, or give --lang for one language"
        for lang in left_out
    )
    return 1 if comparison.worse or comparison.left_out else 0
