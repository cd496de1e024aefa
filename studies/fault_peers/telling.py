"""What the peers of the fault matrix share: their options, and the line that they print."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What every tool is asked to do; `timeout_s` is 0 for the tool's own time-out."""

    n: int
    concurrency: int
    link: str
    variant: str
    timeout_s: int


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool says at its end.

    Attributes:
        scores: the score of each item that has one, by the item's number.
        failed: the items that its result shows as having none, with the reason it gives there; empty for no reason.
        mean: its overall mean.
        summary: what it prints or returns as its summary, as it stands.
        status: its own word for how the run ended, if it has one.
        logged: lines of its log that tell of a failure.
    """

    scores: Mapping[int, float]
    failed: Mapping[int, str]
    mean: float | None
    summary: str
    status: str = ""
    logged: int = 0


def tell(grade: Callable[[Options], Said]) -> None:
    """Read the options, grade, and print what was said as one line of JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, required=True)
    parser.add_argument("--concurrency", type=int, required=True)
    parser.add_argument("--link", required=True)
    parser.add_argument("--variant", default="")
    parser.add_argument("--timeout-s", type=int, default=0)
    print(json.dumps(asdict(grade(Options(**vars(parser.parse_args()))))), flush=True)


def mean(scores: Mapping[int, float]) -> float | None:
    """Return the mean of what has a score, as a user computes it."""
    return sum(scores.values()) / len(scores) if scores else None
