"""Options that several commands have: how endpoints are called, and values with a range."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ragaliq.errors import InputError

if TYPE_CHECKING:
    from ragaliq.llm import LLMSession

MIN_COVERAGE = 0.95
# An older name of an option, which `--help` does not show; the option's own default holds.
HIDDEN: Mapping[str, Any] = MappingProxyType({"default": argparse.SUPPRESS, "help": argparse.SUPPRESS})


def add_calls(parser: argparse.ArgumentParser, traces: bool = False) -> None:
    """Declare how endpoints are called; `traces` for a command that keeps the calls in a run's folder."""
    add = parser.add_argument
    add("--concurrency", type=positive, default=16, metavar="N", help="most calls of a stage under way at once (16)")
    add("--max-cost", type=dollars, metavar="USD", help="stop (exit 3) before this call has spent more")
    add("--prices", metavar="FILE", help="price file (default: list prices of the package)")
    add("--no-cache", action="store_true", help="ask endpoints anew instead of using the replies in .ragaliq")
    if traces:
        add("--no-traces", action="store_true", help="do not keep the calls of models in the run's traces.jsonl")
    else:
        parser.set_defaults(no_traces=True)


def make_session(arguments: argparse.Namespace, planned: bool = False) -> LLMSession:
    """Return how endpoints are called."""
    from ragaliq.llm import LLMSession, ResponseCache, load_prices

    return LLMSession(
        cache=None if arguments.no_cache else ResponseCache(Path(".ragaliq") / "replies.sqlite"),
        prices=load_prices(Path(arguments.prices) if arguments.prices else None),
        max_cost=arguments.max_cost,
        concurrency=arguments.concurrency,
        planned=planned,
        traced=not arguments.no_traces,
    )


def tell_calls(session: LLMSession) -> None:
    """Say what the calls to endpoints used."""
    for role, used in sorted(session.accounts.items()):
        tokens = f"{used.prompt_tokens} + {used.completion_tokens} tokens"
        cost = "" if used.cost_usd is None or not used.calls else f", {used.cost_usd:.4f} USD (list prices)"
        silent = f", {used.unreported} without a report of tokens" if used.unreported else ""
        print(f"{role}: {used.calls} calls, {used.cached} from the cache, {tokens}{cost}{silent}", file=sys.stderr)


def run_path(text: str) -> Path:
    """Return a run's folder as a path that has a name and a parent, which `.` and `..` lack."""
    path = Path(text)
    return path if path.name not in ("", "..") else path.resolve()


def parse_languages(option: str) -> list[str] | None:
    """Return the languages that `--lang` names; None means all."""
    langs = [lang.strip() for lang in option.split(",") if lang.strip()]
    if not langs:
        raise InputError("--lang: name at least one language, or all")
    return None if "all" in langs else langs


def dollars(text: str) -> float:
    """Read an amount of money."""
    return bounded_number(text, sys.float_info.max, "an amount in US dollars")


def positive(text: str) -> int:
    """Read a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number of at least 1 is expected, not '{text}'")
    return int(text)


def share(text: str) -> float:
    """Read a number in 0..1."""
    return bounded_number(text, 1.0, "a number between 0 and 1")


def bounded_number(text: str, most: float, expected: str) -> float:
    """Read a number in 0..most; `expected` says in errors what it is."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= most:
        raise argparse.ArgumentTypeError(f"{expected} is expected, not '{text}'")
    return value
