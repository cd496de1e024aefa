"""Runs on two nodes of Ray: the bytes of a local run, and what becomes of it when a node dies."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from two_nodes import run_on_two_nodes

pytestmark = [pytest.mark.ray, pytest.mark.slow]
CONCURRENCY = 6
# All stages are calls: of an endpoint, or of parts of the package.
CONFIG = """\
embedder: openai:m
retriever: {kind: hybrid, channels: [words, vectors]}
reranker: lexical
judge: openai
"""
# A judgement of 3 tokens costs .003 dollars, and may cost 1.02: that much is set aside before it is asked for.
PRICES = 'date: "2026-01"\nmodels:\n  m: {prompt: 1.0, completion: 1000.0}\n'
RAY = ["--engine", "ray", "--workers", "2"]


def command(out: str, sample: Path, *more: str) -> list[str]:
    shared = ["--data", str(sample), "--limit", "8", "--no-cache", "--no-controls", "--concurrency", str(CONCURRENCY)]
    return ["run", "system.yaml", *shared, "--out", out, *more]


def files(run: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in run.iterdir() if file.name != "timings.jsonl"}


def tasks(err: str) -> dict[str, list[int]]:
    """Stage → tasks on each node."""
    lines = re.findall(r"^ray: (\w+): records of \d nodes: (.*)$", err, re.MULTILINE)
    return {stage: [int(n) for n in re.findall(r"in (\d+) tasks", shares)] for stage, shares in lines}


@pytest.fixture(scope="module")
def runs(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """A local run, one on two nodes, and two in which the second node is killed: while embedding, while judging."""
    folder = tmp_path_factory.mktemp("two_nodes")
    (folder / "system.yaml").write_text(CONFIG, encoding="utf-8")
    (folder / "prices.yaml").write_text(PRICES, encoding="utf-8")
    commands = [
        ({}, command("local", sample)),
        ({"delay_s": 0.02}, command("ray", sample, *RAY)),
        ({"delay_s": 0.1, "kill": ["embedding", 64]}, command("embedding", sample, *RAY)),
        ({"delay_s": 0.1, "kill": ["judging", 10]}, command("judging", sample, *RAY)),
        ({}, command("gpus", sample, *RAY, "--gpus", "judging=.25,reranking=.25")),
        ({}, command("budget", sample, *RAY, "--prices", "prices.yaml", "--max-cost", "1.1")),
        ({}, command("budget", sample, *RAY, "--prices", "prices.yaml", "--max-cost", "9")),
    ]
    return folder, run_on_two_nodes(folder, {"commands": commands}, 600)


def test_two_nodes_give_the_bytes_of_a_local_run_each_stage_in_tasks_on_both(
    runs: tuple[Path, list[dict[str, Any]]],
) -> None:
    folder, (local, there, *_) = runs
    assert (local["code"], there["code"]) == (0, 0), there["err"]
    assert files(folder / "ray") == files(folder / "local") and len(files(folder / "ray")) > 15
    counted = tasks(there["err"])
    assert counted.keys() == {"embedding", "retrieval", "reranking", "answering", "judging", "checking"}
    assert all(len(nodes) == 2 and sum(nodes) >= 4 for nodes in counted.values()), counted
    # Every call once, as locally.
    assert there["calls"]["judging"] == local["calls"]["judging"]
    assert max(there["calls"]["judging"].values()) == max(local["calls"]["judging"].values())


@pytest.mark.parametrize(("number", "stage"), [(2, "embedding"), (3, "judging")])
def test_a_killed_node_loses_nothing_and_only_what_was_under_way_is_called_again(
    runs: tuple[Path, list[dict[str, Any]]], number: int, stage: str
) -> None:
    folder, results = runs
    local, killed = results[0], results[number]
    assert (killed["code"], killed["killed"]) == (0, True), killed["err"]
    assert "a worker died" in killed["err"]
    assert files(folder / stage) == files(folder / "local")
    again = {
        text: n - local["calls"][stage][text] for text, n in killed["calls"][stage].items()
        if n > local["calls"][stage][text]
    }  # fmt: skip
    # What one worker had under way, at least the call that got no reply, or had just finished: blocks of 64 texts are
    # embedded one at a time.
    assert 0 < len(again) <= (64 + CONCURRENCY if stage == "embedding" else 2 * CONCURRENCY)
    assert set(again.values()) == {1}
    other = "judging" if stage == "embedding" else "embedding"
    assert killed["calls"]["judging"].keys() == local["calls"]["judging"].keys()
    assert other != "judging" or killed["calls"]["judging"] == local["calls"]["judging"]


def test_workers_of_a_stage_with_gpus_are_where_the_gpus_are(runs: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, results = runs
    placed = results[4]
    assert placed["code"] == 0, placed["err"]
    assert files(folder / "gpus") == files(folder / "local")
    nodes = {stage: len(counted) for stage, counted in tasks(placed["err"]).items()}
    # One of the two nodes has a GPU; two workers of each stage share it, a quarter each.
    assert nodes["judging"] == nodes["reranking"] == 1


def test_one_budget_holds_for_all_workers_and_a_new_one_goes_on(runs: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, results = runs
    local, poor, rich = results[0], results[5], results[6]
    assert poor["code"] == 3 and "--max-cost: " in poor["err"] and "of 1.1 USD spent" in poor["err"], poor["err"]
    asked = sum(poor["calls"]["judging"].values())
    assert 0 < asked < sum(local["calls"]["judging"].values())
    assert rich["code"] == 0, rich["err"]
    assert files(folder / "budget") == files(folder / "local")
    both = {text: poor["calls"]["judging"].get(text, 0) + n for text, n in rich["calls"]["judging"].items()}
    # Nothing that was paid for is asked for again.
    assert {**poor["calls"]["judging"], **both} == local["calls"]["judging"]
