"""`ragaliq check`: ask the separate questions about the answers of runs, beside any grade."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import (
    add_calls,
    add_format,
    add_shared,
    command_session,
    print_json,
    run_path,
    tell,
)
from ragaliq.config import Component
from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from ragaliq.judge.checks.rates import CheckRates, Rate


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "check",
        help="ask of each answer: does it abstain, is it in the right language, is each sentence supported?",
        description="Ask separate questions about each answer of a run, into checks.jsonl: does it abstain, is it in "
        "the query's language, and is each of its sentences supported by the passages that the reader was shown. Where "
        "the benchmark has nuggets, which of them each answer holds, into nugget_scores.jsonl. A model also "
        "says whether the passages are those that the reference needs, into context_scores.jsonl. None of it enters a "
        "grade.",
    )
    add = parser.add_argument
    add_shared(parser, "runs", "--min-coverage")
    add("--judge", default="offline", metavar="KIND[:MODEL]", help="offline (default) or openai:MODEL")
    add("--prompt", default="", metavar="FILE", help="prompt of openai:MODEL in place of the shipped one")
    add("--replace", action="store_true", help="put these findings in the place of another model's")
    add_format(parser, "json")
    add_calls(parser, traces=True)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if too few answers of a language could be checked."""
    from ragaliq.aggregate.beside.unchecked import why_unchecked
    from ragaliq.pipeline.check import check_run, make_checking, with_nuggets
    from ragaliq.pipeline.measure import measure
    from ragaliq.runs.folder import RunFolder

    judge = Component.parse(arguments.judge, "--judge")
    if arguments.prompt:
        judge = replace(judge, options={**judge.options, "prompt": arguments.prompt})
    checked: list[tuple[str, list[CheckRates]]] = []
    for run in arguments.runs:
        folder = RunFolder(run_path(run))
        seed = folder.config()["system"]["seed"]
        with command_session(arguments) as session:
            checking = make_checking(judge, session, seed)
            if checking is None:
                raise ConfigError("--judge none: checks nothing; name offline or openai:MODEL")
            rates = check_run(folder, with_nuggets(checking, folder), session, arguments.replace)
            checked.append((str(folder), rates))
        if folder.verdicts_file.is_file():
            measure(folder)
        tell(f"ragaliq: {folder}: {line}" for line in why_unchecked(folder))
    if arguments.format == "json":
        print_json([{"run": run, "judge": arguments.judge, **asdict(one)} for run, rates in checked for one in rates])
    else:
        tables = [f"{run}, checked by {arguments.judge}\n\n{_table(rates)}" for run, rates in checked]
        print("\n\n".join([*tables, _LEGEND]))
    return max(_gate(run, rates, arguments.min_coverage) for run, rates in checked)


def _gate(run: str, rates: Sequence[CheckRates], least: float) -> int:
    low = [one for one in rates if (one.checked.value or 0.0) < least]
    tell(
        f"ragaliq: {run}: {one.lang}: only {round((one.checked.value or 0.0) * one.n)} of {one.n} answers could be "
        f"checked, less than --min-coverage {least:g}"
        for one in low
    )
    return 1 if low else 0


_COLUMNS = ("lang", "n", "coverage", "abstains", "supported", "partly", "contradicted", "not", "sentences",
            "wrong language", "language known", "as refusal detector", "as language detector")  # fmt: skip
_LEGEND = (
    "n: answers expected; coverage: share of them checked; language known: answers with a finding on their language; "
    "as refusal detector, as language detector: how many of the answers compared our detectors judge alike."
)


def _table(rates: Sequence[CheckRates]) -> str:
    head, *rows = (f"| {' | '.join(cells)} |" for cells in (_COLUMNS, *map(_cells, rates)))
    return "\n".join([head, f"|{'---|' * len(_COLUMNS)}", *rows])


def _cells(one: CheckRates) -> Sequence[str]:
    from ragaliq.report.format import thousandths

    shares = (one.checked, one.abstained, one.supported, one.partly, one.contradicted, one.unsupported)
    return (
        one.lang,
        str(one.n),
        *(thousandths(rate.value) for rate in shares),
        str(one.supported.n),
        thousandths(one.wrong_language.value),
        str(one.wrong_language.n),
        _count(one.agree_abstained),
        _count(one.agree_language),
    )


def _count(rate: Rate) -> str:
    return "—" if rate.value is None else f"{round(rate.value * rate.n)}/{rate.n}"
