"""results.md: the runs on the same data, the summary first, then the tables of each language, notes and legend."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragaliq.compare.file_results import FileResults
from ragaliq.compare.results import KnownJudge, Results
from ragaliq.experiment.figures.diagnoses import contamination
from ragaliq.formats.catalogue import find
from ragaliq.report.findings import finding_sentences
from ragaliq.report.format import NONE, bulleted, bullets, code, escaped
from ragaliq.report.judges import judge_line
from ragaliq.report.markdown.file_results import FILES_HEADING, render_file_results
from ragaliq.report.markdown.tables.beside import (
    abstention_section,
    groundedness_section,
    overlap_section,
    times_section,
)
from ragaliq.report.markdown.tables.cross_lingual import matrix_section
from ragaliq.report.markdown.tables.language_gap import gap_section
from ragaliq.report.markdown.tables.languages import language_section
from ragaliq.report.markdown.tables.legend import LEGEND_LINK, legend_section
from ragaliq.report.markdown.tables.losses import losses_section
from ragaliq.report.markdown.tables.systems import parts_table, summary_table
from ragaliq.storage.files import write_atomic
from ragaliq.storage.foreign import refuse_foreign

_HEADING = "# Results on "


def results_file(folder: Path) -> Path:
    """Return the `results.md` of a folder of runs.

    Raises:
        InputError: if another hand wrote it.
    """
    path = folder / "results.md"
    refuse_foreign(path, _is_ours, "move it away, or give a run in another folder with --out")
    return path


def write_results(path: Path, results: Results | FileResults) -> None:
    """Write `results.md`.

    Raises:
        InputError: if the file cannot be written.
    """
    text = render_file_results(results) if isinstance(results, FileResults) else render_results(results)
    write_atomic(path, (text + "\n").encode("utf-8"))


def render_results(results: Results) -> str:
    """Return runs on the same data as Markdown: the summary first, the legend last."""
    overview = results.overview
    tables = [summary_table(overview), *_tables(results)]
    parts = [
        _head(results),
        tables[0],
        bullets(finding_sentences(results.findings)),
        _sections(tables),
        *tables[1:],
        *_notes(results),
        *legend_section(tables, overview, results.min_coverage),
    ]
    return "\n\n".join(parts)


def _tables(results: Results) -> list[str]:
    """Return all sections between the findings and the notes; lists of runs have the order of the summary."""
    runs, langs = results.overview.order, results.overview.languages
    parts = [*map(language_section, results.languages), "# Systems", parts_table(results.overview)]
    for section in (losses_section, abstention_section, groundedness_section, overlap_section, times_section):
        parts += section(runs, langs)
    if results.gaps:
        parts += ["# The same queries in several languages", *map(gap_section, results.gaps)]
    if results.matrices:
        parts += ["# Queries in one language, documents in another", *map(matrix_section, results.matrices)]
    return parts


def _sections(parts: Sequence[str]) -> str:
    """Return links to the sections."""
    titles = [part.removeprefix("# ") for part in parts if part.startswith("# ")]
    return "Sections: " + ", ".join(
        f"[{title}](#{title.lower().replace(',', '').replace(' ', '-')})" for title in titles
    )


def _notes(results: Results) -> list[str]:
    """Return what limits the figures: public data, the models that built it, the judges, and runs left out."""
    lines = []
    if find(str(results.data["name"])):
        lines.append(escaped(f"Contamination: {contamination(str(results.data['name']))}."))
    lines += [*map(escaped, results.warnings), *map(_judge_line, results.judges)]
    if results.others:
        names = ", ".join(code(path.name) for path in results.others)
        lines.append(f"Not shown, because they answer other data or are broken (`ragaliq report RUN` tells): {names}")
    return ["# Notes", bulleted(lines)] if lines else []


def _is_ours(text: str) -> bool:
    # How every version has begun the file, whatever ended its lines since.
    return (text.startswith(_HEADING) and "\nData `" in text) or text.startswith(FILES_HEADING)


def _head(results: Results) -> str:
    """Return the title, and one line on the data, the judges, and where to read on."""
    data, base = results.data, results.data.get("knowledge_base")
    counts = sorted({row.summary.aggregates.n_expected or 0 for table in results.languages for row in table.rows})
    queries = " to ".join(map(str, (counts[:1] + counts[-1:])[-len(counts) :]))
    judges = ", ".join(code(known.judge.name or NONE) for known in results.judges)
    noted = "; read the [notes](#notes) with their warnings" if results.warnings else "; [notes](#notes)"
    return (
        escaped(f"{_HEADING}{data['name']} {data['version']}" + (f", {base}" if base else "")) + "\n\n"
        f"Data `{data['hash'][:12]}`, {queries} answerable queries a language, graded by {judges or NONE}"
        f"{noted if _notes(results) else ''}. Scores are weighted scores, 0 to 1; {LEGEND_LINK}."
    )


def _judge_line(known: KnownJudge) -> str:
    name, prompt_hash, said = judge_line(known)
    return f"Judge {code(name)}" + escaped(f"{prompt_hash and f' {prompt_hash}'}: {said}.")
