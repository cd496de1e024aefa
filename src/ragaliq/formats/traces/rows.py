"""The one form that traces of any program are read into: what a system answered to one item, and how it was scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragaliq.formats.results.rows import Scale


@dataclass(frozen=True, slots=True)
class Score:
    """One score of an answer.

    Attributes:
        name: of what is scored.
        value: None where the score is a label without a number.
        source: who scored, such as a person or a model; empty where the file does not say.
        truth: whether it is a truth value, 1 or 0.
        n: number of scores that the value is the mean of.
    """

    name: str
    value: float | None
    source: str = ""
    truth: bool = False
    n: int = 1


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One answer in a trace.

    Attributes:
        where: file and line of the span that the answer is taken from, for errors.
        trace: id of the trace.
        span: id of the span, observation or run that the answer is taken from.
        item: id of the item; empty where the trace names none.
        contexts: texts that were retrieved in the trace, in order of time; None where nothing was retrieved on record.
        error: why there is no answer; empty where there is one.
        start: seconds since 1970, to number several answers to one item; None where not known.
        cost: in USD; None where not known.
        fields: other short texts of the trace by name.
    """

    where: str
    trace: str
    span: str
    item: str = ""
    system: str = ""
    lang: str = ""
    question: str = ""
    answer: str = ""
    reference: str = ""
    contexts: tuple[str, ...] | None = None
    scores: tuple[Score, ...] = ()
    error: str = ""
    start: float | None = None
    seconds: float | None = None
    cost: float | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Traces:
    """The answers of a file of traces, in the order of the file.

    Attributes:
        tool: the program that wrote the file.
        scales: of metrics whose range is known.
        data: name or id of the data set; empty where not known.
        notes: what was left out or taken for something, a line each.
    """

    tool: str
    rows: tuple[TraceRow, ...]
    scales: Mapping[str, Scale] = field(default_factory=dict)
    data: str = ""
    notes: tuple[str, ...] = ()
