"""Grading again: paid findings of another model stay where they are."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragaliq import Hit, Item, Query, RunConfig, Verdict, evaluate, load_benchmark
from ragaliq.config import Component
from ragaliq.errors import InputError
from ragaliq.judge.checks.support import Check
from ragaliq.judge.nuggets.matches import MATCHES
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.pipeline.rejudge import grade_again
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import write_jsonl
from ragaliq.storage.record_store import RecordStore
from ragaliq.types import Answer, VerdictOutcome


class Echo:
    def read(self, query: Query, context: list[Hit]) -> str:
        return query.text


class Five:
    name, prompt_hash = "five", "1"

    def grade(self, item: Item, answer: Answer) -> Verdict:
        query = item.query
        return Verdict(query.query_id, query.lang, 5, VerdictOutcome.SCORED, "", self.name, self.prompt_hash)


class CheckerA:
    name, prompt_hash = "a", "1"

    def check(self, item: Item, answer: Answer) -> Check:
        query = item.query
        return Check(query.query_id, query.lang, False, True, (), VerdictOutcome.SCORED, self.name, self.prompt_hash)


class CheckerB(CheckerA):
    name = "b"


def part(name: str) -> Component:
    return Component("python", f"own_parts:{name}")


@pytest.fixture
def config(small: Path, monkeypatch: pytest.MonkeyPatch) -> RunConfig:
    monkeypatch.setitem(sys.modules, "own_parts", sys.modules[__name__])
    return RunConfig(data=str(small), retriever=Component("none"), reader=part("Echo"), judge=part("Five"),
                     check=part("CheckerA"))  # fmt: skip


@pytest.fixture
def folder(config: RunConfig, tmp_path: Path) -> RunFolder:
    evaluate(config, load_benchmark(config.data, ["en"]), tmp_path / "r", RunOptions(limit=2))
    return RunFolder(tmp_path / "r")


def contents(folder: RunFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.path.iterdir()}


@pytest.mark.parametrize("only_unscored", [True, False])
def test_checks_of_another_model_are_not_replaced(config: RunConfig, folder: RunFolder, only_unscored: bool) -> None:
    before = contents(folder)
    with pytest.raises(
        InputError,
        match=r"checks\.jsonl: holds findings of 'a'.*`ragaliq check \S+ --judge python:own_parts:CheckerB --replace`",
    ):
        grade_again(folder, replace(config, check=part("CheckerB")), only_unscored=only_unscored)
    assert contents(folder) == before
    grade_again(folder, config, only_unscored=only_unscored)
    assert folder.checks_file.read_bytes() == before["checks.jsonl"]


def test_nuggets_that_another_model_matched_are_not_replaced(config: RunConfig, folder: RunFolder) -> None:
    matched = RecordStore(folder.nuggets_file, MATCHES)
    write_jsonl(folder.nuggets_file, [MATCHES.dump(replace(matched[key], judge="openai:m")) for key in matched])
    before = contents(folder)
    with pytest.raises(InputError, match=r"nugget_scores\.jsonl: holds findings of 'openai:m'.*--replace"):
        grade_again(folder, config)
    with pytest.raises(InputError, match=r"nugget_scores\.jsonl: holds findings of 'openai:m'.*--replace"):
        evaluate(config, load_benchmark(config.data, ["en"]), folder.path, RunOptions(limit=2))
    assert contents(folder) == before


def test_a_failed_check_of_another_model_is_no_finding(config: RunConfig, folder: RunFolder) -> None:
    row: dict[str, Any] = {"query_id": "q1", "lang": "en", "abstains": None, "in_language": None, "sentences": [],
           "outcome": "api_error", "judge": "a", "prompt_hash": "1"}  # fmt: skip
    write_jsonl(folder.checks_file, [row])
    grade_again(folder, replace(config, check=part("CheckerB")))
    assert b'"a"' not in folder.checks_file.read_bytes()
