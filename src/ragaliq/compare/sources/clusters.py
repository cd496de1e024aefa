"""Which queries belong together: by a field of their rows, or because one document answers them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ragaliq.aggregate.run_rows import run_at
from ragaliq.compare.sources.opened import GradedSource
from ragaliq.compare.sources.settings import GOLD
from ragaliq.compare.sources.system_values import SystemValues
from ragaliq.errors import InputError, listed
from ragaliq.formats.answers.columns import USUAL_NAMES
from ragaliq.formats.answers.reading import read_answer_rows
from ragaliq.runs.benchmark import run_benchmark
from ragaliq.runs.folder import RunFolder


def with_clusters(
    source: GradedSource, systems: Iterable[Mapping[str, SystemValues]], cluster: str
) -> Iterator[dict[str, SystemValues]]:
    """Yield the systems of a source with the cluster of each query; a query without one is its own.

    Raises:
        InputError: if a run's clusters are asked for by a field, a file's by gold documents, no row of a file has the
            field, or the benchmark of a run is not there.
    """
    run = run_at(source.path)
    names = _by_field(source, cluster) if run is None else _by_gold(run, source, cluster)
    for system in systems:
        yield {
            lang: replace(own, clusters={key: names[key.query] for key in own.values if key.query in names})
            for lang, own in system.items()
        }


def joined(links: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return a cluster for each query, from links between queries and what they share.

    Queries that share something with a third are in its cluster too (connected components). A cluster is called as the
    least of its queries, so that the order of the links does not show.
    """
    parents: dict[tuple[bool, str], tuple[bool, str]] = {}

    def root(node: tuple[bool, str]) -> tuple[bool, str]:
        while parents.setdefault(node, node) != node:
            parents[node] = node = parents[parents[node]]
        return node

    for query, shared in links:
        one, two = sorted((root((False, query)), root((True, shared))))
        parents[two] = one
    # A query sorts before what is shared, and a lesser query before a greater: the root is the least query.
    return {name: root((is_shared, name))[1] for is_shared, name in list(parents) if not is_shared}


def _by_field(source: GradedSource, field: str) -> dict[str, str]:
    if field == GOLD:
        raise InputError(f"{source.path}: --cluster gold is for run folders, whose benchmark has gold; name a field")
    rows = read_answer_rows(source.path).rows
    if not any(field in row for _, row in rows):
        fields = listed({name for _, row in rows for name in row})
        raise InputError(f"{source.path}: --cluster {field}: no such field; {fields}")
    keys = ("query_id", *USUAL_NAMES["question"])
    named = (
        (str(row[key]).strip(), str(row[field]))
        for _, row in rows
        if row.get(field) not in (None, "")
        for key in keys
        if row.get(key) not in (None, "")
    )
    return joined(named)


def _by_gold(run: RunFolder, source: GradedSource, cluster: str) -> dict[str, str]:
    if cluster != GOLD:
        raise InputError(f"{source.path}: --cluster {cluster}: the queries of a run folder are clustered by gold alone")
    benchmark = run_benchmark(run, sorted(grades.lang for grades in source.systems[0]))
    origins = {chunk.doc_id: chunk.source_id for chunks in benchmark.chunks.values() for chunk in chunks}
    return joined(
        (item.query.query_id, origins.get(doc_id, doc_id))
        for items in benchmark.items.values()
        for item in items
        for group in item.gold
        for doc_id in group
    )
