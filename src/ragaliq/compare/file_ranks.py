"""Which ranks of several files of grades the data tell apart, language by language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.aggregate.query_grades import QueryGrades, judge_names, judges_of, read_query_grades
from ragaliq.compare.rank_sets import on_other_footing, rank, ranking_lines, too_thin
from ragaliq.metrics.statistics.rank_sets import RankSet


@dataclass(frozen=True, slots=True)
class FileRanks:
    """Rank sets by file and language, and a line for each language with several files on what they rest on."""

    placed: Mapping[tuple[str, str], RankSet]
    notes: tuple[str, ...]


def rank_files(paths: Sequence[str], seed: int = 0) -> FileRanks:
    """Rank the files of each language against each other where they have the same judge and the same queries.

    Queries are joined by their ids where all files of the language have them, else by their text.

    Raises:
        InputError: if a path holds no grades.
    """
    names = list(dict.fromkeys(paths))
    read = {name: read_query_grades(Path(name)) for name in names}
    placed: dict[tuple[str, str], RankSet] = {}
    notes = []
    for lang in dict.fromkeys(own.lang for found in read.values() for own in found):
        here = {name: own for name, found in read.items() for own in found if own.lang == lang}
        if len(here) > 1:
            found, note = _ranked(_joinable(here), seed)
            placed |= {(name, lang): own for name, own in found.items()}
            notes.append(f"{lang or 'no language'}: {note}")
    return FileRanks(placed, tuple(notes))


def _joinable(here: Mapping[str, QueryGrades]) -> dict[str, QueryGrades]:
    """Return the files with their queries by text if one of them has no ids."""
    if len({own.by_id for own in here.values()}) == 1:
        return dict(here)
    return {
        name: next(again for again in read_query_grades(Path(name), by_question=True) if again.lang == own.lang)
        for name, own in here.items()
    }


def _ranked(here: Mapping[str, QueryGrades], seed: int) -> tuple[dict[str, RankSet], str]:
    systems = list(here.values())
    judges = judges_of(systems)
    if len(judges) > 1:
        return {}, f"graded by different judges ({', '.join(judge_names(judges))}): the order is not a ranking."
    why = on_other_footing(systems) or too_thin(systems)
    if why:
        return {}, f"not ranked: {why}."
    ranking = rank(systems, seed=seed)
    if ranking is None:
        return {}, "not ranked: too few queries are graded in all files."
    asked = {place for system in systems for place in system.answers}
    return dict(zip(here, ranking.found.ranks, strict=True)), ranking_lines(ranking, len(asked))
