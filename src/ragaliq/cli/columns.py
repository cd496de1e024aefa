"""Options that say what is read of results: columns of a long table, pooled runs, queries that belong together."""

from __future__ import annotations

import argparse
from math import isfinite
from typing import TYPE_CHECKING

from ragaliq.errors import ConfigError
from ragaliq.formats.results.rows import ResultColumns

if TYPE_CHECKING:
    from ragaliq.compare.sources.settings import Group


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Declare the options; a file whose columns are named is read as a table of values."""
    group = parser.add_argument_group(
        "tables of values", "columns of CSV, JSON Lines or Parquet (default: usual names)"
    )
    add = group.add_argument
    add("--id", dest="id_column", default="", metavar="COLUMN", help="column with the id of the item")
    add("--system", dest="system_column", default="", metavar="COLUMN", help="column with the name of the system")
    add("--value", dest="value_column", default="", metavar="COLUMN", help="column with the value")
    add("--lang-field", dest="lang_column", default="", metavar="COLUMN", help="column with the language")
    add(
        "--range",
        dest="value_range",
        type=_range,
        metavar="LO,HI",
        help="least and greatest value that the metric can have",
    )


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Declare which runs are pooled, and which queries belong together."""
    add = parser.add_argument
    add("--group", dest="groups", action="append", type=_group, metavar="NAME=RUN,RUN",
        help="several runs of one system count as one: the mean of each query")  # fmt: skip
    add("--cluster", default="", metavar="FIELD", help="queries with the same FIELD belong together; of run folders: "
        "gold, those that one source document answers")  # fmt: skip


def columns_of(arguments: argparse.Namespace) -> ResultColumns:
    """Return the columns that the options name."""
    return ResultColumns(
        arguments.id_column,
        arguments.system_column,
        arguments.value_column,
        arguments.lang_column,
        arguments.value_range,
    )


def one_metric(arguments: argparse.Namespace) -> str:
    """Return the name of the metric, whole: lm-eval's have commas; empty where none is named.

    Raises:
        ConfigError: if several options name one.
    """
    names = [name.strip() for name in arguments.measures or () if name.strip()]
    if len(names) > 1:
        raise ConfigError(f"--metric: one at a time, not {' and '.join(names)}")
    return "".join(names)


def refuse_columns(arguments: argparse.Namespace, where: str) -> None:
    """Refuse named columns where no table of values is read.

    Raises:
        ConfigError: if any option names a column or the range.
    """
    if columns_of(arguments) != ResultColumns():
        raise ConfigError(f"--id, --system, --value, --lang-field and --range are for tables of values, not {where}")


def _group(text: str) -> Group:
    from ragaliq.compare.sources.settings import Group

    name, _, runs = text.partition("=")
    members = tuple(run.strip() for run in runs.split(",") if run.strip())
    if not name.strip() or not members:
        raise argparse.ArgumentTypeError(f"NAME=RUN,RUN is expected, not '{text}'")
    return Group(name.strip(), members)


def _range(text: str) -> tuple[float, float]:
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low = high = 0.0
    if not (isfinite(low) and isfinite(high) and low < high):
        raise argparse.ArgumentTypeError(f"two numbers such as 0,1 are expected, the least first, not '{text}'")
    return low, high
