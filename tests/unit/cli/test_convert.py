"""`ragaliq convert` and `ragaliq validate` as a user calls them."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from ragaliq.benchmark.collections import FORMATS
from ragaliq.benchmark.convert.own_writer import write_benchmark
from ragaliq.cli import main
from ragaliq.formats.beir import write_beir
from ragaliq.formats.reading.collection import document
from unit.benchmark.sample_part import write_part
from unit.benchmark.small_collection import FULL, PLAIN


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    write_beir(PLAIN, tmp_path / "haus")
    return tmp_path / "haus"


def test_a_data_set_is_written_in_another_format(
    beir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    options = "--from beir --to trec --lang de --min-rel 2"
    command = ["convert", str(beir), "--out", str(out), *options.split()]
    for _ in range(2):
        assert main(command) == 0
    assert capsys.readouterr().out == f"trec: {out}\n" * 2
    assert "q1 0 tür-1 1\n" in (out / "qrels.de.binary.txt").read_text(encoding="utf-8")
    assert "q2 0 tür-2 0\n" in (out / "qrels.de.binary.txt").read_text(encoding="utf-8")


def test_what_is_left_out_is_said_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_benchmark({"de": FULL}, tmp_path / "bench")
    assert main(["convert", str(tmp_path / "bench"), "--to", "beir", "--out", str(tmp_path / "out")]) == 0
    assert "left out: 3 nuggets, which 'beir' cannot hold\n" in capsys.readouterr().err


def test_wrong_usage_is_one_line(beir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [
        ("--to bier", "--to: unknown format 'bier'; did you mean 'beir'?"),
        ("--to beir --from bier", "unknown format 'bier'; did you mean 'beir'?"),
        ("--to ragaliq --lang de,en", "--lang: this data set is in one language"),
        ("--to ragaliq --lang ,", "--lang: name at least one language"),
        ("--to ragaliq --split dev", "no split 'dev'"),
        ("--to upstream", "no query has a reference answer"),
        ("--to freshstack", "FreshStack needs them"),
    ]
    for number, (options, message) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert main(["convert", str(beir), "--out", str(folder / "out"), *options.split()]) == 2, options
        said = capsys.readouterr()
        assert message in said.err and said.err.count("\n") == 1, options
        assert said.out == "" and not (folder / "out").exists(), options


def test_a_folder_with_files_is_not_touched(beir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(beir), "--to", "beir", "--out", str(beir)]) == 2
    assert "holds files that this command did not make" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["haus"]


def test_numbers_are_numbers(beir: Path) -> None:
    for option in ["--min-rel", "--max-docs"]:
        with pytest.raises(SystemExit) as caught:
            main(["convert", str(beir), "--to", "trec", "--out", "x", option, "0"])
        assert caught.value.code == 2, option


def test_c26_statistics_of_any_format(
    beir: Path, sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", str(beir), "--stats", "--lang", "de"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and lines[0].startswith("| lang") and lines[2].startswith("| de")
    assert main(["validate", str(write_part(sample, tmp_path / "part")), "--stats"]) == 0
    said = capsys.readouterr()
    assert "relevant docs/nugget" in said.out and "multi-hop" in said.out
    assert "no findings" in said.err


def test_a_benchmark_with_findings_has_statistics_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_benchmark({"de": FULL}, tmp_path / "bench")
    with (tmp_path / "bench" / "qrels" / "de.tsv").open("a") as out:
        out.write("q1 0 fort 1\n")
    assert main(["validate", str(tmp_path / "bench"), "--stats"]) == 1
    said = capsys.readouterr()
    assert "'fort' is no chunk" in said.out and "relevant docs/query" in said.out


def test_a_data_set_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chunks = [*FULL.chunks(), document("leer", "de", "")]
    write_beir(replace(PLAIN, chunks=lambda: iter(chunks)), tmp_path / "whole")
    assert main(["validate", str(tmp_path / "whole"), "--lang", "de"]) == 0
    assert "warning[empty-documents]: " in capsys.readouterr().out
    write_beir(replace(PLAIN, chunks=lambda: iter(chunks[1:])), tmp_path / "cut")
    assert main(["validate", str(tmp_path / "cut")]) == 1
    said = capsys.readouterr()
    assert said.out.count("warning[truncated-corpus]: ") == 1
    assert said.err.endswith("1 finding\n")
    write_beir(replace(PLAIN, chunks=lambda: iter(chunks[:4] * 2)), tmp_path / "twice")
    assert main(["validate", str(tmp_path / "twice"), "--lang", "de"]) == 1
    assert "stands more than once (4 of 8 documents repeat an id)" in capsys.readouterr().out


def test_validate_names_what_it_does_not_know(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["validate", str(tmp_path / "nowhere")]) == 2
    assert "no such folder or file" in capsys.readouterr().err
    assert main(["validate", str(tmp_path / "empty")]) == 2
    assert capsys.readouterr().err.endswith("upstream\n")
    assert main(["validate", ""]) == 2
    said = capsys.readouterr().err
    assert "an empty name" in said and said.count("\n") == 1


def test_a_path_that_cannot_be_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, fmt in product(["x" * 300, "nowhere"], ["", *FORMATS]):
        for command in (["validate", name], ["convert", name, "--to", "trec", "--out", "x"]):
            assert main([*command, "--from", fmt]) == 2, (command, fmt)
            said = capsys.readouterr().err
            assert said.startswith(("ragaliq: ", f"{name[:9]}")), (command, fmt)
            assert said.count("\n") == 1 and len(said) < 600, (command, fmt)


def test_a_benchmark_that_was_converted_is_clean(beir: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["convert", str(beir), "--to", "ragaliq", "--out", str(out), "--lang", "de"]) == 0
    assert main(["validate", str(out)]) == 0
    head = json.loads((out / "bench.json").read_text(encoding="utf-8"))
    assert (head["name"], head["languages"]) == ("haus", ["de"])
