"""What a measure is made of; the measures themselves are listed in `relevance` and `nuggets`, under their functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ragaliq.metrics.retrieval.ranks import UNRANKED, Floats


class Reads(StrEnum):
    """The judgements that a measure needs beside the run."""

    QRELS = "qrels"
    NUGGETS = "nuggets"
    IMPORTANCE = "importance"
    GOLD = "gold"


class Cutoff(StrEnum):
    """Whether a measure is written with `@k`; where the cutoff is optional, none means the whole list."""

    NEEDED = "needed"
    OPTIONAL = "optional"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of measures, with the values that they have where none is written.

    Attributes:
        cutoff: the number of places that count, from 1; None for the whole list.
        rel: the least relevance that counts as relevant.
        alpha: how much of a nugget's gain each repetition loses.
        dcg: the gain of a document: its relevance (`log2`), or 2^relevance - 1 (`exp-log2`).
    """

    cutoff: int | None = None
    rel: int = 1
    alpha: float = 0.5
    dcg: str = "log2"

    @property
    def depth(self) -> int:
        """The last rank that counts; without a cutoff the greatest that a retrieved document can have."""
        return UNRANKED - 1 if self.cutoff is None else self.cutoff


@dataclass(frozen=True, slots=True)
class Definition:
    """A measure.

    Attributes:
        name: as ir_measures writes it.
        values: computes one value per query from the judgements joined with the run; its docstring has the formula.
        meaning: one line for the reader of a report.
        takes: names of the parameters that it takes, besides the cutoff.
        cutoff: whether `@k` belongs to the name.
        reads: the judgements that it needs.
    """

    name: str
    values: Callable[[Any, Parameters], Floats]
    meaning: str
    takes: tuple[str, ...] = ("rel",)
    cutoff: Cutoff = Cutoff.NEEDED
    reads: Reads = Reads.QRELS
