"""`ragaliq datasets`: the catalogue of retrieval data sets."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

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
    parser.add_argument("--format", choices=("md", "json"), default="md", help="form of the output (default: md)")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Print the catalogue or a part of it."""
    from ragaliq.formats.catalogue import catalogue, dataset_families, entry

    family = arguments.name.casefold()
    if not family or family in dataset_families():
        found = catalogue(family)
        print(_json(found) if arguments.format == "json" else _table(found))
        return 0
    one = entry(arguments.name)
    print(json.dumps(_object(one), ensure_ascii=False, indent=2) if arguments.format == "json" else _sheet(one))
    return 0


def _json(found: Sequence[Dataset]) -> str:
    return json.dumps([_object(dataset) for dataset in found], ensure_ascii=False, indent=2)


def _object(dataset: Dataset) -> dict[str, Any]:
    from ragaliq.experiment.figures.diagnoses import contamination
    from ragaliq.formats.catalogue import sources

    return {**asdict(dataset), "contamination": contamination(dataset.name), "sources": dict(sources(dataset.family))}


def _table(found: Sequence[Dataset]) -> str:
    from tabulate import tabulate

    rows = [[_cell(dataset, column) for column in _COLUMNS] for dataset in found]
    return tabulate(rows, list(_COLUMNS), tablefmt="github", disable_numparse=True)


def _cell(dataset: Dataset, column: str) -> str:
    if column == "access":
        return dataset.access or "public"
    value = getattr(dataset, column)
    return ", ".join(value) if isinstance(value, tuple) else f"{value:,}" if isinstance(value, int) else str(value)


def _sheet(dataset: Dataset) -> str:
    """Return everything known of a data set, a line each; what is empty is left out."""
    lines = [f"# {dataset.name}", ""]
    for key, value in _object(dataset).items():
        if key == "sources":
            lines += ["", "Sources:", *(f"- {what}: {where}" for what, where in value.items())]
        elif key != "name" and value not in ("", ()):
            lines.append(f"- {key.replace('_', ' ')}: {_shown(value)}")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
