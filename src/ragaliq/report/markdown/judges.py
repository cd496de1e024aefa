"""What is known of the judges that graded the runs of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.aggregate.query_grades import JudgeId, judges_of
from ragaliq.errors import InputError
from ragaliq.report.format import NONE

if TYPE_CHECKING:
    from ragaliq.report.markdown.results import Result

_HASH = 8


def judge_lines(results: Sequence[Result], certificates: Path) -> list[str]:
    """Return a line for each judge: its certificates in the folder `certificates`, and what it says of itself.

    A judge's own summary stands in the run's configuration (`judge.certificate`).
    """
    judges = judges_of(graded for result in results for graded in result.graded.values())
    cited = _cited(judges, certificates)
    lines = []
    for judge in judges:
        shipped = next((own for own in map(_shipped, results) if own and own[0] == judge), None)
        parts = [*([cited[judge]] if cited[judge] else []), *([_summary(shipped[1])] if shipped else [])]
        told = "; ".join(parts) or "no certificate; `ragaliq agree --certificate` makes one"
        name = f"`{judge.name or NONE}`" + (f" {judge.prompt_hash[:_HASH]}" if judge.prompt_hash else "")
        lines.append(f"Judge {name}: {told}.")
    return lines


def _cited(judges: Sequence[JudgeId], folder: Path) -> dict[JudgeId, str]:
    from ragaliq.compare.agreement.certificate import cite, read_certificates

    try:
        found = read_certificates(folder)
    except InputError as error:
        # A broken certificate says nothing of the runs.
        return dict.fromkeys(judges, str(error))
    return {judge: cite(found, judge.name, judge.prompt_hash) for judge in judges}


def _shipped(result: Result) -> tuple[JudgeId, Mapping[str, Any]] | None:
    """Return a run's judge with the summary that it gives of itself."""
    judge = result.config["judge"] or {}
    summary = judge.get("certificate")
    return (JudgeId(judge.get("name", ""), judge.get("prompt_hash", "")), summary) if summary else None


def _summary(certificate: Mapping[str, Any]) -> str:
    """Return a judge's own summary in one line; a figure that it lacks is left out."""
    interval = certificate.get("qwk_ci")
    ends = f" [{_short(interval[0])}, {_short(interval[1])}]" if interval else ""
    figures = [
        f"{title} {_short(certificate[key])}{ends if key == 'qwk' else ''}"
        for key, title in (("qwk", "QWK"), ("qwk_attempted", "attempted"), ("weight_kappa", "weight κ"))
        if certificate.get(key) is not None
    ]
    labels = [str(certificate[key]) for key in ("n", "labels") if certificate.get(key)]
    against = f"against {' '.join(labels)}" if certificate.get("labels") else ""
    note = f"({certificate['note']})" if certificate.get("note") else ""
    return " ".join(part for part in (", ".join(figures), against, note) if part)


def _short(value: float) -> str:
    """Return two digits, without the 0 before the point, as certificates are cited."""
    return f"{value:.2f}".replace("0.", ".", 1)
