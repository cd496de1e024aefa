"""`ragaliq convert`: a data set in another format."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ragaliq.cli.options import add_shared, parse_languages, positive, tell
from ragaliq.config import sample_path


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "convert",
        help="write a data set in another format",
        description="Write a data set in another format: ragaliq, upstream, beir, miracl, mmarco, freshstack, squad or "
        "trec; what the format cannot hold is said in a line each.",
    )
    add = parser.add_argument
    add("source", type=sample_path, metavar="SRC", help="folder, .zip of BEIR, .json of SQuAD, hub:NAME or beir:NAME")
    add("--to", dest="target_format", required=True, metavar="FORMAT", help="the format to write")
    add("--out", required=True, metavar="DIR", help="the new folder")
    add("--min-rel", type=positive, default=1, metavar="N", help="relevance from which on a document is relevant (1)")
    add_shared(parser, "--from", "--lang", "--split", "--max-docs")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Convert, and say what was left out."""
    from ragaliq.benchmark.convert.convert import Conversion, convert

    langs = parse_languages(arguments.lang)
    job = Conversion(
        source=arguments.source,
        source_format=arguments.source_format,
        target_format=arguments.target_format,
        langs=None if langs is None else tuple(langs),
        split=arguments.split,
        min_rel=arguments.min_rel,
        max_docs=arguments.max_docs,
    )
    tell(convert(job, Path(arguments.out)))
    print(f"{arguments.target_format}: {arguments.out}")
    return 0
