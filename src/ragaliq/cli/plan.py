"""`ragaliq plan`: what a run would call, and what that may cost."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import make_session, parse_languages
from ragaliq.cli.run import add_options, corpus_of, out_path, resolve

if TYPE_CHECKING:
    from ragaliq.pipeline.plan import StagePlan


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "plan",
        help="what `ragaliq run` with the same options would call, and what that may cost",
        description="Counts calls, tokens and US dollars of a run. Nothing is called, loaded or written.",
    )
    add_options(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.benchmark.load import load_benchmark
    from ragaliq.pipeline.evaluate import RunOptions
    from ragaliq.pipeline.plan import plan

    config = resolve(arguments)
    benchmark = load_benchmark(Path(config.data), parse_languages(arguments.lang), *corpus_of(config))
    session = make_session(arguments, planned=True)
    options = RunOptions(
        arguments.limit, arguments.fresh, not arguments.no_judge, session, controls=not arguments.no_controls
    )
    stages = plan(config, benchmark, out_path(arguments, config, benchmark.name), options)
    print(_table(stages))
    assert session.prices is not None
    total = [stage.cost for stage in stages]
    unknown = sorted({stage.model for stage in stages if stage.cost is None})
    if unknown:
        print(
            f"cost: unknown, {session.prices.path.name} has no price of {', '.join(unknown)}; "
            "--prices FILE names another"
        )
    elif any(stage.calls for stage in stages):
        print(f"cost: at most {sum(filter(None, total)):.4f} USD, at the list prices of {session.prices.date}")
    else:
        print("cost: nothing, no endpoint is called")
    print("Tokens are estimated from characters; replies are taken to be as long as they may be.")
    return 0


def _table(stages: list[StagePlan]) -> str:
    from tabulate import tabulate

    rows = [
        (s.stage, s.component, s.items, s.calls, s.cached, s.prompt_tokens, s.completion_tokens,
         "—" if s.cost is None else f"{s.cost:.4f}")
        for s in stages
    ]  # fmt: skip
    headers = ("stage", "component", "items", "calls", "cached", "prompt tokens", "reply tokens", "USD")
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)
