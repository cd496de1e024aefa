"""results.md: the runs on the same data, one table for each language."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragaliq.compare.agreement.certificate import two_digits
from ragaliq.compare.file_results import FileResults
from ragaliq.compare.results import KnownJudge, Results
from ragaliq.experiment.figures.diagnoses import contamination
from ragaliq.formats.catalogue import find
from ragaliq.report.format import NONE, bulleted, bullets, code, escaped
from ragaliq.report.markdown.cross_lingual import matrix_section
from ragaliq.report.markdown.file_results import FILES_HEADING, render_file_results
from ragaliq.report.markdown.language_gap import gap_section
from ragaliq.report.markdown.result_tables import language_section
from ragaliq.storage.files import write_atomic
from ragaliq.storage.foreign import refuse_foreign

_HASH = 8
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
    """Return runs on the same data as Markdown."""
    parts = [_head(results.data, results.min_coverage)]
    if find(str(results.data["name"])):
        parts.append(escaped(f"Contamination: {contamination(str(results.data['name']))}."))
    if results.warnings:
        parts.append(bullets(results.warnings))
    if results.judges:
        parts.append(bulleted(map(_judge_line, results.judges)))
    parts += map(language_section, results.languages)
    if results.gaps:
        parts += ["# The same queries in several languages", *map(gap_section, results.gaps)]
    if results.matrices:
        parts += ["# Queries in one language, documents in another", *map(matrix_section, results.matrices)]
    if results.others:
        names = ", ".join(code(path.name) for path in results.others)
        parts.append(f"Not shown, because they answer other data or are broken (`ragaliq report RUN` tells): {names}")
    return "\n\n".join(parts)


def _is_ours(text: str) -> bool:
    # How every version has begun the file, whatever ended its lines since.
    return (text.startswith(_HEADING) and "\nData `" in text) or text.startswith(FILES_HEADING)


def _head(data: Mapping[str, Any], min_coverage: float) -> str:
    base = data.get("knowledge_base")
    return (
        escaped(f"{_HEADING}{data['name']} {data['version']}" + (f", {base}" if base else "")) + "\n\n"
        f"Data `{data['hash'][:12]}`. Tables are sorted by `weighted_score`, the square of the mean weight of the "
        "grades (5: 1, 4: .8, 3: .6, 0: .4, 2: .2, 1: 0) over the answerable queries. `coverage` is the share of these "
        f"queries that have a grade; below {min_coverage:g} the headline is withheld ({NONE}). `ci95` is the 95 % "
        "interval over the choice of queries; reader and judge are taken as they are. `rank_ci` holds the ranks that "
        "the data cannot tell apart, with 95 % certainty for all rows of a table at once (paired by query, studentised "
        "max-t over all pairs of runs). `mean_grade`, `median_grade` and `percentage` (of 5) leave the zeros out, "
        "`percentage_with_zero` does not. `generation_time` is the sum of the seconds of the reader's own calls."
    )


def _judge_line(known: KnownJudge) -> str:
    """Return one line on a judge: its certificates, and what it says of itself."""
    parts = [*([known.citation] if known.citation else []), *([_certificate(known.summary)] if known.summary else [])]
    told = "; ".join(parts) or "no certificate; `ragaliq agree --certificate` makes one"
    name, prompt_hash = known.judge
    return f"Judge {code(name or NONE)}" + escaped(f"{f' {prompt_hash[:_HASH]}' if prompt_hash else ''}: {told}.")


def _certificate(certificate: Mapping[str, Any]) -> str:
    """Return a judge's own summary in one line; a figure that it lacks is left out."""
    interval = certificate.get("qwk_ci")
    ends = f" [{two_digits(interval[0])}, {two_digits(interval[1])}]" if interval else ""
    figures = [
        f"{title} {two_digits(certificate[key])}{ends if key == 'qwk' else ''}"
        for key, title in (("qwk", "QWK"), ("qwk_attempted", "attempted"), ("weight_kappa", "weight κ"))
        if certificate.get(key) is not None
    ]
    labels = [str(certificate[key]) for key in ("n", "labels") if certificate.get(key)]
    against = f"against {' '.join(labels)}" if certificate.get("labels") else ""
    note = f"({certificate['note']})" if certificate.get("note") else ""
    return " ".join(part for part in (", ".join(figures), against, note) if part)
