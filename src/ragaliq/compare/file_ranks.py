"""Which ranks of several files of grades the data tell apart, language by language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragaliq.aggregate.grades.query_grades import QueryGrades, judge_names, judges_of
from ragaliq.compare.rank_sets import on_other_footing, rank, ranking_lines, too_thin
from ragaliq.metrics.statistics.rank_sets import RankSet


@dataclass(frozen=True, slots=True)
class FileRanks:
    """Rank sets by file and language, and a line for each language with several files on what they rest on."""

    placed: Mapping[tuple[str, str], RankSet]
    notes: tuple[str, ...]


def rank_files(files: Sequence[tuple[str, QueryGrades]]) -> FileRanks:
    """Rank the named files of each language against each other where they have the same judge and the same queries.

    Queries are joined by their ids where all files of the language have them, else by their text.
    """
    placed: dict[tuple[str, str], RankSet] = {}
    notes = []
    for lang in dict.fromkeys(grades.lang for _, grades in files):
        systems = {name: grades for name, grades in files if grades.lang == lang}
        if len(systems) > 1:
            by_id = all(grades.by_id for grades in systems.values())
            ranks, note = _ranked([grades if by_id else grades.by_text() for grades in systems.values()])
            placed |= {(name, lang): own for name, own in zip(systems, ranks, strict=False)}
            notes.append(f"{lang or 'no language'}: {note}")
    return FileRanks(placed, tuple(notes))


def _ranked(systems: Sequence[QueryGrades]) -> tuple[tuple[RankSet, ...], str]:
    """Return the systems' rank sets, none where they are not ranked, and what they rest on."""
    judges = judges_of(systems)
    if len(judges) > 1:
        return (), f"graded by different judges ({', '.join(judge_names(judges))}): the order is not a ranking."
    why = on_other_footing(systems) or too_thin(systems)
    if why:
        return (), f"not ranked: {why}."
    ranking = rank(systems)
    if ranking is None:
        return (), "not ranked: too few queries are graded in all files."
    asked = {place for system in systems for place in system.answers}
    return ranking.pairwise.ranks, ranking_lines(ranking, len(asked))
