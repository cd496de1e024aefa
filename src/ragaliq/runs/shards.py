"""A shard: one of the equal parts of a run's queries, each answered by a process of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import ConfigError, InputError
from ragaliq.types import Item

# How a job array tells its tasks which part is theirs: the index counted from 0, as SLURM and Kubernetes can.
INDEX_VARIABLE, COUNT_VARIABLE = "RAGALIQ_SHARD_INDEX", "RAGALIQ_SHARD_COUNT"


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` of `count`, counted from 1.

    The part holds the queries at the places `index`, `index + count`, … of each language's list, so that parallel
    questions are in the same part, and parts differ by one query at most.
    """

    index: int
    count: int

    def __post_init__(self) -> None:
        """Refuse a part that there is not."""
        if not 1 <= self.index <= self.count:
            raise ConfigError(f"shard {self}: the index is counted from 1 to the number of shards")

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def folder(self, run: Path) -> Path:
        """Return the folder of this part of a run, which is not beside the run: it is no run to compare."""
        return run.with_name(f"{run.name}.shards") / f"{self.index:0{len(str(self.count))}}-of-{self.count}"

    def part(self, items: Mapping[str, Sequence[Item]]) -> dict[str, Sequence[Item]]:
        """Return this part of the items of each language.

        Raises:
            InputError: if it holds no query.
        """
        part = {lang: of_lang[self.index - 1 :: self.count] for lang, of_lang in items.items()}
        if not any(part.values()):
            longest = max(map(len, items.values()), default=0)
            raise InputError(f"shard {self}: holds no query; take at most {longest} shards")
        return part

    def manifest(self, part: Mapping[str, Sequence[Item]]) -> dict[str, Any]:
        """Return the record of a shard in its `config.json`: which part it is, and the queries that it promises."""
        queries = {lang: [item.query.query_id for item in items] for lang, items in part.items()}
        return {"index": self.index, "count": self.count, "queries": queries}


def parse_shard(text: str) -> Shard:
    """Return the shard that a text such as `2/4` names.

    Raises:
        ConfigError: if the text is none.
    """
    index, _, count = text.partition("/")
    if not (index.isdecimal() and count.isdecimal()):
        raise ConfigError(f"shard '{text}': write I/N, such as 2/4 for the second of four parts")
    return Shard(int(index), int(count))


def shard_of_environment() -> Shard | None:
    """Return the shard that the two variables of a job array name; None if there are none.

    Raises:
        ConfigError: if one of them is missing, or they name no shard.
    """
    index, count = os.environ.get(INDEX_VARIABLE, ""), os.environ.get(COUNT_VARIABLE, "")
    if not index and not count:
        return None
    where = f"{INDEX_VARIABLE}={index} {COUNT_VARIABLE}={count}"
    if not (index.isdecimal() and count.isdecimal() and int(index) < int(count)):
        raise ConfigError(f"{where}: set both, the index from 0 to one less than the count")
    return Shard(int(index) + 1, int(count))
