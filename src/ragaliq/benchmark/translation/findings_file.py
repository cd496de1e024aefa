"""The file of findings, `build/translation_findings.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.storage.files import write_jsonl
from ragaliq.types import RecordKind, Severity, TranslationFinding

FINDINGS = "translation_findings.jsonl"


def write_findings(path: Path, findings: Iterable[TranslationFinding]) -> list[TranslationFinding]:
    """Write findings, sorted, one row each: `record, id, lang, kind, severity, message`; return them in this order.

    Raises:
        InputError: if its folder is a file.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InputError(f"{path.parent}: a file, where a folder for findings belongs; move it away") from None
    ordered = sorted(findings)
    write_jsonl(path, map(finding_row, ordered))
    return ordered


def finding_row(finding: TranslationFinding) -> dict[str, str]:
    """Return the row of a finding."""
    return {
        "record": str(finding.record),
        "id": finding.id,
        "lang": finding.lang,
        "kind": finding.kind,
        "severity": str(finding.severity),
        "message": finding.message,
    }


def finding_of_row(row: Mapping[str, str]) -> TranslationFinding:
    """Return the finding whose row this is."""
    record, severity = RecordKind(row["record"]), Severity(row["severity"])
    return TranslationFinding(row["lang"], record, row["id"], row["kind"], severity, row["message"])
