"""What a run used: tokens, and the reader's time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median

from ragaliq.aggregate.run_rows import RunRows
from ragaliq.storage.record_store import Key
from ragaliq.types import Usage


def usage_by_role(rows: RunRows) -> dict[str, dict[str, int]]:
    """Return the tokens of a run's answers and verdicts, as their endpoints reported them, and how many reported."""
    return {
        "reader": _total([answer.header.usage for answer in rows.answers.values()]),
        "judge": _total([verdict.header.usage for verdict in rows.verdicts.values()]),
    }


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


def overall_times(seconds: Mapping[Key, float]) -> ReaderTimes | None:
    """Return the times of the items of all languages together; None without any."""
    return _times(seconds.values()) if seconds else None


def _total(usages: Sequence[Usage | None]) -> dict[str, int]:
    reported = [usage for usage in usages if usage is not None]
    return {
        "n": len(usages),
        "n_reported": len(reported),
        "prompt_tokens": sum(usage.prompt_tokens for usage in reported),
        "completion_tokens": sum(usage.completion_tokens for usage in reported),
    }


def _times(values: Iterable[float]) -> ReaderTimes:
    ordered = sorted(values)
    return ReaderTimes(len(ordered), sum(ordered), median(ordered), ordered[ceil(0.95 * len(ordered)) - 1])
