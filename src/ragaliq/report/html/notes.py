"""What the page says of its figures in words: the judges, and what a reader must know before comparing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ragaliq.compare.agreement.certificate import two_digits
from ragaliq.compare.overview.language_tables import LanguageTable
from ragaliq.compare.results import KnownJudge, Results
from ragaliq.experiment.figures.diagnoses import contamination
from ragaliq.formats.catalogue import find
from ragaliq.report.format import NONE

_HASH = 8
_AGREEMENT = (("qwk", "QWK"), ("qwk_attempted", "attempted"), ("weight_kappa", "weight κ"))


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
    """Return a line on each judge: its certificates, and what it says of itself."""
    return [_judge_line(known) for known in judges]


def _of_table(table: LanguageTable) -> list[str]:
    notes = []
    if table.judges:
        judges = ", ".join(table.judges)
        notes.append(f"{table.lang}: graded by different judges ({judges}); the order is not a ranking.")
    if not table.same_queries:
        notes.append(f"{table.lang}: the systems answer different numbers of queries; the order is not a ranking.")
    return notes


def _judge_line(known: KnownJudge) -> str:
    parts = [*([known.citation] if known.citation else []), *([_certificate(known.summary)] if known.summary else [])]
    said = "; ".join(parts) or "no certificate; `ragaliq agree --certificate` makes one"
    name, prompt_hash = known.judge
    return f"{name or NONE}{f' {prompt_hash[:_HASH]}' if prompt_hash else ''}: {said}"


def _certificate(certificate: Mapping[str, Any]) -> str:
    """Return a judge's own summary in one line; a figure that it lacks is left out."""
    interval = certificate.get("qwk_ci")
    ends = f" [{two_digits(interval[0])}, {two_digits(interval[1])}]" if interval else ""
    figures = [
        f"{title} {two_digits(certificate[key])}{ends if key == 'qwk' else ''}"
        for key, title in _AGREEMENT
        if certificate.get(key) is not None
    ]
    labels = " ".join(str(certificate[key]) for key in ("n", "labels") if certificate.get(key))
    against = f"against {labels}" if certificate.get("labels") else ""
    note = f"({certificate['note']})" if certificate.get("note") else ""
    return " ".join(part for part in (", ".join(figures), against, note) if part)
