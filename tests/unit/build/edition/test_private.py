from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.cli import main
from unit.build.edition.small_template import Make
from unit.build.edition.test_refresh import make, tree


def test_a_private_edition_is_announced_and_revealed(
    make_template: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = make_template()
    assert make(bench, "new", tmp_path / "p", "--private") == 0
    told = capsys.readouterr().err
    seed = told.split("seed ")[1].split(";")[0]
    head = json.loads((tmp_path / "p" / "bench.json").read_text())
    assert head["edition"] == {"seed_sha256": told.split("SHA-256 ")[1].split()[0]}
    assert not [name for name, content in tree(tmp_path / "p").items() if seed.encode() in content]
    assert main(["refresh", str(bench), "--seed", seed, "--check", str(tmp_path / "p")]) == 0
    assert main(["refresh", str(bench), "--seed", str(int(seed) + 1), "--check", str(tmp_path / "p")]) == 1
    (tmp_path / "p" / "queries" / "en.jsonl").write_text("")
    capsys.readouterr()
    assert main(["refresh", str(bench), "--seed", seed, "--check", str(tmp_path / "p")]) == 1
    assert "queries/en.jsonl: differs" in capsys.readouterr().out


def test_a_private_edition_is_not_replaced_by_one_that_tells_its_seed(make_template: Make, tmp_path: Path) -> None:
    bench, seed = make_template(), str(10**40)
    assert make(bench, seed, tmp_path / "p", "--private") == 0
    assert make(bench, seed, tmp_path / "p") == 2
    assert make(bench, seed, tmp_path / "p", "--private") == 0
    assert "seed_sha256" in (tmp_path / "p" / "bench.json").read_text()


def test_a_new_seed_that_is_no_secret_is_in_the_folder(
    make_template: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(make_template(), "new", tmp_path / "e")
    told = capsys.readouterr().err
    seed = json.loads((tmp_path / "e" / "bench.json").read_text())["edition"]["seed"]
    assert f"seed {seed}; bench.json tells it" in told
