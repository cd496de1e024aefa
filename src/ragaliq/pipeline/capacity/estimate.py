"""What a corpus and its queries take: memory, disk, hours, calls and money, and which of the stages takes longest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.catalogue import catalogue
from ragaliq.llm.prices import Price
from ragaliq.storage.yaml_files import read_yaml
from ragaliq.types import Usage

_FILE = Path(__file__).with_name("unit_costs.yaml")
# A company's archive: ten million pages of about three chunks, and a benchmark of a thousand queries in six languages.
_ARCHIVE = "archive"
_ARCHIVE_PAGES, _CHUNKS_A_PAGE, _ARCHIVE_QUERIES, _ARCHIVE_LANGS = 10_000_000, 3, 1000, 6
_FAMILIES = ("miracl", "mmarco")


@dataclass(frozen=True, slots=True)
class Demand:
    """A corpus and the queries to it.

    Attributes:
        name: of the data.
        passages: by language, or by part of the corpus.
        queries: number of queries to each.
        basis: where the numbers come from.
    """

    name: str
    passages: Mapping[str, int]
    queries: Mapping[str, int]
    basis: str


@dataclass(frozen=True, slots=True)
class Setting:
    """What an estimate is made for.

    Attributes:
        workers: processes that work at the same time, each on one core.
        in_flight: calls of each that are under way at once.
        latency_s: how long a call takes.
        price: of the model that answers and judges; None if it is not known.
    """

    workers: int = 1
    in_flight: int = 16
    latency_s: float = 2.0
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class CapacityFigure:
    """One figure of an estimate.

    Attributes:
        name: what is estimated.
        value: the figure; None if nothing is known.
        unit: of the value.
        basis: how it comes from which measurement.
        stage_hours: the figure is the hours that a stage takes with all workers.
    """

    name: str
    value: float | None
    unit: str
    basis: str
    stage_hours: bool = False


def demand(name: str) -> Demand:
    """Return what a name stands for: `miracl`, `mmarco`, `archive`, or `PASSAGESxLANGUAGES`, such as `5000000x6`.

    Raises:
        InputError: if it is none of these.
    """
    if name in _FAMILIES:
        entries = catalogue(name)
        return Demand(
            name,
            {one.lang: one.documents for one in entries},
            {one.lang: one.queries for one in entries},
            "`ragaliq datasets` names the sources",
        )
    passages, _, langs = name.partition("x")
    if name == _ARCHIVE:
        total, n_langs, n_queries = _ARCHIVE_PAGES * _CHUNKS_A_PAGE, 1, _ARCHIVE_QUERIES * _ARCHIVE_LANGS
        basis = f"{_ARCHIVE_PAGES:,} pages of {_CHUNKS_A_PAGE} chunks, {n_queries:,} queries: assumed"
        return Demand(name, {"pages": total}, {"pages": n_queries}, basis)
    if not (passages.isdecimal() and int(passages) and (langs or "1").isdecimal() and int(langs or "1")):
        known = ", ".join((*_FAMILIES, _ARCHIVE))
        raise InputError(f"--scale '{name}': write {known} or PASSAGESxLANGUAGES, such as 5000000x6")
    n_langs, n_queries = int(langs or "1"), _ARCHIVE_QUERIES
    parts = {f"language {number}": int(passages) for number in range(1, n_langs + 1)}
    return Demand(name, parts, dict.fromkeys(parts, n_queries), f"{n_queries:,} queries in each language: assumed")


def estimate(wanted: Demand, setting: Setting) -> list[CapacityFigure]:
    """Return the figures for a demand; hours are of wall time with all workers, each on one core of the kind measured.

    Times and sizes are taken to grow in proportion to the passages, as they do from 10,000 to 1,000,000.
    """
    costs = read_yaml(_FILE)
    total, largest = sum(wanted.passages.values()), max(wanted.passages.values())
    n_queries = sum(wanted.queries.values())
    million = 1e6
    unit = {name: float(entry["value"]) for name, entry in costs.items()}

    def of(name: str) -> str:
        return str(costs[name]["source"])

    searched = sum(wanted.queries[lang] * wanted.passages[lang] for lang in wanted.passages)
    workers = setting.workers
    # As many calls are under way as the latency allows.
    calls_per_s = workers * setting.in_flight / setting.latency_s * _efficiency(unit)
    tokens = Usage(
        int(n_queries * (unit["reader_prompt_tokens"] + unit["judge_prompt_tokens"])),
        int(n_queries * (unit["reader_reply_tokens"] + unit["judge_reply_tokens"])),
    )
    cost = None if setting.price is None else setting.price.cost(tokens)
    index_h = total / million * unit["index_s_per_million"] / 3600
    embed_h = total * unit["embed_cpu_ms_per_passage"] / 1000 / 3600
    search_h = searched / million * unit["query_ms_per_million"] / 1000 / 3600
    return [
        CapacityFigure("passages", total, "", wanted.basis),
        CapacityFigure("passages of the largest index", largest, "", wanted.basis),
        CapacityFigure("queries", n_queries, "", wanted.basis),
        CapacityFigure("disk", total * unit["index_bytes_per_passage"] / 1e9, "GB", of("index_bytes_per_passage")),
        CapacityFigure(
            "memory of indexing, largest language",
            (unit["index_peak_mb_base"] + largest / million * unit["index_peak_mb_per_million"]) / 1000,
            "GB",
            of("index_peak_mb_per_million"),
        ),
        CapacityFigure(
            "page cache so that a search reads no disk, largest index",
            largest * unit["searched_bytes_per_passage"] / 1e9,
            "GB",
            of("searched_bytes_per_passage"),
        ),
        CapacityFigure("embedding, CPU", embed_h, "h", of("embed_cpu_ms_per_passage")),
        CapacityFigure("embedding, GPU", None, "h", "not measured: no GPU was at hand"),
        CapacityFigure("embedding with these workers", embed_h / workers, "h", "CPU hours by workers", True),
        CapacityFigure("indexing with these workers", index_h / workers, "h", of("index_s_per_million"), True),
        CapacityFigure(
            "a query to the largest index",
            largest / million * unit["query_ms_per_million"],
            "ms",
            of("query_ms_per_million"),
        ),
        CapacityFigure("searching with these workers", search_h / workers, "h", of("query_ms_per_million"), True),
        CapacityFigure("calls to answer and judge", 2 * n_queries, "", "one each"),
        CapacityFigure("tokens, prompts", tokens.prompt_tokens / million, "M", of("judge_prompt_tokens")),
        CapacityFigure("tokens, replies", tokens.completion_tokens / million, "M", "at most: as long as they may be"),
        CapacityFigure("cost, at most", cost, "USD", "list prices; half with --batch"),
        CapacityFigure(
            "answering and judging with these workers",
            2 * n_queries / calls_per_s / 3600,
            "h",
            of("calls_per_s_per_worker"),
            True,
        ),
        CapacityFigure(
            "CPU of the command itself",
            2 * n_queries * unit["coordinator_cpu_ms_per_answer"] / 1000 / 3600,
            "h",
            of("coordinator_cpu_ms_per_answer"),
            True,
        ),
    ]


def bottleneck(figures: list[CapacityFigure]) -> CapacityFigure:
    """Return the stage that takes longest."""
    return max((one for one in figures if one.stage_hours and one.value is not None), key=lambda one: one.value or 0.0)


def _efficiency(unit: Mapping[str, Any]) -> float:
    """Return what share of the ideal throughput, calls under way by latency, was measured with ten under way."""
    return float(unit["calls_per_s_per_worker"]) / (10 / float(unit["measured_latency_s"]))
