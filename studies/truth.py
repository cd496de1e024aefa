"""What the answers of the fault matrix are worth, and what goes wrong with which of them: the same for every tool."""

from __future__ import annotations

import re
from dataclasses import dataclass

# The faulty answers are worse than the others: it is the long, odd or off-topic answer that breaks a judge, so losing
# them without a word flatters the system. Levels 1 to 5, by the last digit of the item's number.
_LEVELS = (5, 4, 1, 3, 5, 4, 5, 2, 4, 3)
_ASKED = re.compile(rb"ferry number (\d+) leave")


@dataclass(frozen=True, slots=True)
class Fault:
    """What an endpoint does wrong.

    Attributes:
        name: its name.
        what: in words.
        burst_s: so long it refuses everything at a time; 0 for a fault of single items, which lasts.
        retry_after: the header of a refusal; none if empty.
    """

    name: str
    what: str
    burst_s: float = 0.0
    retry_after: str = ""

    @property
    def lasts(self) -> bool:
        """Tell whether the faulty items can never be graded."""
        return self.name != "none" and not self.burst_s


_BURST = "it refuses everything with HTTP 429 for {} s, after its 20th and after its 60th reply"
FAULTS = {
    fault.name: fault
    for fault in (
        Fault("none", "all is well"),
        Fault("garbage", "a text without a grade, in place of whatever form was asked for"),
        Fault("http-500", "HTTP 500"),
        Fault("429-1s-hint", _BURST.format(1) + ", Retry-After: 1", 1.0, "1"),
        Fault("429-1s", _BURST.format(1) + ", no Retry-After", 1.0),
        Fault("429-5s-hint", _BURST.format(5) + ", Retry-After: 1", 5.0, "1"),
        Fault("429-5s", _BURST.format(5) + ", no Retry-After", 5.0),
        Fault("reset", "the connection is reset without a reply"),
        Fault("cut-body", "the connection ends in the middle of the announced body"),
        Fault("silence", "no reply ever; the tool's time-out is 1 s"),
        Fault("no-choices", "a completion without choices"),
        Fault("length", "finish_reason length, the text ends before the grade"),
        Fault("filtered", "finish_reason content_filter, no text"),
    )
}


def level(number: int) -> int:
    """Return the grade that the judge gives an item, from 1 to 5."""
    return _LEVELS[number % 10]


def is_faulty(number: int) -> bool:
    """Tell whether an item is one of the fifth with which a lasting fault happens."""
    return number % 5 == 2


def asked_about(request: bytes) -> int:
    """Return the number of the item that the body of a request asks about.

    Raises:
        ValueError: if it asks about none.
    """
    found = _ASKED.search(request)
    if found is None:
        raise ValueError(f"a request about no item: {request[:300]!r}")
    return int(found[1])


def value(tool: str, number: int) -> float:
    """Return the grade of an item on the scale of a tool, by the name of its module: the same judgement everywhere."""
    grade = level(number)
    if tool == "inspect_ai":  # C or I
        return float(grade >= 4)
    return grade / 5 if tool == "deepeval" else float(grade)
