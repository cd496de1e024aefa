"""Which queries belong together."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graded_runs import write_graded_run
from ragaliq.aggregate.grades.query_grades import QueryGrades, QueryKey
from ragaliq.benchmark.load import load_benchmark
from ragaliq.compare.sources.clusters import joined, with_clusters
from ragaliq.compare.sources.opened import GradedSource
from ragaliq.compare.sources.system_values import SystemValues
from ragaliq.errors import InputError
from ragaliq.storage.files import write_json

SAMPLE = Path(__file__).parents[4] / "data" / "velmora"


def test_queries_that_share_something_with_a_third_are_together() -> None:
    # b and c share y, a and b share x; d is alone, and a query may be called as a document is.
    links = [("c", "y"), ("b", "y"), ("a", "x"), ("b", "x"), ("d", "a")]
    assert joined(links) == {"a": "a", "b": "a", "c": "a", "d": "d"}


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"))), st.randoms())
def test_the_order_of_links_does_not_show(links: list[tuple[str, str]], random: object) -> None:
    shuffled = list(links)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    found = joined(links)
    assert found == joined(shuffled)
    assert all(found[one] == found[two] for one, x in links for two, y in links if x == y)
    assert all(found[name] == name for name in found.values())


def test_queries_that_one_source_document_answers_are_together(tmp_path: Path) -> None:
    benchmark = load_benchmark(SAMPLE, ["de", "ru"])
    run = write_graded_run(tmp_path / "run", {"de": [5], "ru": [5]})
    config = run.config()
    write_json(run.config_file, {**config, "data": {**config["data"], "path": str(SAMPLE), "hash": benchmark.hash}})
    answerable = {item.query.query_id: item for item in benchmark.items["ru"] if item.gold}
    values = SystemValues("run", "ru", {QueryKey(query): 1.0 for query in answerable})
    grades = [QueryGrades("run", lang, {}, ()) for lang in ("de", "ru")]
    (found,) = with_clusters(GradedSource(run.path, (grades,)), [{"ru": values}], "gold")
    clusters = {key.query: name for key, name in found["ru"].clusters.items()}
    assert clusters.keys() == answerable.keys() and 1 < len(set(clusters.values())) < len(clusters)
    # In the sample the gold is the same in every language: those that share a source are together, and who are together
    # are linked by sources.
    origins = {chunk.doc_id: chunk.source_id for chunk in benchmark.chunks["ru"]}
    sources = {q: {origins[doc] for group in item.gold for doc in group} for q, item in answerable.items()}
    for one, two in combinations(sources, 2):
        assert clusters[one] == clusters[two] or not sources[one] & sources[two]
    for name in set(clusters.values()):
        members = [query for query in clusters if clusters[query] == name]
        reached = {members[0]}
        while grown := {q for q in members if any(sources[q] & sources[other] for other in reached)} - reached:
            reached |= grown
        assert reached == set(members)
    with pytest.raises(InputError, match="clustered by gold alone"):
        list(with_clusters(GradedSource(run.path, (grades,)), [{"ru": values}], "page"))
