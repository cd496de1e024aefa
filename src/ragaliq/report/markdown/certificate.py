"""The certificate of a judge as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragaliq.compare.agreement.certificate import Certificate, cited_labels, cited_qwk
from ragaliq.report.markdown.agreement import figures_table, left_out, sections
from ragaliq.storage.files import write_atomic, write_json


def write_certificate(folder: Path, certificate: Certificate) -> None:
    """Write `certificate.json` and `certificate.md`."""
    write_json(folder / "certificate.json", certificate.content)
    write_atomic(folder / "certificate.md", (_render(certificate.content) + "\n").encode("utf-8"))


def _render(content: dict[str, Any]) -> str:
    agreement, spots = content["agreement"], content["weak_spots"]
    parts = [
        f"# Certificate of the judge {content['judge']}",
        f"Prompt `{content['prompt_hash'] or 'not named'}`. {cited_qwk(agreement)} with {cited_labels(content)}.",
        "Compared were the judge's grades (0 to 5; 0 is an abstention) with labels of the same answers: "
        f"{agreement['n']} items of {agreement['n_queries']} queries, {left_out(agreement)}. It holds for answers "
        "like these, and for this prompt.",
        *([content["note"]] if content["note"] else []),
        "## Figures",
        figures_table(agreement),
        "ci95 resamples queries. QWK alone flatters; read it with QWK attempted, weight κ and AUC.",
    ]
    parts += sections(
        agreement, spots=("## Weak spots", "\n".join(f"- {spot}" for spot in spots) or "None of those looked for.")
    )
    hashes = [f"- {content[side]['source']}: sha256 `{content[side]['sha256']}`" for side in ("verdicts", "labels")]
    return "\n\n".join([*parts, "## Sources", "\n".join(hashes)])
