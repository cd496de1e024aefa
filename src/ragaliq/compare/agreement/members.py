"""Which labels and which verdicts belong to the population whose mean is estimated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragaliq.compare.agreement.pairs import GradedPair, Pairing, cluster_of, plain
from ragaliq.formats.grades.rows import GradedRow

Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Members:
    """The answers of a population to answerable queries that its judge graded.

    Attributes:
        labelled: with a label; `row.run` is the system as the population names it.
        unlabelled: without one.
        outside: pairs of a verdict and a label that are of no answer of the population, and not used.
    """

    labelled: tuple[GradedPair, ...]
    unlabelled: tuple[GradedRow, ...]
    outside: tuple[GradedPair, ...] = ()

    @property
    def systems(self) -> list[str]:
        """Names of the systems, sorted; "" for rows that name none."""
        return sorted({row.run for row in self.unlabelled} | {pair.row.run for pair in self.labelled})

    def in_language(self, lang: str) -> Members:
        """Return those of one language."""
        return Members(
            tuple(pair for pair in self.labelled if pair.lang == lang),
            tuple(row for row in self.unlabelled if row.lang == lang),
            tuple(pair for pair in self.outside if pair.lang == lang),
        )

    @property
    def labelled_languages(self) -> tuple[Members, list[str]]:
        """Those in languages that have labels, and the names of the other languages.

        Where a side names no language, all its rows are of those that have labels.
        """
        langs = {pair.lang for pair in self.labelled}
        others = sorted({row.lang for row in self.unlabelled} - langs - {""}) if langs != {""} else []
        rows = tuple(row for row in self.unlabelled if row.lang not in others)
        return Members(self.labelled, rows, self.outside), others

    def of_system(self, system: str) -> Members:
        """Return those of one system."""
        return Members(
            tuple(pair for pair in self.labelled if pair.row.run == system),
            tuple(row for row in self.unlabelled if row.run == system),
        )


def population_members(pairing: Pairing, population: Sequence[GradedRow] | None) -> Members:
    """Return which labels are of the population; None: VERDICTS are the population.

    A label counts where the population has its answer: the same run, query, language and, where both quote one, answer.
    A run of the population that lacks the query counts too. Where a side names no run, query, language and answer
    decide, and what fits several systems counts for none. A judge that errs in its own way on each system cannot be
    corrected with labels of another one. Of several rows for an item the last counts.
    """
    outside = [pair for pair in pairing.pairs if pair.other_run]
    inside = [pair for pair in pairing.pairs if not pair.other_run]
    if population is None:
        return Members(tuple(inside), pairing.unlabelled, tuple(outside))
    latest = {(row.run, *_place(row), plain(row.answer)): row for row in population}
    rows = [row for row in latest.values() if row.answerable and row.grade is not None]
    by_place: dict[Place, list[GradedRow]] = defaultdict(list)
    for row in latest.values():
        by_place[_place(row)].append(row)
    runs = {row.run for row in latest.values() if row.run}
    labelled: list[GradedPair] = []
    taken: set[int] = set()
    for pair in inside:
        same = [row for row in by_place[_place(pair.row)] if _may_be(row, pair.row)]
        system = _system(pair.row, same, by_place[_place(pair.row)], runs)
        if system is None:
            outside.append(pair)
            continue
        taken.update(map(id, same))
        labelled.append(replace(pair, row=replace(pair.row, run=system)))
    return Members(tuple(labelled), tuple(row for row in rows if id(row) not in taken), tuple(outside))


def _system(row: GradedRow, same: Iterable[GradedRow], at_place: Sequence[GradedRow], runs: set[str]) -> str | None:
    """Return the system of the population that a labelled row is of; None where it is of none, or of several."""
    names = {other.run for other in same}
    if names:
        return names.pop() if len(names) == 1 else None
    # The population may lack a query of the run, but not hold another answer to it.
    return row.run if row.run in runs and all(other.run != row.run for other in at_place) else None


def _may_be(row: GradedRow, other: GradedRow) -> bool:
    """Return whether two rows about one query are about one answer, as far as both say."""
    pairs = ((row.run, other.run), (plain(row.answer), plain(other.answer)), (row.answer_hash, other.answer_hash))
    return all(not first or not second or first == second for first, second in pairs)


def _place(row: GradedRow) -> Place:
    return (row.lang, cluster_of(row))
