"""Which ranks of several files of grades the data tell apart, language by language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragaliq.aggregate.grades.query_grades import QueryGrades, judge_names, judges_of
from ragaliq.compare.rank_sets import Ranking, on_other_footing, rank, ranking_lines, too_thin
from ragaliq.metrics.statistics.ranks.rank_sets import RankSet


@dataclass(frozen=True, slots=True)
class FileRanks:
    """Rank sets and selection frequencies by file and language, and what they rest on.

    There is a line for each language with several files; languages are in the order in which the files name them.
    """

    placed: Mapping[tuple[str, str], RankSet]
    selection: Mapping[tuple[str, str], float]
    lines: Mapping[str, str]

    @property
    def notes(self) -> tuple[str, ...]:
        """The lines, each with its language."""
        return tuple(f"{lang or 'no language'}: {line}" for lang, line in self.lines.items())


def rank_files(files: Sequence[tuple[str, QueryGrades]]) -> FileRanks:
    """Rank the named files of each language against each other where they have the same judge and the same queries.

    All languages are tested together. Queries are joined by their ids where all files of the language have them, else
    by their text.
    """
    tables: dict[str, dict[str, QueryGrades]] = {}
    for lang in dict.fromkeys(grades.lang for _, grades in files):
        systems = {name: grades for name, grades in files if grades.lang == lang}
        if len(systems) > 1:
            by_id = all(grades.by_id for grades in systems.values())
            tables[lang] = {name: grades if by_id else grades.by_text() for name, grades in systems.items()}
    reasons = {lang: _why_not(list(systems.values())) for lang, systems in tables.items()}
    ranked = [lang for lang in tables if not reasons[lang]]
    rankings = dict(zip(ranked, rank([list(tables[lang].values()) for lang in ranked]), strict=True))
    placed: dict[tuple[str, str], RankSet] = {}
    selection: dict[tuple[str, str], float] = {}
    for lang, ranking in rankings.items():
        if ranking is not None:
            places = [(name, lang) for name in tables[lang]]
            placed |= zip(places, ranking.pairwise.ranks, strict=True)
            selection |= zip(places, ranking.selection, strict=True)
    lines = {lang: reasons[lang] or _line(list(own.values()), rankings[lang]) for lang, own in tables.items()}
    return FileRanks(placed, selection, lines)


def _why_not(systems: Sequence[QueryGrades]) -> str:
    """Return why systems are not ranked; nothing where they are."""
    judges = judges_of(systems)
    if len(judges) > 1:
        return f"graded by different judges ({', '.join(judge_names(judges))}): the order is not a ranking."
    why = on_other_footing(systems) or too_thin(systems)
    return f"not ranked: {why}." if why else ""


def _line(systems: Sequence[QueryGrades], ranking: Ranking | None) -> str:
    if ranking is None:
        return "not ranked: too few queries are graded in all files."
    return ranking_lines(ranking, len({place for system in systems for place in system.answers}))
