"""`ragaliq validate` on a benchmark: findings on stdout, what is left out on stderr."""

from __future__ import annotations

import argparse
import errno
from pathlib import Path

import pytest

from ragaliq.cli import main, validate
from ragaliq.storage.files import read_json, read_jsonl, write_json, write_jsonl
from unit.benchmark.sample_part import write_part


@pytest.fixture
def bench(sample: Path, tmp_path: Path) -> Path:
    folder = write_part(sample, tmp_path / "bench")
    write_json(folder / "bench.json", {**read_json(folder / "bench.json"), "languages": ["en", "de"], "hashes": {}})
    return folder


def test_a_clean_benchmark_has_no_findings(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(bench)]) == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", f"{bench}: no findings\n")


def test_gold_out_of_reach_is_a_finding(bench: Path, sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = bench / "queries/en.jsonl"
    chunks = [row for _, row in read_jsonl(sample / "corpus/en.jsonl")][:60]
    write_jsonl(bench / "corpus/en.jsonl", chunks)
    first = next(row for _, row in read_jsonl(path))
    # Not all of 60 chunks are among the first 20 of two retrievers.
    write_jsonl(path, [{**first, "gold": [[row["doc_id"]] for row in chunks]}])
    assert main(["validate", str(bench)]) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if line.startswith(f"{path}:1: gold ") and "of 'q001' is out of reach" in line]


def test_what_is_left_out_is_told(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (bench.parent / "CARD.md").unlink()
    write_json(bench / "bench.json", {**read_json(bench / "bench.json"), "parallel": False})
    assert main(["validate", str(bench)]) == 0
    assert "languages are not compared" in capsys.readouterr().err


def test_parallel_is_true_or_false(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_json(bench / "bench.json", {**read_json(bench / "bench.json"), "parallel": "false"})
    assert main(["validate", str(bench)]) == 1
    assert capsys.readouterr().out == f"{bench}/bench.json:1: 'parallel' must be true or false, without quotes\n"


@pytest.mark.parametrize("number", [errno.EPIPE, errno.ENOSPC])
def test_an_output_that_cannot_be_written_is_no_fault_of_the_input(
    number: int, bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tell(_: object) -> None:
        raise OSError(number, "cannot be written")

    monkeypatch.setattr(validate, "tell", tell)
    with pytest.raises(OSError, match="cannot be written"):
        validate.call(argparse.Namespace(folder=bench, source_format="ragaliq", stats=False))
