"""How good the nuggets of a benchmark are, from people's judgements: FreshStack's formulas (2) to (4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ragaliq.metrics.statistics.clustered_share import ClusteredShare, QueryUnits, clustered_share


@dataclass(frozen=True, slots=True)
class JudgedNuggets:
    """The nuggets of a query in their order, as people judge them: one flag for each, True where it is at fault.

    Attributes:
        query_id: the query; the same in every language, which makes its languages one cluster.
        hallucinated: A, the answer does not say it.
        redundant: B, it is minor or repeats another.
        missing: C, facts of the answer without a nugget.
    """

    query_id: str
    hallucinated: tuple[bool, ...]
    redundant: tuple[bool, ...]
    missing: int


@dataclass(frozen=True, slots=True)
class NuggetQuality:
    """Precision, recall and groundedness of nuggets (arXiv 2504.13128, section 5.2.1), N of them.

    Attributes:
        queries: queries that were judged.
        nuggets: N.
        precision: (N − ΣB) / N.
        recall: (N − ΣB) / (N − ΣB + C).
        groundedness: (N − ΣA) / N.
        per_query: means of the three over queries, each over those where it is defined; None if it is for none.
    """

    queries: int
    nuggets: int
    precision: ClusteredShare
    recall: ClusteredShare
    groundedness: ClusteredShare
    per_query: tuple[float | None, float | None, float | None]


class ListPlace(StrEnum):
    """The place of a nugget in its query's list."""

    ONLY = "only"
    FIRST = "first"
    SECOND = "second"
    MIDDLE = "middle"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class PlaceErrors:
    """Nuggets at one place of their lists, and how many of them are at fault."""

    place: ListPlace
    nuggets: int
    redundant: int
    hallucinated: int


def nugget_quality(judged: Sequence[JudgedNuggets]) -> NuggetQuality:
    """Return the three measures over all nuggets: A, B, C and N are summed over the queries.

    Without nuggets precision and groundedness are undefined; recall is, too, where nothing is missing either.
    """
    good = [len(one.redundant) - sum(one.redundant) for one in judged]
    grounded = [len(one.hallucinated) - sum(one.hallucinated) for one in judged]
    sizes = [len(one.redundant) for one in judged]
    needed = [kept + one.missing for kept, one in zip(good, judged, strict=True)]
    return NuggetQuality(
        len(judged),
        sum(sizes),
        _over(judged, good, sizes),
        _over(judged, good, needed),
        _over(judged, grounded, sizes),
        (_mean(good, sizes), _mean(good, needed), _mean(grounded, sizes)),
    )


def errors_by_place(judged: Sequence[JudgedNuggets]) -> tuple[PlaceErrors, ...]:
    """Return the errors at each place that occurs; of two nuggets one is the first, the other the last."""
    rows = [
        (_place(place, len(one.redundant)), redundant, hallucinated)
        for one in judged
        for place, (redundant, hallucinated) in enumerate(zip(one.redundant, one.hallucinated, strict=True))
    ]
    return tuple(
        PlaceErrors(place, len(own), sum(row[1] for row in own), sum(row[2] for row in own))
        for place in ListPlace
        if (own := [row for row in rows if row[0] is place])
    )


def last_share(judged: Sequence[JudgedNuggets]) -> ClusteredShare:
    """Return the share of the redundant nuggets that are the last of a list of two or more."""
    listed = [one for one in judged if len(one.redundant) > 1]
    return _over(listed, [int(one.redundant[-1]) for one in listed], [sum(one.redundant) for one in listed])


def _over(judged: Sequence[JudgedNuggets], counts: Sequence[int], sizes: Sequence[int]) -> ClusteredShare:
    queries: dict[str, QueryUnits] = {}
    for one, count, size in zip(judged, counts, sizes, strict=True):
        before = queries.get(one.query_id, QueryUnits(0, 0, 0))
        queries[one.query_id] = QueryUnits(before.count + count, before.size + size, before.drawn + size)
    return clustered_share(queries)


def _mean(counts: Sequence[int], sizes: Sequence[int]) -> float | None:
    shares = [count / size for count, size in zip(counts, sizes, strict=True) if size]
    return sum(shares) / len(shares) if shares else None


def _place(place: int, size: int) -> ListPlace:
    if size == 1:
        return ListPlace.ONLY
    if place == size - 1:
        return ListPlace.LAST
    return (ListPlace.FIRST, ListPlace.SECOND)[place] if place < 2 else ListPlace.MIDDLE
