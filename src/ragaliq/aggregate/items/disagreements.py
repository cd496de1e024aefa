"""The items on which the grades of two runs differ most."""

from __future__ import annotations

from dataclasses import dataclass

from ragaliq.aggregate.items.run_items import RunItem, RunItems
from ragaliq.aggregate.items.selection import ItemFilter, check_filter
from ragaliq.errors import InputError
from ragaliq.metrics.weights import WEIGHTS
from ragaliq.storage.record_store import Key


@dataclass(frozen=True, slots=True)
class Disagreements:
    """The items whose grades differ most, of both runs, and how many there are.

    Attributes:
        pairs: the same item in the first run and in the second.
        n_fitting: items that fit and, unless a query is named, whose grades differ in weight.
        n_both: answerable items that fit and that both runs have graded.
        judges: the names of both runs' judges.
    """

    pairs: tuple[tuple[RunItem, RunItem], ...]
    n_fitting: int
    n_both: int
    judges: tuple[str, str]


def disagreements(first: RunItems, second: RunItems, wanted: ItemFilter, most: int | None) -> Disagreements:
    """Return the answerable items whose grades differ most in weight, `most` of them at most; then by key.

    An item fits if it does so in either run. All items of a query that the filter names are there, equal ones too.

    Raises:
        InputError: if the runs answer different data, or one of them is not graded.
    """
    if first.config["data"]["hash"] != second.config["data"]["hash"]:
        raise InputError(f"{first.folder} and {second.folder} answer different data; name runs on the same benchmark")
    for run in (first, second):
        if not run.judges:
            raise InputError(f"{run.folder}: not graded yet; `ragaliq judge {run.folder}` grades it")
        check_filter(run, wanted)
    apart = {key: _apart(first, second, key) for key in first if key in second}
    graded = {key: gap for key, gap in apart.items() if gap is not None}
    fitting = [key for key in apart if any(wanted.fits(key, run.head(key)) for run in (first, second))]
    n_both = sum(key in graded for key in fitting)
    if not wanted.query_id:
        fitting = [key for key in fitting if graded.get(key)]
        fitting.sort(key=lambda key: (-graded[key], key))
    pairs = tuple((first[key], second[key]) for key in fitting[:most])
    return Disagreements(pairs, len(fitting), n_both, (first.judges, second.judges))


def _apart(first: RunItems, second: RunItems, key: Key) -> float | None:
    """Return by how much weight two grades differ, equal differences as equal numbers; None where one is missing."""
    one, other = first.head(key).grade, second.head(key).grade
    return None if one is None or other is None else round(abs(WEIGHTS[one] - WEIGHTS[other]), 6)
