"""`ragaliq check`: ask the separate questions about the answers of runs, beside any grade."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import MIN_COVERAGE, add_calls, make_session, run_path, share, tell_calls

if TYPE_CHECKING:
    from ragaliq.judge.checks.rates import CheckRates, Rate


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "check",
        help="ask of each answer: does it abstain, is it in the right language, is each sentence supported?",
        description="Ask separate questions about each answer of a run, into checks.jsonl: does it abstain, is it in "
        "the query's language, and is each of its sentences supported by the passages that the reader was shown. None "
        "of it enters a grade.",
    )
    add = parser.add_argument
    add("runs", nargs="+", metavar="RUN", help="folder of a run")
    add("--judge", default="offline", metavar="KIND[:MODEL]", help="offline (default) or openai:MODEL")
    add("--prompt", default="", metavar="FILE", help="prompt of openai:MODEL in place of the shipped one")
    add("--replace", action="store_true", help="put these findings in the place of another judge's")
    add(
        "--min-coverage", type=share, default=MIN_COVERAGE, metavar="SHARE", help="least share of checked answers (.95)"
    )
    add("--format", choices=("md", "json"), default="md", help="what is printed (md)")
    add_calls(parser, traces=True)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if too few answers of a language could be checked."""
    from ragaliq.config import Component
    from ragaliq.pipeline.check import check_run, make_checker, why_unchecked
    from ragaliq.runs.folder import RunFolder

    judge = Component.parse(arguments.judge, "--judge")
    found: list[tuple[str, list[CheckRates]]] = []
    for run in arguments.runs:
        folder = RunFolder(run_path(run))
        session = make_session(arguments)
        seed = folder.config()["system"]["seed"]
        checker = make_checker(judge, session, arguments.prompt, seed)
        try:
            found.append((str(folder), check_run(folder, checker, session, arguments.replace)))
        finally:
            tell_calls(session)
        for line in why_unchecked(folder):
            print(f"ragaliq: {folder}: {line}; the same command asks again", file=sys.stderr)
    print(_json(found, arguments.judge) if arguments.format == "json" else _tables(found, arguments.judge))
    return max(_gate(run, rates, arguments.min_coverage) for run, rates in found)


def _gate(run: str, rates: list[CheckRates], least: float) -> int:
    low = [one for one in rates if (one.checked.value or 0.0) < least]
    for one in low:
        print(
            f"ragaliq: {run}: {one.lang}: only {round((one.checked.value or 0.0) * one.n)} of {one.n} answers could be "
            f"checked, less than --min-coverage {least:g}",
            file=sys.stderr,
        )
    return 1 if low else 0


_COLUMNS = ("lang", "n", "coverage", "abstains", "supported", "partly", "not", "sentences", "wrong language",
            "told", "as phrases", "as detector")  # fmt: skip
_LEGEND = (
    "n: answers expected; coverage: share of them checked; told: answers whose language could be told; as phrases, as "
    "detector: how many of the answers compared are judged as our abstention phrases and our language detector do."
)


def _tables(found: list[tuple[str, list[CheckRates]]], judge: str) -> str:
    tables = [f"{run}, checked by {judge}\n\n{_table(rates)}" for run, rates in found]
    return "\n\n".join([*tables, _LEGEND])


def _table(rates: list[CheckRates]) -> str:
    head = [f"| {' | '.join(_COLUMNS)} |", f"|{'---|' * len(_COLUMNS)}"]
    return "\n".join(head + [f"| {' | '.join(_cells(one))} |" for one in rates])


def _cells(one: CheckRates) -> list[str]:
    shares = (one.checked, one.abstained, one.supported, one.partly, one.unsupported)
    return [
        one.lang,
        str(one.n),
        *map(_share, shares),
        str(one.supported.n),
        _share(one.wrong_language),
        str(one.wrong_language.n),
        _of(one.agree_abstained),
        _of(one.agree_language),
    ]


def _share(rate: Rate) -> str:
    return "—" if rate.value is None else f"{rate.value:.3f}"


def _of(rate: Rate) -> str:
    return "—" if rate.value is None else f"{round(rate.value * rate.n)}/{rate.n}"


def _json(found: list[tuple[str, list[CheckRates]]], judge: str) -> str:
    from dataclasses import asdict

    rows = [{"run": run, "judge": judge, **asdict(one)} for run, rates in found for one in rates]
    return json.dumps(rows, ensure_ascii=False, indent=2)
