"""Which options each stage of `ragaliq build` takes."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from ragaliq.cli import check_translation
from ragaliq.errors import InputError

# Options of one command alone; all others are for every stage that is built.
_HOME: Mapping[str, str] = {
    "human": "certify",
    "match": "certify",
    "retire": "update",
    "source_lang": "check-translation",
    "export": "translate",
    "returned": "translate",
    "rater": "translate --import",
}
# What is not built takes nothing else.
_ALONE: Mapping[str, tuple[str, ...]] = {
    "audit": (),
    "check-translation": ("source_lang",),
    "translate --export": ("export",),
    "translate --import": ("returned", "rater"),
}
_FLAGS = {"sources": "--from", "returned": "--import"}
# How models are called changes nothing where none is.
_CALLS = ("timeout", "concurrency", "max_cost", "prices", "no_cache", "cache_from", "no_traces")
_ALWAYS = ("stage", "bench", *_CALLS)


def check_options(arguments: argparse.Namespace) -> None:
    """Refuse options that the stage would ignore, except for how models are called.

    One with its default counts as left out.

    Raises:
        InputError: naming the first of them.
    """
    given = [name for name, value in vars(arguments).items() if value != arguments.parser.get_default(name)]
    command = _command(arguments)
    building = command == "check-translation" and not check_translation.is_on_disk(Path(arguments.bench))
    alone = None if building else _ALONE.get(command)
    for name in given:
        own = command not in _ALONE and _HOME.get(name) == command
        taken = (own or name not in _HOME) if alone is None else name in alone
        if taken or name in _ALWAYS:
            continue
        flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
        if name in _HOME:
            finished = " of a finished benchmark" if name == "source_lang" else ""
            raise InputError(f"build {command}: {flag} is for `ragaliq build {_HOME[name]}`{finished}")
        raise InputError(f"build {command}: takes no {flag}; leave it out")


def _command(arguments: argparse.Namespace) -> str:
    ways = (("--export", arguments.export), ("--import", arguments.returned))
    chosen = [f" {flag}" for flag, value in ways if value and arguments.stage == "translate"]
    return f"{arguments.stage}{''.join(chosen)}"
