from __future__ import annotations

import json
from pathlib import Path

from ragaliq.benchmark.translation.finding import finding_of
from ragaliq.benchmark.translation.findings_file import write_findings
from ragaliq.types.translation import Severity
from unit.benchmark.translation.pair import pair


def test_rows_are_sorted_and_have_the_documented_keys(tmp_path: Path) -> None:
    findings = [finding_of(pair("a", "b", id=id), "number", Severity.ERROR, "'1' …") for id in ("c2", "c1")]
    path = tmp_path / "build" / "findings.jsonl"
    write_findings(path, findings)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["c1", "c2"]
    assert rows[0] == {"record": "chunk", "id": "c1", "lang": "de", "kind": "number", "severity": "error",
                       "message": "'1' …"}  # fmt: skip
