"""The certificate of a judge as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragaliq.compare.agreement.certificate import Certificate, cited_labels, cited_qwk
from ragaliq.report.format import bullets, code, escaped
from ragaliq.report.markdown.agreement import figures_table, left_out, sections
from ragaliq.storage.files import write_atomic, write_json
from ragaliq.storage.foreign import refuse_foreign

_HEADING = "# Certificate of the judge "


def write_certificate(folder: Path, certificate: Certificate) -> None:
    """Write `certificate.json` and `certificate.md`.

    Raises:
        InputError: if a file cannot be written, or another hand wrote the second.
    """
    page = folder / "certificate.md"
    refuse_foreign(page, lambda text: text.startswith(_HEADING), "give another folder with --certificate")
    write_json(folder / "certificate.json", certificate.content)
    write_atomic(page, (_render(certificate.content) + "\n").encode("utf-8"))


def _render(content: dict[str, Any]) -> str:
    agreement, spots = content["agreement"], content["weak_spots"]
    parts = [
        escaped(f"{_HEADING}{content['judge']}"),
        f"Prompt {code(content['prompt_hash'] or 'not named')}. "
        + escaped(f"{cited_qwk(agreement)} with {cited_labels(content)}."),
        "Compared were the judge's grades (0 to 5; 0 is an abstention) with labels of the same answers: "
        f"{agreement['n']} items of {agreement['n_queries']} queries, {left_out(agreement)}. It holds for answers "
        "like these, and for this prompt.",
        *([escaped(content["note"])] if content["note"] else []),
        "## Figures",
        figures_table(agreement),
        "ci95 resamples queries. QWK alone flatters; read it with QWK attempted, weight κ and AUC.",
    ]
    parts += sections(agreement, spots=("## Weak spots", bullets(spots) or "None of those looked for."))
    hashes = [f"{content[side]['source']}: sha256 `{content[side]['sha256']}`" for side in ("verdicts", "labels")]
    return "\n\n".join([*parts, "## Sources", bullets(hashes)])
