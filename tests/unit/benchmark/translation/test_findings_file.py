from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.benchmark.translation.finding import finding_of
from ragaliq.benchmark.translation.findings_file import write_findings
from ragaliq.errors import InputError
from ragaliq.types.translation import Severity
from unit.benchmark.translation.pair import pair


def test_rows_are_sorted_and_have_the_documented_keys(tmp_path: Path) -> None:
    findings = [finding_of(pair("a", "b", id=id), "number", Severity.ERROR, "'1' …") for id in ("c2", "c1")]
    path = tmp_path / "build" / "findings.jsonl"
    assert write_findings(path, findings) == findings[::-1]
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["c1", "c2"]
    assert rows[0] == {"record": "chunk", "id": "c1", "lang": "de", "kind": "number", "severity": "error",
                       "message": "'1' …"}  # fmt: skip


@pytest.mark.parametrize("path", ["build/findings.jsonl", "build/parts/findings.jsonl"])
def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "build").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"build.*: a file, where a folder for findings belongs; move it away"):
        write_findings(tmp_path / path, [])
