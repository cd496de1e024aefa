"""`ragaliq build check-translation` on a benchmark: pass rates on stdout, findings in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.cli import main
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
