"""How long the reader took, by language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from statistics import median

from ragaliq.storage.record_store import Key


@dataclass(frozen=True, slots=True)
class ReaderTimes:
    """The seconds of a reader's calls, an item each, those that failed included.

    Attributes:
        n: number of items.
        total: their sum.
        median: of the items.
        p95: the 95th percentile by nearest rank: the least value that 95 % of the items do not exceed.
    """

    n: int
    total: float
    median: float
    p95: float


def reader_times(seconds: Mapping[Key, float]) -> dict[str, ReaderTimes]:
    """Return the times by language, from the seconds of each item; a language without any has none."""
    by_lang: dict[str, list[float]] = {}
    for (lang, _), value in sorted(seconds.items()):
        by_lang.setdefault(lang, []).append(value)
    return {lang: _times(values) for lang, values in by_lang.items()}


def _times(values: Iterable[float]) -> ReaderTimes:
    ordered = sorted(values)
    return ReaderTimes(len(ordered), sum(ordered), median(ordered), ordered[ceil(0.95 * len(ordered)) - 1])
