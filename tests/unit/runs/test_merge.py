"""Merging: the shards of a run are the run, byte for byte, and nothing that does not belong together is joined."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragaliq import RunConfig, evaluate, load_benchmark
from ragaliq.config import Component
from ragaliq.errors import InputError
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.pipeline.measure import measure
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.merge import merge_runs
from ragaliq.runs.shards import Shard

LANGS = ["en", "ru", "zh"]


@pytest.fixture(scope="module")
def config(small: Path) -> RunConfig:
    return RunConfig(data=str(small), retriever=Component("bm25"), reranker=Component("lexical"))


def answered(config: RunConfig, out: Path, langs: list[str] = LANGS, shard: Shard | None = None) -> Path:
    evaluate(config, load_benchmark(config.data, langs), out, RunOptions(shard=shard))
    return out


@pytest.fixture(scope="module")
def shards(config: RunConfig, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("shards")
    return [answered(config, folder / str(index), shard=Shard(index, 3)) for index in (1, 2, 3)]


@pytest.fixture
def parts(shards: list[Path], tmp_path: Path) -> list[Path]:
    return [Path(shutil.copytree(shard, tmp_path / shard.name)) for shard in shards]


def changed(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = run / "config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    change(config)
    file.write_text(json.dumps(config), encoding="utf-8")


def files(run: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in run.iterdir() if file.name != "timings.jsonl"}


def test_merged_shards_are_the_whole_run_byte_for_byte(config: RunConfig, parts: list[Path], tmp_path: Path) -> None:
    whole, merged = answered(config, tmp_path / "whole"), tmp_path / "merged"
    merge_runs([parts[2], parts[0], parts[1]], merged)
    measure(RunFolder(merged))
    assert files(merged) == files(whole) and len(files(whole)) == 13
    timed = [json.loads(line) for line in (merged / "timings.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["lang"], row["query_id"]) for row in timed] == list(RunFolder(whole).answers())


def test_runs_of_different_languages_join(config: RunConfig, tmp_path: Path) -> None:
    runs = [answered(config, tmp_path / lang, [lang]) for lang in ("zh", "en")]
    whole, merged = answered(config, tmp_path / "whole", ["en", "zh"]), tmp_path / "merged"
    merge_runs(runs, merged)
    measure(RunFolder(merged))
    assert files(merged) == files(whole)


def refused(runs: list[Path], tmp_path: Path) -> str:
    with pytest.raises(InputError) as error:
        merge_runs(runs, tmp_path / "merged")
    assert not (tmp_path / "merged" / "config.json").exists()
    return str(error.value).replace(f"{tmp_path}/", "")


def test_another_judge_data_or_version_is_refused(parts: list[Path], tmp_path: Path) -> None:
    def another_judge(config: dict[str, Any]) -> None:
        config["judge"] |= {"name": "other"}

    changed(parts[1], another_judge)
    assert refused(parts, tmp_path) == (
        "2/config.json: is no part of the run in 1/config.json: judge.name: 'offline' there, 'other' here"
    )
    changed(parts[1], lambda config: config.update(judge=None))
    assert "2/config.json: is no part of the run in 1/config.json: judge: {" in refused(parts, tmp_path)
    changed(parts[2], lambda config: config["data"].update(hash="0" * 64))
    assert refused([parts[0], parts[2]], tmp_path).startswith(
        "3/config.json: is no part of the run in 1/config.json: data: '"
    )
    changed(parts[0], lambda config: config["versions"].update(numpy="1.0"))
    changed(parts[1], lambda config: config["versions"].update(numpy="2.0"))
    changed(
        parts[1], lambda config: config.update(judge={**json.loads((parts[0] / "config.json").read_text())["judge"]})
    )
    assert refused(parts[:2], tmp_path).endswith("versions.numpy: '1.0' there, '2.0' here")


def test_a_missing_and_a_doubled_shard_are_refused(parts: list[Path], tmp_path: Path) -> None:
    assert refused(parts[:2], tmp_path) == (
        "1/config.json: shard.count: 3 shards of en, ru, zh, and shard 3 is missing; name its folder, too"
    )
    again = Path(shutil.copytree(parts[1], tmp_path / "again"))
    assert refused([*parts, again], tmp_path) == (
        "again/config.json: shard.index: shard 2/3 is in 2/config.json, too; name each shard once"
    )
    assert refused([*parts, parts[0]], tmp_path) == "1: is named twice; name each run once"


@pytest.mark.parametrize("name", ["answers.jsonl", "verdicts.jsonl", "checks.jsonl"])
def test_an_item_that_no_shard_holds_is_named(parts: list[Path], tmp_path: Path, name: str) -> None:
    file = parts[2] / name
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    row = json.loads(lines.pop())
    file.write_text("".join(lines), encoding="utf-8")
    assert refused(parts, tmp_path) == (
        f"3/{name}: query '{row['query_id']}' (zh) is missing, config.json promises it; "
        "the same command as before completes this run"
    )


def test_an_item_in_two_runs_is_refused_not_dropped(config: RunConfig, tmp_path: Path) -> None:
    runs = [answered(config, tmp_path / str(number), langs) for number, langs in enumerate((["en", "ru"], ["ru"]))]
    assert refused(runs, tmp_path) == (
        "1/answers.jsonl: query 'q1' (ru) is in 0/answers.jsonl, too; an item belongs to one run"
    )


def test_an_item_that_a_shard_does_not_promise_is_refused(parts: list[Path], tmp_path: Path) -> None:
    changed(parts[0], lambda config: config["shard"]["queries"]["zh"].pop(0))
    assert "query 'q1' (zh) is none that shard.queries of config.json promises" in refused(parts, tmp_path)


def test_an_unfinished_run_of_a_language_is_refused(config: RunConfig, tmp_path: Path) -> None:
    runs = [answered(config, tmp_path / lang, [lang]) for lang in ("en", "zh")]
    changed(runs[1], lambda config: config["expected"]["zh"].update(answerable=100))
    assert "zh/answers.jsonl: zh: 8 of 10" in refused(runs, tmp_path)


def test_a_folder_that_holds_something_is_left_alone(parts: list[Path], tmp_path: Path) -> None:
    before = files(parts[0])
    with pytest.raises(InputError, match="is neither missing nor empty"):
        merge_runs(parts, parts[0])
    assert files(parts[0]) == before
