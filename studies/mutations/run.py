"""Give every loader of user input thousands of broken files: each is read, or refused in one line.

    python studies/mutations/run.py [--n 20000] [--seed 0] [--only NAME,NAME]

One file of a valid input is changed by a seed (`mutate.py`), and its loader (`loaders.py`) reads it in this process.
What is neither read nor refused by an error of ours, or takes over five seconds, is a fault: printed with loader, file,
seed and mutation. Exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from loaders import Loader, loaders
from mutate import mutated

from ragaliq.errors import RagaliqError

_LONGEST_S = 5.0
# Faults that are printed of each place.
_SHOWN = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Run the trials, print the counts, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--n", type=int, default=20_000, help="trials, shared among the loaders")
    parser.add_argument("--seed", type=int, default=0, help="of the first trial; each has its own")
    parser.add_argument("--only", default="", help="loaders, separated by commas")
    arguments = parser.parse_args(argv)
    outcomes: Counter[str] = Counter()
    places: Counter[str] = Counter()
    # Of broken lines in .env.
    logging.getLogger("dotenv").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        known = loaders(Path(folder))
        only = arguments.only.split(",") if arguments.only else [one.name for one in known]
        chosen = [one for one in known if one.name in only]
        refused = [f"{one.name}: the valid input is no valid one: {told}" for one in chosen if (told := _outcome(one))]
        if refused:
            raise SystemExit("\n".join(refused))
        for seed in range(arguments.seed, arguments.seed + arguments.n):
            outcome, place, told = _trial(chosen[seed % len(chosen)], seed)
            outcomes[outcome] += 1
            places[place] += outcome == "fault"
            if outcome == "fault" and places[place] <= _SHOWN:
                print(told)
        os.chdir("/")
    faults = [f"{count} at {place}" for place, count in places.most_common() if count]
    print(f"{arguments.n} inputs, {len(chosen)} loaders: {outcomes['ok']} read, {outcomes['refused']} refused, "
          f"{outcomes['fault']} faults")  # fmt: skip
    print("".join(f"{line}\n" for line in faults), end="")
    return 1 if faults else 0


def _trial(loader: Loader, seed: int) -> tuple[str, str, str]:
    """Return what becomes of one changed file, where a fault arose, and a line on it."""
    rng = random.Random(seed)
    path = rng.choice(loader.files)
    before = path.read_bytes()
    mutation, data = mutated(before, rng)
    path.write_bytes(data)
    try:
        told = _outcome(loader)
    finally:
        path.write_bytes(before)
    if not told:
        return "ok", "", ""
    kind, _, place = told.partition("|")
    return kind, place, f"{loader.name} {path.name} --seed {seed} {mutation}: {place}"


def _outcome(loader: Loader) -> str:
    """Return nothing where the loader reads, else `refused|ERROR` or `fault|PLACE`."""
    start = time.process_time()
    try:
        loader.load()
    except RagaliqError as error:
        told = f"refused|{error}"
    except Exception as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "ragaliq" in frame.filename]
        at = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        return f"fault|{at} {type(error).__name__}: {str(error)[:100]!r}"
    else:
        told = ""
    return f"fault|{loader.name} over {_LONGEST_S:g} s" if time.process_time() - start > _LONGEST_S else told


if __name__ == "__main__":
    raise SystemExit(main())
