"""What the answers of a run took: seconds and dollars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ragaliq.aggregate.run_rows import run_at
from ragaliq.compare.overview.cost import reader_cost
from ragaliq.compare.sources.system_values import SystemValues
from ragaliq.runs.shapes import METRICS
from ragaliq.storage.own_json import read_own_json


def with_usage(path: Path, systems: Iterable[dict[str, SystemValues]]) -> Iterator[dict[str, SystemValues]]:
    """Yield the systems of a path, where it is a run with the reader's seconds and what the answers cost.

    The cost is that of a mean answer of the run, times the number of answers in the language; it is not known where
    `metrics.json` is not there or has no usage, or the model has no price.

    Raises:
        InputError: if a timing or `metrics.json` is malformed.
    """
    folder = run_at(path)
    if folder is None:
        yield from systems
        return
    timed, metrics = folder.seconds(), {}
    if folder.metrics_file.is_file():
        remedy = "remove it, the command that made the run writes it again"
        metrics = read_own_json(folder.metrics_file, METRICS, "the figures of a run", remedy)
    cost = reader_cost(folder.config(), metrics)
    for system in systems:
        yield {
            lang: replace(
                own,
                seconds=tuple(seconds for (of, _), seconds in sorted(timed.items()) if of == lang),
                cost=None if cost is None else cost.per_query * len(own.values),
                n_priced=0 if cost is None else len(own.values),
            )
            for lang, own in system.items()
        }
