"""`ragaliq measure`: the measures of TREC runs."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import HIDDEN, add_format, add_shared, tell
from ragaliq.config import sample_path
from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from ragaliq.experiment.figures.measured_run import MeasuredRun
    from ragaliq.experiment.judgements import Judgements
    from ragaliq.metrics.retrieval.measures import Measure

MEASURES_HELP = "as in nDCG@10 or P(rel=2)@5; several apart by commas"
# Commas between parentheses belong to the parameters of a measure.
_COMMA = re.compile(r",(?![^(]*\))")


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "measure",
        help="the measures of TREC runs",
        description="Measures of TREC runs under qrels, or under the judgements of a data set. Values go to stdout. "
        "A judged query that the run lacks counts 0. Several languages are several calls. A run over the documents of "
        "several languages, doc_id@lang, is measured collapsed: each document counts once, as its best unit.",
    )
    add = parser.add_argument
    add("--run", action="append", required=True, metavar="RUN", help="TREC run; several give a column each")
    add("--per-language", action="store_true", help="also each language's part of a run of units doc_id@lang")
    add("--per-query", action="store_true", help="the values of each query, too (always in json)")
    add_format(parser, "csv", "json")
    add_judgements(parser)
    add_measures(parser)
    parser.set_defaults(call=call)


def add_judgements(parser: argparse.ArgumentParser) -> None:
    """Declare which judgements count."""
    add = parser.add_argument
    add("--qrels", metavar="Q", help="TREC qrels, subtopic qrels (qid nugget_id doc_id rel), or BEIR's table")
    add(
        "--data",
        type=sample_path,
        metavar="DIR",
        help="a data set, in place of --qrels: its judgements, nuggets and gold",
    )
    add("--lang", metavar="L", help="the language of --data; in compare also that of graded systems")
    add_shared(parser, "--from", "--split")
    add("--ties", choices=("trec", "ascending", "order", "float32"), default="trec",
        help="order of equal scores: by doc id, descending (trec) or ascending; as in the file (order); trec with "
        "scores in single precision, as trec_eval 9 (float32)")  # fmt: skip


def add_measures(parser: argparse.ArgumentParser) -> None:
    """Declare what is measured."""
    add = parser.add_argument
    add("-m", "--measure", dest="measures", action="append", metavar="MEASURE", help=f"{MEASURES_HELP} (default: "
        "nDCG@10,R@100,AP,RR; with nuggets alpha_nDCG@10,Coverage@20,R@50)")  # fmt: skip
    add("--metric", dest="measures", action="append", **HIDDEN)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.report.markdown.measures import render_measures

    runs = measure_runs(list(dict.fromkeys(map(Path, arguments.run))), arguments, arguments.per_language)
    print(render_measures(runs, arguments.format, arguments.per_query))
    return 0


def measure_runs(paths: Sequence[Path], arguments: argparse.Namespace, per_language: bool = False) -> list[MeasuredRun]:
    """Return the values of each run under the judgements that the arguments name.

    With `per_language` a run of units `doc_id@lang` is followed by its parts in each language. How many queries count,
    and what looks wrong, goes to stderr.

    Raises:
        InputError: if a file is malformed, a measure does not exist or lacks its judgements, or a run and the
            judgements have no query in common.
    """
    from ragaliq.experiment.judgements import measure_run, measure_unit_languages

    judgements = _judgements(arguments)
    measures = parse_measures(arguments.measures or judgements.defaults)
    runs = [measure_run(path, judgements, measures, arguments.ties) for path in paths]
    for run in runs:
        total = len(run.evaluation.query_ids)
        tell([f"Evaluating {total - run.evaluation.n_missing} / {total} queries: {run.name}"])
    tell(finding for run in runs for finding in run.findings)
    if not per_language:
        return runs
    parts = [measure_unit_languages(path, judgements, measures, arguments.ties) for path in paths]
    return [one for run, own in zip(runs, parts, strict=True) for one in (run, *own)]


def _judgements(arguments: argparse.Namespace) -> Judgements:
    """Return the judgements of `--qrels` or `--data`.

    Raises:
        ConfigError: if both or neither are given, or the language is left open.
        InputError: if a file is malformed.
    """
    from ragaliq.benchmark.collections import load_collections
    from ragaliq.experiment.judgements import of_collection, of_file

    source, fmt, split = arguments.data, arguments.source_format, arguments.split
    if bool(arguments.qrels) == bool(source):
        raise ConfigError("give either --qrels FILE or --data DIR with --lang")
    if not source:
        if arguments.lang or split or fmt:
            raise ConfigError("--lang, --split and --from belong to --data; leave them out with --qrels")
        return of_file(Path(arguments.qrels))
    collections = load_collections(source, fmt=fmt, langs=[arguments.lang] if arguments.lang else None, split=split)
    if len(collections) != 1:
        langs = ", ".join(sorted(collections))
        raise ConfigError(f"--lang: {source} has {len(collections)} languages ({langs}); name one")
    (collection,) = collections.values()
    tell(collection.notes)
    return of_collection(collection)


def parse_measures(written: Sequence[str]) -> tuple[Measure, ...]:
    """Return the measures that are written, apart by commas, each once.

    Raises:
        InputError: if there is no such measure, or none at all.
    """
    from ragaliq.metrics.retrieval.measures import parse_measure

    names = [name.strip() for text in written for name in _COMMA.split(text) if name.strip()]
    if not names:
        raise ConfigError("-m: names no measure; write it like nDCG@10")
    return tuple({str(measure): measure for measure in map(parse_measure, names)}.values())
