"""The file of findings, `build/translation_findings.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ragaliq.storage.files import write_jsonl
from ragaliq.types import TranslationFinding


def write_findings(path: Path, findings: Iterable[TranslationFinding]) -> None:
    """Write findings, sorted, one row each: `record, id, lang, kind, severity, message`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_jsonl(
        path,
        (
            {
                "record": str(finding.record),
                "id": finding.id,
                "lang": finding.lang,
                "kind": finding.kind,
                "severity": str(finding.severity),
                "message": finding.message,
            }
            for finding in sorted(findings)
        ),
    )
