"""What a system costs: the tokens of its reader at list prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragaliq.llm import load_prices
from ragaliq.types import Usage

# Readers that call no service.
_LOCAL = ("extractive", "transformers", "vllm")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a run's answers in US dollars.

    Attributes:
        total: of the answers whose usage is reported; 0 for a reader that calls no service.
        per_query: the mean over them.
        n_reported: number of these answers.
        n: number of answers.
        date: of the list of prices.
    """

    total: float
    per_query: float
    n_reported: int
    n: int
    date: str


def reader_cost(config: Mapping[str, Any], metrics: Mapping[str, Any]) -> Cost | None:
    """Return what a run's reader costs, from its `config.json` and `metrics.json`.

    None where no usage is reported, or its model has no price. Embedder and reranker are not in it.
    """
    prices, reader = load_prices(), config["system"].get("reader", {})
    if reader.get("kind") in _LOCAL:
        n = sum(sum(counts.values()) for counts in config["expected"].values())
        return Cost(0.0, 0.0, n, n, prices.date)
    usage, price = metrics.get("usage", {}).get("reader"), prices.of(reader.get("model") or "")
    if price is None or not usage or not usage["n_reported"]:
        return None
    total = price.cost(Usage(usage["prompt_tokens"], usage["completion_tokens"]))
    return Cost(total, total / usage["n_reported"], usage["n_reported"], usage["n"], prices.date)
