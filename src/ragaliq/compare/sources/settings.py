"""What is read of the sources of a comparison, and how."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragaliq.formats.results.rows import ResultColumns

# The cluster of a query by the documents that answer it.
GOLD = "gold"


@dataclass(frozen=True, slots=True)
class Group:
    """Several runs of one system, by their paths or by the names that their files have for them."""

    name: str
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How sources are read.

    Attributes:
        metric: what is compared; empty: the first that the sources have, of grades the mean weight.
        columns: of long tables.
        lang: one language alone; empty: all.
        mixed: judges or data may differ.
        groups: runs that are pooled, each into one system.
        cluster: the field of a row that names its cluster, or `gold`; empty: each query is its own cluster.
        baseline: the name of the system that the others are compared with; empty: the first.
        joined: systems of one name in several paths, each with other languages, are one system.
    """

    metric: str = ""
    columns: ResultColumns = field(default_factory=ResultColumns)
    lang: str = ""
    mixed: bool = False
    groups: tuple[Group, ...] = ()
    cluster: str = ""
    baseline: str = ""
    joined: bool = False
