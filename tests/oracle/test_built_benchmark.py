"""A built benchmark through other people's programs: its judgements, its measures, and the way back from each form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

import ir_measures
import pyndeval
import pytest
from pytest import approx

from ragaliq.benchmark.collections import load_collections
from ragaliq.benchmark.convert.convert import Conversion, convert
from ragaliq.benchmark.own_reader import read_own
from ragaliq.build.stages.export import export
from ragaliq.build.stages.filter import filter_queries
from ragaliq.build.stages.judge import judge
from ragaliq.build.stages.pool import pool, run_file
from ragaliq.build.stages.relevance import relevance
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.trec.qrels import read_nugget_qrels
from ragaliq.formats.trec.run import read_ranked_run
from ragaliq.metrics.retrieval.ranking import evaluate_run
from unit.build.written_build import doc_id, written_build

N_DOCS = 90
FRESHSTACK = ("alpha_nDCG@10", "Coverage@20", "R@50")
Run = Mapping[str, Mapping[str, float]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Run]]:
    """A benchmark of 20 queries with 1 to 4 nuggets of 1 to 12 documents each, 3 of them unanswerable; and runs."""
    random, path = Random(14), tmp_path_factory.mktemp("built")
    ids = [doc_id(number) for number in range(1, N_DOCS + 1)]
    support = {
        f"q_{query}": {f"q_{query}_{n}": random.sample(ids, 1 if query < 7 else random.randint(1, 12))
                       for n in range(1 if query < 7 else random.randint(1, 4))}
        for query in range(1, 21)
    }  # fmt: skip
    context = written_build(path, support, N_DOCS, pool={"retrievers": ["bm25", "char"], "negatives": 5},
                          unanswerable=0.15)  # fmt: skip
    for stage in (pool, judge, relevance, filter_queries, export):
        stage(context)
    collection = read_own(path)["en"]
    runs: dict[str, Run] = {
        name: read_ranked_run(run_file(context, "en", "question", name)).scores for name in ("bm25", "char")
    }
    queries = sorted(collection.qrels)
    for seed in range(3):
        runs[f"random {seed}"] = {q: {name: Random(f"{seed}{q}{name}").random() for name in ids} for q in queries}
    return path, runs


def test_freshstack_measures_are_those_of_pyndeval_and_of_plain_counting(built: tuple[Path, dict[str, Run]]) -> None:
    path, runs = built
    collection = read_own(path)["en"]
    nuggets = read_nugget_qrels(path / "nugget_qrels" / "en.tsv")
    assert sum(len(facts) for facts in nuggets.values()) > 25 and len(nuggets) == 17
    subtopics = [(q, name, doc, rel) for q, facts in nuggets.items() for name in sorted(facts)
                 for doc, rel in facts[name].items()]  # fmt: skip
    for run in runs.values():
        # Equal scores stand in the order of ndeval.
        found = evaluate_run(run, collection.qrels, list(FRESHSTACK), nuggets=nuggets, ties="ascending")
        ranked = [(q, doc, score) for q in nuggets for doc, score in run.get(q, {}).items()]
        theirs = pyndeval.ndeval(subtopics, ranked, ["alpha-nDCG@10"], alpha=0.5)
        for place, q in enumerate(found.query_ids):
            order = sorted(run[q], key=lambda doc: (-run[q][doc], doc))
            assert found.values["alpha_nDCG@10"][place] == approx(theirs[q]["alpha-nDCG@10"], abs=1e-9)
            covered = [name for name, docs in nuggets[q].items() if any(docs.get(doc, 0) for doc in order[:20])]
            assert found.values["Coverage@20"][place] == len(covered) / len(nuggets[q])
            relevant = {doc for docs in nuggets[q].values() for doc, rel in docs.items() if rel}
            assert found.values["R@50"][place] == len(relevant & set(order[:50])) / len(relevant)
    assert {round(evaluate_run(run, collection.qrels, ["R@50"]).mean("R@50") or 0, 3) for run in runs.values()} > {1.0}


def test_trec_files_are_read_by_ir_measures_subtopics_too(built: tuple[Path, dict[str, Run]], tmp_path: Path) -> None:
    path, runs = built
    convert(Conversion(str(path), "", "trec"), tmp_path / "trec")
    subtopics = _read(tmp_path / "trec" / "qrels.en.nuggets.txt")
    judged = read_nugget_qrels(path / "nugget_qrels" / "en.tsv")
    assert {(q.query_id, q.iteration, q.doc_id, q.relevance) for q in subtopics} == {
        (query, nugget, doc, rel) for query, facts in judged.items() for nugget, docs in facts.items()
        for doc, rel in docs.items()
    }  # fmt: skip
    measure = ir_measures.parse_measure("alpha_nDCG@10")
    for run in runs.values():
        scored = [ir_measures.ScoredDoc(q, doc, score) for q, docs in run.items() for doc, score in docs.items()]
        theirs = {one.query_id: one.value for one in ir_measures.iter_calc([measure], subtopics, scored)}
        found = evaluate_run(run, None, ["alpha_nDCG@10"], nuggets=judged, ties="ascending")
        assert found.values["alpha_nDCG@10"] == approx([theirs[q] for q in found.query_ids], abs=1e-9)
    for row in _read(tmp_path / "trec" / "qrels.en.txt"):
        assert row.relevance == sum(docs.get(row.doc_id, 0) for docs in judged[row.query_id].values())


@pytest.mark.parametrize("target", ["beir", "trec", "freshstack"])
def test_exports_load_back_the_same(target: str, built: tuple[Path, dict[str, Run]], tmp_path: Path) -> None:
    path, _ = built
    convert(Conversion(str(path), "", target), tmp_path / target)
    ours = load_collections(path)["en"]
    back = load_collections(tmp_path / target, langs=None if target == "trec" else ["en"])["en"]
    assert back.qrels == ours.qrels
    # BEIR's readers pass over queries without judgements, such as unanswerable ones.
    asked = [query for query in ours.queries if target != "beir" or query.query_id in ours.qrels]
    assert [(query.query_id, query.text) for query in back.queries] == [(q.query_id, q.text) for q in asked]
    assert [(c.doc_id, c.text) for c in back.chunks()] == [(c.doc_id, c.text) for c in ours.chunks()]
    if target != "beir":
        assert _supporting(back) == _supporting(ours)
    if target == "freshstack":
        assert back.references == ours.references


def test_upstream_6_a_hole_is_a_document_that_nobody_judged_for_this_query(built: tuple[Path, dict[str, Run]]) -> None:
    path, _ = built
    qrels = read_own(path)["en"].qrels
    one, two = sorted(qrels)[:2]
    elsewhere = min(set(qrels[two]) - set(qrels[one]))
    # FreshStack's hole pooled the judged documents of all queries, and called this one judged.
    assert evaluate_run({one: {elsewhere: 1.0}}, {one: qrels[one], two: qrels[two]}, ["Judged@1"]).values[
        "Judged@1"
    ].tolist() == [0, 0]  # fmt: skip


def test_upstream_6_alpha_ndcg_goes_as_deep_as_it_is_asked_for() -> None:
    run = {"q": {f"d{rank}": 1.0 / rank for rank in range(1, 61)}}
    # FreshStack's stops at 20, and fails where 50 alone is asked for.
    found = evaluate_run(run, None, ["alpha_nDCG@20", "alpha_nDCG@50"], nuggets={"q": {"n": {"d31": 1}}})
    assert found.values["alpha_nDCG@20"].tolist() == [0]
    assert found.values["alpha_nDCG@50"].tolist() == approx([1 / 5])


def _read(path: Path) -> list[ir_measures.Qrel]:
    return list(ir_measures.read_trec_qrels(str(path)))  # type: ignore[no-untyped-call]


def _supporting(collection: Collection) -> dict[str, dict[str, set[str]]]:
    found: dict[str, dict[str, set[str]]] = {}
    for nugget in collection.nuggets:
        found.setdefault(nugget.query_id, {})[nugget.nugget_id] = set(nugget.doc_ids)
    return found
