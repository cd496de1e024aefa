"""The one form that results of any tool are read into: values of one system's answer to one item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite


def finite(value: object) -> float | None:
    """Return a JSON number as a float; None for all else, truth values and what a float cannot hold included."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a metric's values and its direction; an end is None where neither file nor tool says it."""

    low: float | None = None
    high: float | None = None
    less_is_better: bool = False


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One answer of one system to one item.

    Attributes:
        where: file and line, row or sample, for errors.
        item: id of the item; the same in every system, and in every language of it.
        system: empty where the file does not say; it is the file's name then.
        lang: empty where the file does not say.
        values: by metric; None where the metric has no value for this answer, which is a failure and never a 0.
        error: why there is no answer, or no value; empty where all went well.
        question: the item's text, where the file has it.
        draw: number of the answer among several of one system to the item, from 1.
        seconds: that the answer took; None where not known.
        cost: of the answer in USD; None where not known.
        fields: other texts of the row, by name, which may name its language or its cluster.
    """

    where: str
    item: str
    values: Mapping[str, float | None]
    system: str = ""
    lang: str = ""
    error: str = ""
    question: str = ""
    draw: int = 1
    seconds: float | None = None
    cost: float | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResultFile:
    """What a file of results holds.

    Attributes:
        tool: who wrote it, with its version where the file has it.
        rows: one for each answer that the tool attempted, in the order of the file: items in are items out.
        scales: of the metrics, in the order of the file; the first is the tool's main one.
        judge: who graded; empty where not known or where no model did.
        data: name or hash of the data set; empty where not known.
        n_expected: number of items that each system and language should have; None where not known.
        notes: what was left out or taken for something, a line each.
    """

    tool: str
    rows: tuple[ResultRow, ...]
    scales: Mapping[str, Scale]
    judge: str = ""
    data: str = ""
    n_expected: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """Which columns of a long table hold what; empty: the usual names are tried, and what was taken is noted.

    `range` is that of the values; None: from the values, and noted.
    """

    item: str = ""
    system: str = ""
    value: str = ""
    lang: str = ""
    range: tuple[float, float] | None = None
