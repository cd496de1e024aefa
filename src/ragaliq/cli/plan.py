"""`ragaliq plan`: what a run would call, and what that may cost."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import command_session, positive_number
from ragaliq.cli.run import add_options, read_inputs, run_options
from ragaliq.storage.redaction import redact

if TYPE_CHECKING:
    from ragaliq.llm import LLMSession
    from ragaliq.pipeline.stage_plan import StagePlan


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "plan",
        help="what `ragaliq run` with the same options would call, and what that may cost",
        description="Counts calls, tokens and US dollars of a run. Nothing is called, loaded or written.",
    )
    add_options(parser)
    add = parser.add_argument_group("capacity, from measured unit costs").add_argument
    add("--scale", metavar="CORPUS", help="what miracl, mmarco, archive or PASSAGESxLANGUAGES would take; "
        "--workers and --concurrency count")  # fmt: skip
    add("--latency", type=positive_number, default=2.0, metavar="S", help="seconds of a call, of --scale (2)")
    add("--model", default="gpt-4o-mini", metavar="NAME", help="answers and judges, of --scale (gpt-4o-mini)")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.pipeline.plan import plan
    from ragaliq.report.format import NONE, markdown

    if arguments.scale:
        return _capacity(arguments)
    inputs = read_inputs(arguments)
    with command_session(arguments, planned=True) as session:
        stages = plan(inputs.config, inputs.benchmark, inputs.out, run_options(arguments, session))
    rows = [
        {
            "stage": stage.stage,
            "component": stage.component,
            "items": str(stage.items),
            "calls": str(stage.calls),
            "cached": str(stage.cached),
            "prompt tokens": str(stage.prompt_tokens),
            "reply tokens": str(stage.completion_tokens),
            "USD": NONE if stage.cost is None else f"{stage.cost:.4f}",
        }
        for stage in stages
    ]
    print(redact(f"{markdown(rows, colons=False)}\n{_cost(stages, session)}"))
    if any(stage.stage == "citations" for stage in stages):
        print("Citations: of answers that are still to come, one for each sentence of about two references is assumed.")
    print("Tokens are estimated from characters; replies are taken to be as long as they may be.")
    return 0


def _capacity(arguments: argparse.Namespace) -> int:
    """Print what a corpus larger than a laptop's takes."""
    from ragaliq.llm import load_prices
    from ragaliq.pipeline.capacity.estimate import Setting, bottleneck, demand, estimate
    from ragaliq.report.format import NONE, markdown, three_digits

    prices = load_prices(Path(arguments.prices) if arguments.prices else None)
    workers = arguments.workers or 1
    setting = Setting(workers, arguments.concurrency, arguments.latency, prices.of(arguments.model))
    wanted = demand(arguments.scale)
    figures = estimate(wanted, setting)
    rows = [
        {
            "quantity": one.name,
            "value": NONE if one.value is None else f"{three_digits(one.value)} {one.unit}".strip(),
            "from": one.basis,
        }
        for one in figures
    ]
    slowest = bottleneck(figures)
    calls = f"{arguments.concurrency} calls under way in each, {arguments.latency:g} s a call"
    print(f"{wanted.name}: {workers} workers, {calls}\n")
    print(markdown(rows, colons=False))
    print(f"bottleneck: {slowest.name}, {three_digits(slowest.value or 0.0)} h")
    return 0


def _cost(stages: Sequence[StagePlan], session: LLMSession) -> str:
    prices = session.prices
    assert prices is not None
    unknown = sorted({stage.model for stage in stages if stage.cost is None})
    if unknown:
        names = ", ".join(unknown)
        return f"cost: unknown, {prices.path.name} has no price of {names}; --prices FILE names another"
    if any(stage.calls for stage in stages):
        total = sum(filter(None, (stage.cost for stage in stages)))
        return f"cost: at most {total:.4f} USD, at the list prices of {prices.date}"
    return "cost: nothing, no endpoint is called"
