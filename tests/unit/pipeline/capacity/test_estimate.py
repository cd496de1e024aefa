"""Capacity: each figure is a measured cost times a count, and the slowest stage is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.cli import main
from ragaliq.errors import InputError
from ragaliq.llm.prices import Price
from ragaliq.pipeline.capacity.estimate import Demand, Setting, bottleneck, demand, estimate
from ragaliq.storage.yaml_files import read_yaml

STUDIES = Path(__file__).resolve().parents[4] / "studies" / "scale"


def test_figures_are_costs_times_counts() -> None:
    wanted = Demand("two", {"en": 3_000_000, "zh": 1_000_000}, {"en": 100, "zh": 50}, "said")
    figures = {one.name: one for one in estimate(wanted, Setting(4, 10, 0.2, Price(1.0, 2.0)))}
    assert (figures["passages"].value, figures["queries"].value) == (4_000_000, 150)
    assert figures["disk"].value == pytest.approx(4_000_000 * 3611 / 1e9)
    assert figures["embedding, CPU"].value == pytest.approx(4_000_000 * 4.45e-3 / 3600)
    assert figures["embedding with these workers"].value == pytest.approx(4_000_000 * 4.45e-3 / 3600 / 4)
    assert figures["a query to the largest index"].value == pytest.approx(150.0)
    # 100 queries over 3 million and 50 over 1 million passages, 50 ms a million, four at a time.
    assert figures["searching with these workers"].value == pytest.approx((300 + 50) * 0.05 / 4 / 3600)
    # At the latency of the measurement the throughput is the measured one.
    assert figures["answering and judging with these workers"].value == pytest.approx(300 / (4 * 48.8) / 3600)
    assert figures["cost, at most"].value == pytest.approx((150 * (1622 + 1295) + 2 * 150 * (512 + 1024)) / 1e6)
    assert bottleneck(list(figures.values())).name == "embedding with these workers"


def test_the_catalogue_says_how_large_miracl_and_mmarco_are() -> None:
    miracl, mmarco = demand("miracl"), demand("mmarco")
    assert (len(miracl.passages), miracl.passages["en"]) == (18, 32_893_221)
    assert set(mmarco.passages.values()) == {8_841_823} and len(mmarco.passages) == 14
    assert demand("5000000x6").passages == {f"language {n}": 5_000_000 for n in range(1, 7)}
    for name in ("", "x6", "0x6", "5x0", "miracle"):
        with pytest.raises(InputError, match="write miracl, mmarco, archive or PASSAGESxLANGUAGES"):
            demand(name)


def test_unit_costs_are_those_of_the_studies() -> None:
    costs = {name: entry["value"] for name, entry in read_yaml(
        Path(__file__).resolve().parents[4] / "src/ragaliq/pipeline/capacity/unit_costs.yaml"
    ).items()}  # fmt: skip
    index = json.loads((STUDIES / "index.json").read_text(encoding="utf-8"))
    workers = json.loads((STUDIES / "workers.json").read_text(encoding="utf-8"))["by_workers"]
    largest = [row for row in index["sizes"] if row["n"] == 1_000_000]
    assert costs["index_s_per_million"] == pytest.approx(max(row["index_s"] for row in largest), abs=0.1)
    assert costs["index_bytes_per_passage"] == pytest.approx(max(row["disk_mb"] for row in largest), abs=1)
    assert costs["query_ms_per_million"] == pytest.approx(
        max(row["plain"]["hybrid"]["p50_ms"] for row in largest), abs=0.1
    )
    assert costs["embed_cpu_ms_per_passage"] == pytest.approx(index["embedding"]["cpu_s"] / 10, abs=0.01)
    assert costs["calls_per_s_per_worker"] == pytest.approx(workers["1"]["answers_per_s"], abs=0.1)
    most = max(figures["coordinator_ms_per_answer"] for figures in workers.values())
    assert costs["coordinator_cpu_ms_per_answer"] == pytest.approx(most, abs=0.01)


def test_the_command_prints_a_table_and_the_bottleneck(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--scale", "mmarco", "--workers", "8"]) == 0
    out = capsys.readouterr().out
    assert "123,785,522" in out and "bottleneck: embedding with these workers, 19.1 h" in out
    assert main(["plan", "--scale", "mmarco", "--model", "nosuch"]) == 0
    assert "—" in capsys.readouterr().out
