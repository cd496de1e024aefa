"""`ragaliq datasets`: the catalogue of retrieval data sets."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import add_format, print_json

if TYPE_CHECKING:
    from ragaliq.formats.catalogue import Dataset

_COLUMNS = ("name", "family", "task", "lang", "queries", "documents", "splits", "licence", "access")


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "datasets",
        help="the catalogue of retrieval data sets: sizes, splits, licences, where to get them",
        description="Print the catalogue of retrieval data sets, a family of it (beir, miracl, mmarco, freshstack) or "
        "one data set.",
    )
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="a data set or a family (default: all)")
    add_format(parser, "json")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Print the catalogue or a part of it."""
    from ragaliq.formats.catalogue import catalogue, dataset_families, entry
    from ragaliq.report.format import markdown

    family = arguments.name.casefold()
    if family and family not in dataset_families():
        dataset = entry(arguments.name)
        print_json(_object(dataset)) if arguments.format == "json" else print(_sheet(dataset))
    elif arguments.format == "json":
        print_json([_object(dataset) for dataset in catalogue(family)])
    else:
        rows = [{column: _cell(dataset, column) for column in _COLUMNS} for dataset in catalogue(family)]
        print(markdown(rows, colons=False))
    return 0


def _object(dataset: Dataset) -> dict[str, Any]:
    from ragaliq.experiment.figures.diagnoses import contamination
    from ragaliq.experiment.figures.reference_figures import statistics_for
    from ragaliq.formats.catalogue import sources

    published = {table.source: dict(table.values) for table in statistics_for(dataset.name)}
    return {
        **asdict(dataset),
        "contamination": contamination(dataset.name),
        "published": published,
        "sources": dict(sources(dataset.family)),
    }


def _cell(dataset: Dataset, column: str) -> str:
    value = "public" if column == "access" and not dataset.access else getattr(dataset, column)
    return f"{value:,}" if isinstance(value, int) else _shown(value)


def _sheet(dataset: Dataset) -> str:
    """Return everything known of a data set, a line each; what is empty is left out."""
    lines = [f"# {dataset.name}", ""]
    for key, value in _object(dataset).items():
        if key == "sources":
            lines += ["", "Sources:", *(f"- {what}: {where}" for what, where in value.items())]
        elif key == "published":
            for source, values in value.items():
                shown = ", ".join(f"{name} {figure:g}" for name, figure in values.items())
                lines.append(f"- published in {source}: {shown}")
        elif key != "name" and value not in ("", ()):
            lines.append(f"- {key.replace('_', ' ')}: {_shown(value)}")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
