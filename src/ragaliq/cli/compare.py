"""`ragaliq compare`: systems against a baseline, query by query."""

from __future__ import annotations

import argparse
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.columns import add_columns, add_groups, columns_of, one_metric, refuse_columns
from ragaliq.cli.measure import MEASURES_HELP, add_judgements, measure_runs
from ragaliq.cli.options import HIDDEN, add_format, add_shared, look_count, show, tell
from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from ragaliq.compare.minimums import Minimum
    from ragaliq.compare.source_comparison import SourceComparison
    from ragaliq.compare.sources.settings import ReadSettings


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "compare",
        help="systems against a baseline, query by query",
        description="Paired comparison with the first one, the baseline. Run folders, graded tables (.csv, .jsonl …), "
        "judged logs (.json) and other tools' results are compared on their grades or values, per language and over "
        "all languages, with intervals, tests, and the ranks that the data cannot tell apart. With --qrels or --data, "
        "TREC runs are compared on measures of retrieval.",
    )
    add = parser.add_argument
    add("baseline", metavar="A", help="the baseline, or a file that holds several systems")
    add("others", nargs="*", metavar="B", help="what is compared with it")
    add_format(parser, "json")
    add("--full", action="store_true", help="also tests, ranks and power (json has all)")
    add("--metric", dest="measures", action="append", metavar="NAME", help="of grades: mean_weight (default), grade, "
        "fives, zeros, abstained or language; of other tools' results: one of theirs (default: their first); of TREC "
        f"runs: {MEASURES_HELP}")  # fmt: skip
    add("-m", "--measure", dest="measures", action="append", **HIDDEN)
    add("--margin", type=_margin, metavar="D",
        help="grades: test whether the difference is less than D, such as .03 (above 0, below 1)")  # fmt: skip
    add("--baseline", dest="baseline_name", default="", metavar="NAME",
        help="the system that the others are compared with (default: the first)")  # fmt: skip
    add_groups(parser)
    add("--looks", type=look_count, metavar="K",
        help="one of K looks while queries are added: p has to be lower, so that all K err in 5 %%")  # fmt: skip
    add("--mixed", action="store_true", help="grades: compare across judges or data all the same, and say so")
    _add_gates(parser)
    add_shared(parser, "--seed")
    add_judgements(parser)
    add_columns(parser)
    parser.set_defaults(call=call)


def _add_gates(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("gates", "exit with 1 unless they hold").add_argument
    add("--fail-if-worse", action="store_true",
        help="exit with 1 if something is worse than the baseline (corrected p < .05): grades in a language or in all "
        "together, TREC runs on the first measure; also if grades of a language cannot be compared")  # fmt: skip
    add("--gate", type=_gate_margin, metavar="MARGIN",
        help="pass what is shown to be worse by less than MARGIN in every language, fail what is worse")  # fmt: skip
    add("--min", dest="minimums", action="append", type=_minimum, metavar="NAME=X[@LANG]",
        help="least value: weighted, mean (of --metric), coverage or a metric's name, as in weighted=.55@en (default: "
        "all languages together)")  # fmt: skip
    add("--allow-inconclusive", action="store_true", help="exit with 0 where more queries would be needed to decide")


def _margin(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(f"a difference above 0 and below 1 is expected, not '{text}'")
    return value


def _gate_margin(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"a difference above 0 is expected, not '{text}'")
    return value


def _minimum(text: str) -> Minimum:
    from ragaliq.compare.minimums import Minimum

    name, _, rest = text.rpartition("=")
    number, _, lang = rest.partition("@")
    try:
        least = float(number)
    except ValueError:
        least = float("nan")
    if not name.strip() or not isfinite(least):
        raise argparse.ArgumentTypeError(f"NAME=NUMBER or NAME=NUMBER@LANG is expected, not '{text}'")
    return Minimum(name.strip(), least, lang.strip()) if lang.strip() else Minimum(name.strip(), least)


def _refuse_for_trec(arguments: argparse.Namespace) -> None:
    """Refuse what holds for systems with a value for each query, where TREC runs are compared."""
    if arguments.margin is not None or arguments.mixed:
        raise ConfigError("--margin and --mixed are for graded systems; leave them out with --qrels or --data")
    given = {
        "--group": arguments.groups, "--looks": arguments.looks, "--cluster": arguments.cluster,
        "--baseline": arguments.baseline_name, "--gate": arguments.gate, "--min": arguments.minimums,
        "--allow-inconclusive": arguments.allow_inconclusive,
    }  # fmt: skip
    if any(given.values()):
        name = next(name for name, value in given.items() if value)
        raise ConfigError(f"{name} is not for TREC runs; leave it out with --qrels or --data")
    refuse_columns(arguments, "TREC runs")


def call(arguments: argparse.Namespace) -> int:
    """Print the comparison, and return 1 if the gate is asked for and does not hold."""
    if not arguments.qrels and not arguments.data:
        return _compare_sources(arguments)
    _refuse_for_trec(arguments)
    from ragaliq.experiment.figures.measured_run import compare_runs
    from ragaliq.report.markdown.comparison.run_comparison import render_run_comparison

    runs = measure_runs([Path(path) for path in (arguments.baseline, *arguments.others)], arguments)
    comparison = compare_runs(runs, arguments.seed)
    print(render_run_comparison(runs, comparison, arguments.format, arguments.full))
    worse = comparison.sections[0].worse if arguments.fail_if_worse else []
    tell(f"{name}: worse than {runs[0].name} on {comparison.sections[0].metric.name}" for name in worse)
    return 1 if worse else 0


def _compare_sources(arguments: argparse.Namespace) -> int:
    from ragaliq.compare.gate import GateSettings
    from ragaliq.compare.source_comparison import compare_paths
    from ragaliq.compare.sources.planned_looks import planned_looks
    from ragaliq.compare.standings import LEVEL, ComparisonSettings
    from ragaliq.metrics.statistics.multiplicity import level_per_look
    from ragaliq.report.markdown.comparison.source_comparison import render_source_comparison

    if arguments.allow_inconclusive and arguments.gate is None and not arguments.minimums:
        raise ConfigError("--allow-inconclusive: nothing is checked without --gate or --min; add one, or leave it out")
    paths = [Path(path) for path in (arguments.baseline, *arguments.others)]
    reading = _reading(arguments)
    runs = [Path(run) for group in reading.groups for run in group.runs]
    looks = planned_looks([*paths, *runs], arguments.looks)
    level = level_per_look(looks, LEVEL)
    settings = ComparisonSettings(arguments.seed, arguments.margin, level=level, looks=looks)
    asked = None
    if arguments.gate is not None or arguments.minimums:
        asked = GateSettings(arguments.gate, tuple(arguments.minimums or ()))
    found = compare_paths(paths, reading, settings, asked)
    show(render_source_comparison(found, arguments.format, arguments.full))
    return _told(found, arguments)


def _reading(arguments: argparse.Namespace) -> ReadSettings:
    from ragaliq.compare.sources.settings import ReadSettings

    return ReadSettings(
        one_metric(arguments),
        columns_of(arguments),
        arguments.lang or "",
        arguments.mixed,
        tuple(arguments.groups or ()),
        arguments.cluster,
        arguments.baseline_name,
    )


def _told(found: SourceComparison, arguments: argparse.Namespace) -> int:
    """Say on stderr what is doubtful and why a gate does not hold, and return the exit code."""
    from ragaliq.metrics.statistics.noninferiority import GateOutcome
    from ragaliq.report.markdown.comparison.gate import gate_lines

    comparison, code = found.comparison, 0
    left_out = [lang or "no language" for lang in comparison.left_out]
    tell(f"note: {note}" for note in found.notes)
    tell(f"warning: {warning}" for warning in found.warnings)
    tell(f"warning: {lang}: left out, not all systems have a value for the same two queries" for lang in left_out)
    if found.gate is not None and found.gate.outcome is not GateOutcome.PASS:
        tell(gate_lines(found.gate))
        allowed = arguments.allow_inconclusive and found.gate.outcome is GateOutcome.INCONCLUSIVE
        code = 0 if allowed else 1
    if not arguments.fail_if_worse:
        return code
    name = comparison.sections[0].metric.name
    tell(f"{run}: worse than the baseline on {name} ({lang or 'no language'})" for run, lang in comparison.worse)
    tell(
        f"{lang}: not checked, so --fail-if-worse does not hold; grade what is missing, or give --lang for one language"
        for lang in left_out
    )
    return 1 if comparison.worse or comparison.left_out else code
