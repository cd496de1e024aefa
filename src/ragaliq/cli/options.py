"""Options that several commands have, each defined once, and what commands say on stderr."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ragaliq.errors import InputError
from ragaliq.execution.progress import say
from ragaliq.storage.files import check_name

if TYPE_CHECKING:
    from ragaliq.llm import LLMSession

_REPLIES = Path(".ragaliq") / "replies.sqlite"
_BATCHES = Path(".ragaliq") / "batches.jsonl"
_VECTORS = Path(".ragaliq") / "vectors.sqlite"
# An older name of an option, which `--help` does not show; the option's own default holds.
HIDDEN: Mapping[str, Any] = MappingProxyType({"default": argparse.SUPPRESS, "help": argparse.SUPPRESS})
_MOST_LOOKS = 100


def add_shared(parser: argparse.ArgumentParser, *names: str) -> None:
    """Declare options that mean the same in every command, by their names."""
    for name in names:
        parser.add_argument(name, **_SHARED[name])


def show(text: str) -> None:
    """Print what a command is for; a reader that closes its pipe early, as `head` does, changes no exit code."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python would flush what is left at its end, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def add_format(parser: argparse.ArgumentParser, *more: str) -> None:
    """Declare the form of what is printed: `md` by default, or one of `more`."""
    parser.add_argument("--format", choices=("md", *more), default="md", help="form of the output (default: md)")


def add_judging(parser: argparse.ArgumentParser, default: str = "offline", controls: bool = True) -> None:
    """Declare the judge, how often it is asked and, with `controls`, whether it has to pass its controls first."""
    add = parser.add_argument
    kinds = "offline, openai:MODEL, transformers:MODEL, or several as in panel:openai:A+offline"
    add("--judge", metavar="KIND[:MODEL]", help=f"{kinds} (default: {default})")
    add("--repeats", type=positive, metavar="K", help="ask the judge K times for each answer, and take the median (1)")
    add("--judge-temperature", type=_temperature, metavar="T", help="temperature of judge models (default: their own)")
    if controls:
        add("--no-controls", action="store_true", help="judge without letting the judge pass its controls first")


def add_check(parser: argparse.ArgumentParser, default: str = "offline") -> None:
    """Declare who answers the separate questions about each answer, beside its grade."""
    meaning = f"groundedness and nuggets beside the grade: offline, openai:MODEL or none (default: {default})"
    parser.add_argument("--check", metavar="KIND[:MODEL]", help=meaning)


def add_calls(parser: argparse.ArgumentParser, traces: bool = False) -> None:
    """Declare how endpoints are called; `traces` for a command that keeps the calls in a run's folder."""
    add = parser.add_argument
    add("--concurrency", type=positive, default=16, metavar="N", help="most calls of a stage under way at once (16)")
    add("--batch", action="store_true", help="send chats through the endpoint's batch API: half the price, in a day")
    add("--max-cost", type=_dollars, metavar="USD", help="stop (exit 3) before this call has spent more")
    add("--prices", metavar="FILE", help="price file (default: list prices of the package)")
    cache = parser.add_mutually_exclusive_group().add_argument
    cache("--no-cache", action="store_true", help="ask endpoints anew instead of using the replies in .ragaliq")
    moved = "where an endpoint has no reply in .ragaliq, take that of the same model at this other address"
    cache("--cache-from", type=_address, metavar="URL", help=moved)
    if traces:
        add("--no-traces", action="store_true", help="do not keep the calls of models in the run's traces.jsonl")
    else:
        parser.set_defaults(no_traces=True)


@contextmanager
def command_session(arguments: argparse.Namespace, planned: bool = False) -> Iterator[LLMSession]:
    """Yield how endpoints are called; at the end, however it comes, say what the calls used.

    Meanwhile the vectors of sentences are kept in the working directory.
    """
    from ragaliq.llm import LLMSession, ResponseCache, load_prices
    from ragaliq.llm.batches import MOST_REQUESTS, Batches
    from ragaliq.text.sentence_encoder import vectors_kept

    session = LLMSession(
        cache=None if arguments.no_cache else ResponseCache(_REPLIES, arguments.cache_from or ""),
        prices=load_prices(Path(arguments.prices) if arguments.prices else None),
        max_cost=arguments.max_cost,
        # A batch is made of what waits at once.
        concurrency=MOST_REQUESTS if arguments.batch else arguments.concurrency,
        batches=Batches(_BATCHES) if arguments.batch else None,
        planned=planned,
        traced=not arguments.no_traces,
    )
    try:
        with vectors_kept(_VECTORS):
            yield session
    finally:
        if session.cache is not None:
            session.cache.close()
        for role, used in sorted(session.accounts.items()):
            tokens = f"{used.prompt_tokens} + {used.completion_tokens} tokens"
            cost = "" if used.cost_usd is None or not used.calls else f", {used.cost_usd:.4f} USD (list prices)"
            silent = f", {used.unreported} without a report of tokens" if used.unreported else ""
            tell([f"{role}: {used.calls} calls, {used.cached} from the cache, {tokens}{cost}{silent}"])


def tell(lines: Iterable[str]) -> None:
    """Print lines for the user to stderr, each once, above any progress bar."""
    for line in dict.fromkeys(lines):
        say(line)


def print_json(value: Any) -> None:
    """Print a value for programs."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def run_path(text: str) -> Path:
    """Return a run's folder as a path that has a name and a parent, which `.` and `..` lack.

    Raises:
        InputError: if no file can have the name, or it is not UTF-8.
    """
    path = Path(text)
    if path.name in ("", ".."):
        path = path.resolve()
    check_name(str(path))
    return path


def parse_languages(option: str) -> list[str] | None:
    """Return the languages that `--lang` names; None means all."""
    langs = [lang.strip() for lang in option.split(",") if lang.strip()]
    if not langs:
        raise InputError("--lang: name at least one language, or all")
    return None if "all" in langs else langs


def positive(text: str) -> int:
    """Read a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number of at least 1 is expected, not '{text}'")
    return int(text)


def positive_number(text: str) -> float:
    """Read a number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < sys.float_info.max:
        raise argparse.ArgumentTypeError(f"a number above 0 is expected, not '{text}'")
    return value


def look_count(text: str) -> int:
    """Read how many looks are planned: 1 to 100, as their levels are computed one after the other."""
    looks = positive(text)
    if looks > _MOST_LOOKS:
        raise argparse.ArgumentTypeError(f"at most {_MOST_LOOKS} looks are possible, not {looks}")
    return looks


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 0, not '{text}'")
    return int(text)


def _bounded(text: str, most: float, expected: str) -> float:
    """Read a number in 0..most; `expected` says in errors what it is."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= most:
        raise argparse.ArgumentTypeError(f"{expected} is expected, not '{text}'")
    return value


def _address(text: str) -> str:
    """Read the address of an endpoint, in its plain form."""
    from ragaliq.llm.endpoints.endpoint import is_link, plain_address

    if not is_link(text):
        # The value is not shown: it may hold a password.
        raise argparse.ArgumentTypeError("an http:// or https:// address is expected")
    return plain_address(text)


_share = partial(_bounded, most=1.0, expected="a number between 0 and 1")
_temperature = partial(_bounded, most=2.0, expected="a number between 0 and 2")
_dollars = partial(_bounded, most=sys.float_info.max, expected="an amount in US dollars")
_SHARED: Mapping[str, Mapping[str, Any]] = {
    "runs": {"nargs": "+", "metavar": "RUN", "help": "folder of a run"},
    "--lang": {"default": "all", "metavar": "L", "help": "languages, as in en,de (default: all)"},
    "--from": {"dest": "source_format", "default": "", "metavar": "FORMAT",
               "help": "format of the data set (default: by content)"},
    "--split": {"default": "", "metavar": "S",
                "help": "part of the queries, such as dev (default: the one that is reported)"},
    "--max-docs": {"type": positive, "metavar": "N",
                   "help": "take N documents, all judged ones among them; values are too high then"},
    "--min-coverage": {"type": _share, "default": 0.95, "metavar": "SHARE",
                       "help": "least share of answers with a finding or grade (.95)"},
    "--seed": {"type": _seed, "default": 0, "metavar": "N", "help": "seed of everything that draws (0)"},
    "--fresh": {"action": "store_true", "help": "begin anew instead of going on with what is there"},
}  # fmt: skip
