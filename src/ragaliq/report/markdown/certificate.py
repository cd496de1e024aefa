"""The certificate of a judge as Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragaliq.compare.agreement.certificate import Certificate, cited_labels, cited_qwk
from ragaliq.report.markdown.agreement import (
    confusion_table,
    figures_table,
    languages_table,
    left_out,
    powered_table,
)
from ragaliq.storage.files import write_atomic, write_json


def write_certificate(folder: Path, certificate: Certificate) -> None:
    """Write `certificate.json` and `certificate.md`."""
    write_json(folder / "certificate.json", certificate.content)
    # What was written is what is shown: tuples have become lists.
    text = _render(json.loads(json.dumps(certificate.content)))
    write_atomic(folder / "certificate.md", (text + "\n").encode("utf-8"))


def _render(content: dict[str, Any]) -> str:
    found, spots = content["agreement"], content["weak_spots"]
    parts = [
        f"# Certificate of the judge {content['judge']}",
        f"Prompt `{content['prompt_hash'] or 'not named'}`. {cited_qwk(found)} with {cited_labels(content)}.",
        "Compared were the judge's grades (0 to 5; 0 is an abstention) with labels of the same answers: "
        f"{found['n']} items of {found['n_queries']} queries, {left_out(found)}. It holds for answers like these, and "
        "for this prompt.",
        *([content["note"]] if content["note"] else []),
        "## Figures",
        figures_table(found),
        "ci95 resamples queries. QWK alone flatters; read it with QWK attempted, weight κ and AUC.",
    ]
    if found["by"]:
        parts += ["## Languages", languages_table(found)]
    parts += ["## Verdicts (rows) and labels (columns)", confusion_table(found)]
    parts += ["## Weak spots", "\n".join(f"- {spot}" for spot in spots) or "None of those looked for."]
    if content["ppi"] is not None:
        parts += ["## Mean weight w̄", powered_table(content["ppi"])]
    if found["warnings"]:
        parts += ["## Notes", "\n".join(f"- {line}" for line in found["warnings"])]
    hashes = [f"- {content[side]['source']}: sha256 `{content[side]['sha256']}`" for side in ("verdicts", "labels")]
    return "\n\n".join([*parts, "## Sources", "\n".join(hashes)])
