"""Graded systems against a baseline on the same queries, language by language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from ragaliq.aggregate.graded_metrics import GradeMetric
from ragaliq.aggregate.query_grades import QueryGrades
from ragaliq.compare.comparison import Outcome
from ragaliq.compare.rank_sets import LEVEL, count_untied, spread, table_of
from ragaliq.compare.standings import ALL, ComparisonSettings, GradeComparison, PairwiseResult, Section, Standing
from ragaliq.errors import InputError
from ragaliq.metrics.statistics.equivalence import equivalence
from ragaliq.metrics.statistics.intervals import Interval, mean_interval
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.power import ENOUGH_UNTIED, detectable_difference, queries_needed
from ragaliq.metrics.statistics.rank_sets import Pair, Simultaneous, simultaneous
from ragaliq.metrics.statistics.sign_flips import ROUNDING
from ragaliq.metrics.statistics.significance import paired_differences, wins

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Own:
    """A system's own numbers in a section."""

    name: str
    n_valued: int
    n_expected: int | None


@dataclass(frozen=True, slots=True)
class _Shared:
    """The values that all systems have in a section, a column per system, and the query of each row."""

    lang: str
    table: Array
    queries: tuple[str, ...]
    systems: tuple[_Own, ...]
    n_asked: int

    @property
    def clusters(self) -> list[str] | None:
        """The query of each row; None where all differ."""
        return list(self.queries) if len(set(self.queries)) < len(self.queries) else None


def compare_grades(systems: Sequence[Mapping[str, QueryGrades]], settings: ComparisonSettings) -> GradeComparison:
    """Compare systems, each a mapping from language to grades, with the first one.

    Only queries that all systems have a value for are compared. In the section `all` the languages of a query are one
    cluster; it is there only if queries go by their ids, which are the same in every language. Holm's correction is
    over systems and languages together; the section `all` is corrected for itself.

    Raises:
        InputError: if there is no language in which all systems share two queries.
    """
    langs = [lang for lang in systems[0] if all(lang in own for own in systems)]
    parts = [_shared(lang, [own[lang] for own in systems], settings.metric) for lang in langs]
    shared = [part for part in parts if part is not None]
    if not shared:
        told = "; ".join(f"{next(iter(own.values())).name}: {', '.join(own) or 'none'}" for own in systems)
        raise InputError(
            f"compare: no language in which all of these have {settings.metric.name} for the same two queries "
            f"(languages of {told}); give systems on the same queries"
        )
    # The texts of a question in two languages do not tell that it is the same one.
    joined = len(shared) > 1 and all(grades.by_id for own in systems for grades in own.values())
    families = [shared, *([[_together(shared)]] if joined else [])]
    sections = tuple(chain.from_iterable(_sections(family, settings) for family in families))
    known = dict.fromkeys(lang for own in systems for lang in own)
    return GradeComparison(settings, sections, tuple(lang for lang in known if lang not in {p.lang for p in shared}))


def _shared(lang: str, systems: Sequence[QueryGrades], metric: GradeMetric) -> _Shared | None:
    values = [metric.values(system) for system in systems]
    asked = sorted(set.intersection(*map(set, values)))
    if len({one.query for one in asked}) < 2:
        return None
    named = tuple(_Own(own.name, len(found), own.n_expected) for own, found in zip(systems, values, strict=True))
    n_asked = len({place for system in systems for place in system.answers})
    return _Shared(lang, table_of(values, asked), tuple(one.query for one in asked), named, n_asked)


def _together(parts: Sequence[_Shared]) -> _Shared:
    import numpy as np

    systems = tuple(
        _Own(own[0].name, sum(one.n_valued for one in own), _sum([one.n_expected for one in own]))
        for own in zip(*(part.systems for part in parts), strict=True)
    )
    table = np.concatenate([part.table for part in parts])
    queries = tuple(chain.from_iterable(part.queries for part in parts))
    return _Shared(ALL, table, queries, systems, sum(part.n_asked for part in parts))


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _sections(family: Sequence[_Shared], settings: ComparisonSettings) -> list[Section]:
    """Return sections whose comparisons with the baseline are corrected together."""
    found = [
        simultaneous(
            -part.table if settings.metric.less_is_better else part.table, settings.seed, clusters=part.clusters
        )
        for part in family
    ]
    corrected = iter(holm([pair.p_sign_flip for own in found for pair in own.pairs if pair.a == 0]))
    return [_section(part, own, corrected, settings) for part, own in zip(family, found, strict=True)]


def _section(
    part: _Shared, found: Simultaneous, corrected: Iterator[float | None], settings: ComparisonSettings
) -> Section:
    means = part.table.mean(axis=0).tolist()
    systems = tuple(
        Standing(own.name, own.n_valued, own.n_expected, mean, placed if settings.ranked else None)
        for own, mean, placed in zip(part.systems, means, found.ranks, strict=True)
    )
    pairs = tuple(_turned(pair) for pair in found.pairs) if settings.metric.less_is_better else found.pairs
    rows = tuple(_pairwise(part, pair, next(corrected), settings) for pair in pairs if pair.a == 0)
    return Section(part.lang, found.n, found.n_clusters, part.n_asked, systems, rows, pairs)


def _turned(pair: Pair) -> Pair:
    """Return a pair of negative values as one of the values themselves."""
    ends = pair.interval
    return replace(
        pair,
        difference=0.0 - pair.difference,
        interval=None if ends is None else Interval(0.0 - ends.high, 0.0 - ends.low),
    )


def _pairwise(part: _Shared, pair: Pair, corrected: float | None, settings: ComparisonSettings) -> PairwiseResult:
    first, second = part.table[:, 0], part.table[:, pair.b]
    deltas, less = paired_differences(first, second), settings.metric.less_is_better
    own_spread, n = spread(deltas, part.clusters), len(set(part.queries))
    counts = wins(second, first) if less else wins(first, second)
    p = 1.0 if corrected is None else corrected
    # Where all differences are the same, nothing tells how others would vary. The mean of ties may be off 0 by rounding
    # where the rows of a cluster even out.
    same = not deltas.any() or own_spread <= ROUNDING
    untied = count_untied(deltas, part.clusters)
    unknown = same or untied < ENOUGH_UNTIED
    return PairwiseResult(
        name=part.systems[pair.b].name,
        difference=pair.difference,
        interval=None if same else mean_interval(deltas.tolist(), seed=settings.seed, clusters=part.clusters),
        p=pair.p_sign_flip,
        p_t=pair.p_t,
        holm=p,
        p_max_t=pair.p_max_t,
        simultaneous=pair.interval,
        wins=counts,
        equal=None
        if settings.margin is None
        else equivalence(first, second, settings.margin, clusters=part.clusters, greatest=settings.metric.greatest),
        untied=untied,
        detectable=None if unknown else detectable_difference(own_spread, n),
        needed=None if unknown else queries_needed(own_spread, pair.difference),
        outcome=_outcome(pair.difference, p, less),
    )


def _outcome(difference: float, p: float, less_is_better: bool) -> Outcome:
    if p >= LEVEL or not difference:
        return Outcome.UNDECIDED
    return Outcome.WORSE if (difference < 0) != less_is_better else Outcome.BETTER
