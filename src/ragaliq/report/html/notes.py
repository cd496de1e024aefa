"""What the page says of its figures in words: the judges, and what a reader must know before comparing."""

from __future__ import annotations

from collections.abc import Iterable

from ragaliq.compare.overview.language_tables import LanguageTable
from ragaliq.compare.results import KnownJudge, Results
from ragaliq.experiment.figures.diagnoses import contamination
from ragaliq.formats.catalogue import find
from ragaliq.report.judges import judge_line


def result_notes(results: Results) -> list[str]:
    """Return what limits a comparison of these runs."""
    name = str(results.data["name"])
    notes = [f"Contamination: {contamination(name)}."] if find(name) else []
    notes += results.warnings
    for table in results.languages:
        notes += _of_table(table)
    for gap in results.gaps:
        if gap.gap is None:
            judges = ", ".join(gap.judges)
            notes.append(
                f"{gap.name}: its languages are not compared: the grades come from different judges ({judges})."
            )
    return list(dict.fromkeys(notes))


def judge_lines(judges: Iterable[KnownJudge]) -> list[str]:
    """Return a line on each judge: its agreement with other graders, as its certificates and it itself say."""
    lines = map(judge_line, judges)
    return [f"{' '.join(filter(None, (line.name, line.prompt_hash)))}: {line.said}" for line in lines]


def _of_table(table: LanguageTable) -> list[str]:
    notes = []
    if table.judges:
        judges = ", ".join(table.judges)
        notes.append(f"{table.lang}: graded by different judges ({judges}); the order is not a ranking.")
    if not table.same_queries:
        notes.append(f"{table.lang}: the systems answer different numbers of queries; the order is not a ranking.")
    return notes
