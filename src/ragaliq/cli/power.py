"""`ragaliq power`: how many queries a comparison needs, before money is spent."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ragaliq.cli.options import add_format, positive, print_json, tell
from ragaliq.errors import ConfigError

_DESCRIPTION = """\
Says how many queries show a difference between systems, and what difference a number of queries shows: with a chance
of 80 %, at level .05 for all pairs of systems and all languages together. Beside it: how often a significant
difference has the wrong sign, and how far it exaggerates.

The spread comes from a pilot (run folders, graded files or other tools' results, some 25 queries or more; two systems
tell more than one), or from planned figures: --sd of the difference per query, about .27 between systems in English on
the reference's logs, .19 where systems are alike."""

_EPILOG = """\
examples:
  ragaliq power results/pilot-a results/pilot-b --difference .05
  ragaliq power results/pilot-a results/pilot-b --n 200 --systems 5
  ragaliq power --sd .27 --difference .05
  ragaliq power --sd .27 --n 100 --languages 6 --correlation .4 --systems 4
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "power",
        help="how many queries a comparison needs",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("pilot", nargs="*", metavar="PATH", help="results of a pilot, as `compare` takes them")
    add("--n", type=_queries, metavar="N", help="number of queries, at least 2")
    add("--difference", type=_above_zero, metavar="D", help="true difference that should be seen")
    add("--sd", type=_above_zero, metavar="SD", help="standard deviation of the difference per query, without a pilot")
    add("--systems", type=_systems, metavar="K", help="number of systems of which every pair is compared (2, or those "
        "of the pilot)")  # fmt: skip
    add("--languages", type=positive, metavar="L", help="number of languages of each query, without a pilot (1)")
    add("--correlation", type=_correlation, metavar="R",
        help="of a query's differences in two languages, 0 to 1; a pilot shows it (with --languages)")  # fmt: skip
    add("--design-effect", type=_design_effect, metavar="E",
        help="of queries that belong together, such as those on one document, without a pilot (1)")  # fmt: skip
    add("--power", type=_share, default=0.8, metavar="P", help="chance to see the difference (.8)")
    add("--level", type=_share, default=0.05, metavar="A", help="chance of any false difference (.05)")
    add("--metric", default="", metavar="NAME", help="of the pilot, as in `compare` (default: its first)")
    add("--mixed", action="store_true", help="take a pilot with several judges or data sets all the same")
    add_format(parser, "json")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Print what queries show."""
    from ragaliq.compare.planned_power import PowerSettings, plan_power
    from ragaliq.report.markdown.planned_power import planned_power_json, render_planned_power

    spreads, systems, unit, notes = _pilot(arguments) if arguments.pilot else _planned(arguments)
    settings = PowerSettings(
        arguments.n, arguments.difference, arguments.systems or max(2, systems), arguments.level, arguments.power
    )
    planned = plan_power(spreads, settings, unit, notes)
    if arguments.format == "json":
        print_json(planned_power_json(planned))
    else:
        print(render_planned_power(planned))
    return 0


def _planned(arguments: argparse.Namespace) -> tuple[Any, int, str, list[str]]:
    from ragaliq.compare.planned_power import planned_spreads

    if arguments.sd is None:
        raise ConfigError("power: give a pilot (run folders or files), or --sd of the difference per query")
    languages = arguments.languages or 1
    if (languages > 1) != (arguments.correlation is not None):
        raise ConfigError("--languages above 1 and --correlation go together: give both, or neither")
    spreads = planned_spreads(arguments.sd, languages, arguments.correlation, arguments.design_effect or 1.0)
    return spreads, 2, "the unit of --sd", []


def _pilot(arguments: argparse.Namespace) -> tuple[Any, int, str, list[str]]:
    from ragaliq.compare.planned_power import pilot_notes, pilot_spreads
    from ragaliq.compare.sources.read import read_sources
    from ragaliq.compare.sources.settings import ReadSettings
    from ragaliq.compare.sources.tables import source_tables

    options = ("sd", "languages", "correlation", "design_effect")
    wrong = next((name for name in options if getattr(arguments, name) is not None), None)
    if wrong is not None:
        raise ConfigError(f"--{wrong.replace('_', '-')}: a pilot tells it; leave it out, or the paths")
    settings = ReadSettings(arguments.metric, mixed=arguments.mixed)
    sources = read_sources([Path(path) for path in arguments.pilot], settings)
    tables = source_tables(sources)
    tell(f"note: {note}" for note in sources.notes)
    tell(f"warning: {warning}" for warning in sources.warnings)
    spreads = pilot_spreads(tables.families)
    return spreads, len(sources.systems), sources.metric.name, pilot_notes(spreads, tables.left_out)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _above_zero(text: str) -> float:
    value = _number(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"a number above 0 is expected, not '{text}'")
    return value


def _design_effect(text: str) -> float:
    value = _number(text)
    if not 1 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"a number of at least 1 is expected, not '{text}'")
    return value


def _correlation(text: str) -> float:
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"a number between 0 and 1 is expected, not '{text}'")
    return value


def _share(text: str) -> float:
    value = _number(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"a number above 0 and below 1 is expected, not '{text}'")
    return value


def _queries(text: str) -> int:
    return _at_least_two(text, "queries")


def _systems(text: str) -> int:
    return _at_least_two(text, "systems")


def _at_least_two(text: str, what: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"at least 2 {what} are needed, not '{text}'")
    return int(text)
