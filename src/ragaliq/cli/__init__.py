"""The command line: arguments → call → print.

Exit codes: 0 done; 1 done, but a gate failed; 2 the input or the usage is wrong; 3 stopped before the end, the same
command goes on.
"""

from __future__ import annotations

import argparse
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from io import TextIOWrapper
from typing import Any, NoReturn

from ragaliq.blas import one_thread
from ragaliq.cli import (
    aggregate,
    agree,
    build,
    check,
    compare,
    convert,
    datasets,
    experiment,
    export,
    grade,
    index,
    judge,
    judge_controls,
    leaderboard,
    measure,
    merge,
    plan,
    power,
    refresh,
    report,
    retrieve,
    review,
    run,
    show,
    validate,
    view,
)
from ragaliq.cli.later import announcement
from ragaliq.config import RunConfig
from ragaliq.errors import InputError, RagaliqError, Stopped, nearest
from ragaliq.storage.files import check_name
from ragaliq.storage.redaction import altered, redact

__all__ = ["main"]

_COMMANDS = (
    run,
    plan,
    grade,
    judge,
    judge_controls,
    merge,
    agree,
    build,
    review,
    check,
    aggregate,
    report,
    show,
    view,
    export,
    retrieve,
    experiment,
    measure,
    compare,
    leaderboard,
    power,
    validate,
    convert,
    index,
    refresh,
    datasets,
)


_KEYS = {field.name for field in fields(RunConfig)}


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, with the nearest name that exists."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse an unknown option first: what else is missing or left over may only follow from it."""
        for text in sys.argv[1:] if args is None else args:
            if text == "--" or (self._subparsers is not None and not text.startswith("-")):
                # What follows is a command's.
                break
            name = text.partition("=")[0]
            if name.startswith("--") and not any(known.startswith(name) for known in self._option_string_actions):
                self.error(f"unknown option {name}{self._instead_of(name)}")
        return super().parse_known_args(args, namespace)

    def _instead_of(self, name: str) -> str:
        """Return what may be meant by an option that does not exist."""
        close = get_close_matches(name, self._option_string_actions, n=1, cutoff=0.7)
        if close:
            return f", did you mean {close[0]}?"
        word, places = name.lstrip("-"), {action.dest for action in self._actions if not action.option_strings}
        if word in places:
            return f": give its value without {name}"
        return f": write '{word}: …' into CONFIG.yaml" if "config" in places and word in _KEYS else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, f"unknown '{value}', {nearest(str(value), map(str, action.choices))}")

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        raise SystemExit(2)


def main(argv: Sequence[str] | None = None, prog: str = "ragaliq") -> int:
    """Run a command, and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a character gets its escape, not a traceback.
            stream.reconfigure(errors="backslashreplace")
    parser = _parser(prog)
    texts = sys.argv[1:] if argv is None else argv
    try:
        for text in texts:
            check_name(text)
    except InputError as error:
        parser.error(str(error))
    arguments = parser.parse_args(argv)
    try:
        with _terminable(), _telling_altered():
            one_thread()
            code: int = arguments.call(arguments)
            sys.stdout.flush()
        return code
    except RagaliqError as error:
        print(f"{prog}: {redact(' '.join(str(error).split()))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"\n{prog}: interrupted; what is finished is on disk, the same command goes on", file=sys.stderr)
        return Stopped.exit_code
    except BrokenPipeError:
        # Whoever read our output has closed it, as `head` does.
        sys.stderr.close()
        return 0
    except OSError as error:
        # A full disk, a folder that went away: what is finished stays. Files of ours are named.
        reason = f"{error.filename or 'the output or a temporary file'}: {error.strerror or error}"
        with suppress(OSError):
            sys.stdout.flush()
        print(f"{prog}: {reason}; fix it, the same command goes on", file=sys.stderr)
        return Stopped.exit_code
    except Exception:
        # A fault of ours: whoever reports it needs the place, and nobody needs the key that may stand in the message.
        print(redact(traceback.format_exc()), file=sys.stderr)
        print(f"{prog}: a fault of ragaliq, please report it; what is finished is on disk", file=sys.stderr)
        return Stopped.exit_code


@contextmanager
def _terminable() -> Iterator[None]:
    """Let a request to terminate end a command like Ctrl-C, also before a stage handles both (`interruptible`)."""
    try:
        earlier = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:  # Not in the main thread.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)


@contextmanager
def _telling_altered() -> Iterator[None]:
    """Say at the end of a command how many texts redaction changed: a grade may be another one for it."""
    altered()
    try:
        yield
    finally:
        total = altered()
        if total:
            line = "answers or feedbacks held the value of a secret variable or of `.env`"
            print(f"note: {total} {line}, now `***`; what counts as secret is in docs/data.md", file=sys.stderr)


@cache  # A program may call `main` for many commands.
def _parser(prog: str) -> argparse.ArgumentParser:
    from ragaliq import __version__

    description = "Tells how good a RAG system's answers are, per language."
    parser = _Parser(prog=prog, description=description, epilog=announcement())
    parser.add_argument("--version", action="version", version=f"ragaliq {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for command in _COMMANDS:
        command.add_parser(commands)
    return parser
