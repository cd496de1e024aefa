"""`ragaliq refresh`: a new edition of a benchmark with slots."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ragaliq.cli.options import tell
from ragaliq.config import sample_path
from ragaliq.errors import InputError

# Python reads no number from more than 4300 digits.
_DIGITS = 1000


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "refresh",
        help="a new edition of a benchmark with slots",
        description="Write the edition of a benchmark that a seed names: the same ids, other facts. Edition 0 is the "
        "one that ships.",
    )
    add = parser.add_argument
    add("bench", type=sample_path, metavar="BENCH", help="a benchmark with a template")
    add("--seed", required=True, help="a whole number from 0 on; new: one that nobody can guess, told on stderr")
    add("--out", metavar="DIR", help="the new folder")
    add("--private", action="store_true", help="bench.json tells the hash of the seed, not the seed")
    add("--check", metavar="DIR", help="tell whether this folder is the edition, and write nothing")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Write an edition, or check one: 1 if it is another."""
    from ragaliq.build.edition.commitment import commitment, new_seed, require_unguessable
    from ragaliq.build.edition.refresh import edition_differences, read_head, refresh

    folder = Path(arguments.bench)
    if bool(arguments.out) == bool(arguments.check):
        raise InputError("--out DIR writes the edition, --check DIR compares one; name one of the two")
    drawn = arguments.seed == "new"
    if arguments.check and (drawn or arguments.private):
        raise InputError("--check compares with the edition of a seed that is told: --seed N, without --private")
    seed = new_seed() if drawn else _seed(arguments.seed)
    if arguments.check:
        differences = edition_differences(folder, seed, Path(arguments.check))
        print("\n".join(differences) or f"{arguments.check}: is this edition")
        return 1 if differences else 0
    if arguments.private:
        require_unguessable(seed)
    files = refresh(folder, seed, Path(arguments.out), arguments.private)
    if drawn:
        kept = "keep it, it is written nowhere else" if arguments.private else "bench.json tells it, too"
        tell([f"ragaliq: seed {seed}; {kept}"])
    if arguments.private:
        tell([f"ragaliq: announce SHA-256 {commitment(read_head(folder), seed)}"])
    print(f"{arguments.out}: {len(files)} files")
    return 0


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise InputError(f"--seed {text}: a whole number from 0 on is expected, or 'new'")
    if len(text) > _DIGITS:
        raise InputError(f"--seed: {len(text)} digits; {_DIGITS} are the most")
    return int(text)
