"""`ragaliq validate`: check a benchmark or data set."""

from __future__ import annotations

import argparse
from errno import ENOSPC, EPIPE
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import add_shared, parse_languages, tell
from ragaliq.config import sample_path
from ragaliq.errors import InputError

if TYPE_CHECKING:
    from ragaliq.formats.reading.collection import Collection

# What makes measures wrong; the other warnings tell of a data set as it is.
_ERRORS = ("wrong-split", "id-mismatch", "truncated-corpus", "missing-queries")


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser("validate", help="check a benchmark or data set; its statistics")
    parser.add_argument(
        "folder", type=sample_path, metavar="DIR", help="the benchmark, a data set in any format, hub:NAME or beir:NAME"
    )
    parser.add_argument("--stats", action="store_true", help="print its statistics")
    add_shared(parser, "--from", "--lang", "--split")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Print the findings, and return 1 if there are any."""
    from ragaliq.benchmark.collections import detect_format, unreadable

    try:
        fmt = arguments.source_format or detect_format(Path(arguments.folder))
        return _benchmark(arguments) if fmt in ("ragaliq", "upstream") else _data_set(arguments)
    except OSError as error:
        if error.errno in (EPIPE, ENOSPC):
            # Not the input, but what is printed.
            raise
        raise unreadable(arguments.folder, error) from None


def _benchmark(arguments: argparse.Namespace) -> int:
    from ragaliq.benchmark.checks.validate import is_parallel, not_checked, validate
    from ragaliq.execution.second_process import beside
    from ragaliq.experiment.reachable import unreachable
    from ragaliq.storage.files import read_json

    folder = Path(arguments.folder)
    head = folder / "bench.json"

    def rest() -> list[str]:
        lost = unreachable(folder) if head.is_file() and is_parallel(read_json(head)) else []
        return lost + _behind_template(folder)

    others = beside(rest)
    findings = validate(folder) + others()
    tell(f"{folder}: {note}" for note in not_checked(folder))
    for finding in findings:
        print(finding)
    if arguments.stats:
        from ragaliq.benchmark.statistics import collection_sizes, query_types
        from ragaliq.report.format import markdown

        try:
            collections = _load(arguments)
            sizes = [collection_sizes(collection) for collection in collections.values()]
            print(f"{markdown(sizes)}\n\n{markdown(query_types(collections), numeric=True)}")
        except InputError as error:
            tell([f"{folder}: no statistics: {error}"])
    tell([_count(arguments, len(findings))])
    return 1 if findings else 0


def _behind_template(folder: Path) -> list[str]:
    """Return a finding if a benchmark is not edition 0 of the template beside it, or the template is faulty."""
    from ragaliq.build.edition.refresh import edition_differences
    from ragaliq.build.edition.template import FOLDER

    if not (folder / FOLDER).is_dir():
        return []
    try:
        differences = edition_differences(folder, 0, folder)
    except InputError as error:
        return [str(error)]
    if not differences:
        return []
    more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
    return [f"{differences[0]} from what {FOLDER}/ makes{more}; run data/derive.py"]


def _data_set(arguments: argparse.Namespace) -> int:
    from ragaliq.benchmark.document_checks import scan_documents, scan_notes, warning_name
    from ragaliq.benchmark.statistics import collection_sizes
    from ragaliq.report.format import markdown

    collections = _load(arguments)
    if arguments.stats:
        tell(note for collection in collections.values() for note in collection.notes)
        print(markdown([collection_sizes(collection) for collection in collections.values()]))
        return 0
    errors = 0
    for collection in collections.values():
        scan = scan_documents(collection)
        notes = [*collection.notes, *scan_notes(collection, scan)]
        for note in notes:
            print(note)
        errors += bool(scan.repeated) + sum(warning_name(note) in _ERRORS for note in notes)
    tell([_count(arguments, errors)])
    return 1 if errors else 0


def _count(arguments: argparse.Namespace, n: int) -> str:
    return f"{arguments.folder}: {n or 'no'} finding{'' if n == 1 else 's'}"


def _load(arguments: argparse.Namespace) -> dict[str, Collection]:
    from ragaliq.benchmark.collections import load_collections

    langs = parse_languages(arguments.lang)
    return load_collections(arguments.folder, fmt=arguments.source_format, langs=langs, split=arguments.split)
