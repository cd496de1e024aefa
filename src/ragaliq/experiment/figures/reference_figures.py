"""Published figures, to stand beside a reproduced run: FreshStack's tables 3 to 5 and figure 3, BEIR baselines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragaliq.formats.catalogue import find
from ragaliq.storage.yaml_files import read_yaml

_FILE = Path(__file__).with_name("reference_figures.yaml")


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """One published value.

    Attributes:
        dataset: the catalogue's name; `beir` for a mean over several.
        system: retriever, as the source calls it.
        measure: as in `ragaliq measure`, such as `nDCG@10`.
        value: as printed by the source, with three digits.
        source: publication, and table or figure in it.
        setting: what was searched for: `question`, `inference: …` (made of the question), `oracle: …` (made of the
            answer: a ceiling, not a system).
    """

    dataset: str
    system: str
    measure: str
    value: float
    source: str
    setting: str


@dataclass(frozen=True, slots=True)
class ReferenceStatistics:
    """Published statistics of a data set, such as `queries`, with their source, and our counts of the same."""

    source: str
    values: Mapping[str, float]
    ours: Mapping[str, float] = field(default_factory=dict)


def rows_for(dataset: str) -> tuple[ReferenceRow, ...]:
    """Return what was published on a data set, by any of its names, in the order of the sources; perhaps nothing."""
    return _rows().get(_name(dataset), ())


def statistics_for(dataset: str) -> tuple[ReferenceStatistics, ...]:
    """Return what was published of a data set itself, one record a table: FreshStack's tables 3 and 5."""
    name = _name(dataset)
    return tuple(
        ReferenceStatistics(table["source"], dict(zip(table["columns"], table["datasets"][name], strict=True)))
        for table in _data()["statistics"]
        if name in table["datasets"]
    )


def remarks_for(dataset: str) -> tuple[str, ...]:
    """Return what to know before one reads the published values of a data set, a line each."""
    return tuple(remark["text"] for remark in _data()["remarks"] if _name(dataset) in remark["datasets"])


def _name(dataset: str) -> str:
    known = find(dataset)
    return known.name if known else dataset.casefold().strip()


@lru_cache(maxsize=1)
def _rows() -> dict[str, tuple[ReferenceRow, ...]]:
    rows: dict[str, list[ReferenceRow]] = {}
    for block in _data()["blocks"]:
        for setting, systems in block["settings"].items():
            for system, table in systems.items():
                for dataset, values in zip(block["datasets"], table, strict=True):
                    rows.setdefault(dataset, []).extend(
                        ReferenceRow(dataset, system, measure, value, block["source"], setting)
                        for measure, value in zip(block["measures"], values, strict=True)
                    )
    return {dataset: tuple(values) for dataset, values in rows.items()}


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    data: dict[str, Any] = read_yaml(_FILE)
    return data
