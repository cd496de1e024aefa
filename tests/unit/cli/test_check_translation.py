"""`ragaliq build check-translation` on a benchmark: pass rates on stdout, findings in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.build.stage_row import StageRow
from ragaliq.build.workspace import Workspace
from ragaliq.cli import main
from ragaliq.cli.check_translation import exit_code_of_stage
from ragaliq.storage.files import read_json, read_jsonl, write_json, write_jsonl
from unit.benchmark.sample_part import write_part

COMMAND = ["build", "check-translation", "--bench"]
FINDINGS = "build/translation_findings.jsonl"


@pytest.fixture
def bench(sample: Path, tmp_path: Path) -> Path:
    folder = write_part(sample, tmp_path / "bench")
    write_json(folder / "bench.json", {**read_json(folder / "bench.json"), "languages": ["en", "de"], "hashes": {}})
    return folder


def change(path: Path, key: str, old: str, new: str) -> None:
    rows = [row for _, row in read_jsonl(path)]
    assert any(old in row[key] for row in rows)
    write_jsonl(path, [{**row, key: row[key].replace(old, new)} for row in rows])


def test_sound_translations_pass(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, str(bench)]) == 0
    told = capsys.readouterr()
    header, _, row = told.out.splitlines()
    assert [cell.strip() for cell in header.split("|")[1:4]] == ["language", "texts", "with errors"]
    assert [cell.strip() for cell in row.split("|")[1:4]][0::2] == ["de", "0"]
    assert f"{bench / FINDINGS}: " in told.err and (bench / FINDINGS).is_file()


def test_a_file_named_build_is_refused(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (bench / "build").write_text("", encoding="utf-8")
    assert main([*COMMAND, str(bench)]) == 2
    assert f"{bench / 'build'}: a file, where a folder" in capsys.readouterr().err


def test_an_error_is_told_and_fails(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(bench / "queries" / "de.jsonl", "reference", "40 kg", "60 kg")
    rows = [row for _, row in read_jsonl(bench / "nuggets" / "de.jsonl")]
    write_jsonl(bench / "nuggets" / "de.jsonl", rows[1:])
    assert main([*COMMAND, str(bench), "--source-lang", "en"]) == 1
    out = capsys.readouterr().out
    assert "missing 1, number 1" in out
    assert "de reference q002: number: '40 kg' not in the translation; '60 kg' not in the source\n" in out
    errors = [row for _, row in read_jsonl(bench / FINDINGS) if row["severity"] == "error"]
    assert [(row["record"], row["id"], row["kind"]) for row in errors] == [
        ("nugget", rows[0]["nugget_id"], "missing"),
        ("reference", "q002", "number"),
    ]
    assert list(errors[0]) == ["record", "id", "lang", "kind", "severity", "message"]


def test_terms_of_build_yaml_are_checked(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (bench / "terms.csv").write_text("en,de\nkg,Pfund\n", encoding="utf-8")
    glossary = "translate: {languages: [de], glossary: terms.csv}\n"
    (bench / "build.yaml").write_text(f"sources: [{{path: docs}}]\n{glossary}", encoding="utf-8")
    assert main([*COMMAND, str(bench)]) == 1
    assert "'kg' should be 'Pfund'" in capsys.readouterr().out
    assert main([*COMMAND, str(bench), "--source-lang", "de"]) == 0, "no term occurs in the German texts"


def test_without_bench_json_the_rows_of_the_stage_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace = Workspace(tmp_path / "building")
    error = {"record": "chunk", "id": "d1", "lang": "de", "kind": "number", "severity": "error", "message": "'1' …"}
    row = StageRow("d1", "de", {"record": "chunk", "findings": [error]}, "number", inputs="x")
    workspace.build.mkdir(parents=True)
    workspace.write_rows("check-translation", [row])
    (workspace.path / FINDINGS).write_text("damaged")
    assert exit_code_of_stage(workspace) == 1
    assert "1 errors, 0 warnings" in capsys.readouterr().err
    assert [row for _, row in read_jsonl(workspace.path / FINDINGS)] == [error]


@pytest.mark.parametrize(
    ("languages", "option", "message"),
    [
        (["en"], [], "the benchmark is in 'en' alone; there are no translations to check"),
        (["en", "de"], ["--source-lang", "it"], "--source-lang: 'it' is no language of"),
    ],
)
def test_bad_input_is_one_line(
    bench: Path, languages: list[str], option: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(bench / "bench.json", {**read_json(bench / "bench.json"), "languages": languages})
    assert main([*COMMAND, str(bench), *option]) == 2
    told = capsys.readouterr().err
    assert message in told and told.count("\n") == 1
