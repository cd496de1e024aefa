"""`ragaliq datasets`: the whole catalogue, a family, one data set, for people and for programs."""

from __future__ import annotations

import argparse
import json

import pytest

from ragaliq.cli import datasets
from ragaliq.errors import InputError


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    datasets.add_parser(parser.add_subparsers(required=True))
    parsed = parser.parse_args(["datasets", *arguments])
    code: int = parsed.call(parsed)
    return code


def test_all_of_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 56
    (scifact,) = [line for line in lines if line.startswith("| scifact ")]
    assert "5,183" in scifact and "CC BY-NC 2.0" in scifact and "public" in scifact
    (robust,) = [line for line in lines if line.startswith("| robust04 ")]
    assert "agreement with NIST" in robust


def test_a_family_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("beir", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 19
    assert {"name", "licence", "public", "access", "contamination", "sources"} <= rows[0].keys()


def test_a_family_in_capitals(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("BEIR") == 0
    assert len(capsys.readouterr().out.splitlines()) == 2 + 19


def test_one_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("BeIR/arguana") == 0
    text = capsys.readouterr().out
    assert "# arguana" in text and "- documents: 8674" in text and "- self match: yes" in text
    assert "- contamination: arguana: questions and judgements of 2018" in text
    assert "- documents: metadata of github.com/allenai/ir_datasets" in text
    assert run("arguana", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["documents"] == 8674


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"did you mean 'scifact'\?"):
        run("scifac")


def test_a_name_without_a_near_one_does_not_print_the_catalogue() -> None:
    with pytest.raises(InputError) as caught:
        run("zzzzzz")
    assert str(caught.value) == "'zzzzzz' is not in the catalogue; `ragaliq datasets` lists them"
