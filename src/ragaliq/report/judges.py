"""What is known of the judges of runs, in a line each: for results.md and the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ragaliq.compare.agreement.certificate import two_digits
from ragaliq.compare.results import KnownJudge
from ragaliq.report.format import NONE

_HASH = 8
_AGREEMENT = (("qwk", "QWK"), ("qwk_attempted", "attempted"), ("weight_kappa", "weight κ"))


class JudgeLine(NamedTuple):
    """A judge's name, the beginning of its prompts' hash (or nothing), and what its certificates and itself say."""

    name: str
    prompt_hash: str
    said: str


def judge_line(known: KnownJudge) -> JudgeLine:
    """Return what is known of a judge."""
    parts = [*([known.citation] if known.citation else []), *([_certificate(known.summary)] if known.summary else [])]
    said = "; ".join(parts) or "no certificate; `ragaliq agree --certificate` makes one"
    name, prompt_hash = known.judge
    return JudgeLine(name or NONE, prompt_hash[:_HASH], said)


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
