from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.metrics.retrieval.judged import Retrieved
from ragaliq.metrics.retrieval.ranking import evaluate_run
from ragaliq.types import Importance

# Any code point, the lone halves of pairs too, of which a file could hold none.
IDS = st.text(min_size=1, max_size=3)
DOCS = st.dictionaries(IDS, st.integers(0, 3).map(float) | st.floats(allow_nan=False), max_size=12)
RUNS = st.dictionaries(st.sampled_from("αбγ日q"), DOCS, max_size=4)
QRELS = st.dictionaries(st.sampled_from("αбγ日q"), st.dictionaries(IDS, st.integers(-1, 3), max_size=8), max_size=4)
FACTS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 2), max_size=6), max_size=5)
NUGGETS = st.dictionaries(st.sampled_from("αбγ日q"), FACTS, max_size=3)
GOLD = st.dictionaries(st.sampled_from("αбγ日q"), st.lists(st.lists(IDS, max_size=3).map(tuple), max_size=3).map(tuple))
TIES = st.sampled_from(["trec", "ascending", "order", "float32"])

RELEVANCE = [
    "nDCG", "nDCG@3", "nDCG(dcg='exp-log2')@3", "P@3", "P(rel=2)@1", "R@3", "AP", "AP@2", "RR", "RR@2", "Success@2",
    "Rprec",
]  # fmt: skip
LISTED = ["Judged", "Judged@3", "Hole@3"]
COVERED = ["Coverage@3", "StRecall@3", "WeightedCoverage@3", "AllGold@3"]


@given(RUNS, QRELS, TIES, st.randoms(use_true_random=False))
def test_values_are_in_bounds_and_blind_to_the_order_of_the_input(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]], ties: str, random: Random
) -> None:
    found = evaluate_run(run, qrels, RELEVANCE + LISTED, ties=ties)
    assert all(0 <= value <= 1 for values in found.values.values() for value in values)
    if ties == "order":
        return
    shuffled: dict[str, Retrieved] = {}
    for query_id in random.sample(sorted(run), len(run)):
        docs = list(run[query_id].items())
        random.shuffle(docs)
        shuffled[query_id] = docs
    reversed_ = {query_id: dict(list(qrels[query_id].items())[::-1]) for query_id in list(qrels)[::-1]}
    again = evaluate_run(shuffled, reversed_, RELEVANCE + LISTED, ties=ties)
    assert again.query_ids == found.query_ids
    for name, values in found.values.items():
        assert again.values[name].tolist() == values.tolist()
    assert again.tied_at_cut == found.tied_at_cut


@given(RUNS, QRELS, TIES)
def test_all_queries_at_once_are_each_query_alone(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]], ties: str
) -> None:
    together = evaluate_run(run, qrels, RELEVANCE + LISTED, ties=ties)
    for place, query_id in enumerate(together.query_ids):
        alone = evaluate_run(run, {query_id: qrels[query_id]}, RELEVANCE + LISTED, ties=ties)
        for name, values in together.values.items():
            assert alone.values[name].tolist() == [values[place]]


@given(RUNS, NUGGETS, GOLD, TIES)
def test_nuggets_too(
    run: dict[str, dict[str, float]],
    nuggets: dict[str, dict[str, dict[str, int]]],
    gold: dict[str, tuple[tuple[str, ...], ...]],
    ties: str,
) -> None:
    importance = {
        query_id: {name: [Importance.VITAL, Importance.OKAY][number % 2] for number, name in enumerate(sorted(facts))}
        for query_id, facts in nuggets.items()
    }
    names = [*COVERED, "alpha_nDCG", "alpha_nDCG@2", "alpha_nDCG(alpha=1)@4"]
    found = evaluate_run(run, None, names, nuggets=nuggets, importance=importance, gold=gold, ties=ties)
    assert all(0 <= value <= 1 for name in COVERED for value in found.values[name])
    assert all(value >= 0 for values in found.values.values() for value in values)
    for place, query_id in enumerate(found.query_ids):
        one = {query_id: nuggets[query_id]}
        alone = evaluate_run(run, None, names, nuggets=one, importance=importance, gold=gold, ties=ties)
        for name, values in found.values.items():
            assert alone.values[name].tolist() == [values[place]]


@given(DOCS, st.dictionaries(IDS, st.integers(-1, 3), max_size=8), TIES)
def test_a_cutoff_as_long_as_the_list_is_none(docs: dict[str, float], rels: dict[str, int], ties: str) -> None:
    k = max(len(docs), 1)
    for name in ("AP", "RR", "Judged"):
        found = evaluate_run({"q": docs}, {"q": rels}, [name, f"{name}@{k}", f"{name}@{k + 7}"], ties=ties)
        assert found.values[name] == found.values[f"{name}@{k}"] == found.values[f"{name}@{k + 7}"]
    # The ideal ranking may be longer than the list.
    k = max(k, len(rels))
    found = evaluate_run({"q": docs}, {"q": rels}, ["nDCG", f"nDCG@{k}", f"nDCG@{k + 7}"], ties=ties)
    assert found.values["nDCG"] == found.values[f"nDCG@{k}"] == found.values[f"nDCG@{k + 7}"]


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True),
    st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 3), min_size=1),
    st.integers(1, 3),
)
def test_a_relevant_document_put_first_never_lowers_a_measure(docs: list[str], rels: dict[str, int], rel: int) -> None:
    run = {doc: -float(rank) for rank, doc in enumerate(docs)}
    rels = {**rels, "new": rel}
    # A document of less relevance may push a better one down, so that only the best is good for these.
    names = [name for name in RELEVANCE if rel == 3 or not name.startswith(("nDCG", "P(rel=2)"))]
    before = evaluate_run({"q": run}, {"q": rels}, names)
    after = evaluate_run({"q": {**run, "new": 1.0}}, {"q": rels}, names)
    assert all(after.values[name][0] >= before.values[name][0] - 1e-12 for name in names)


@given(st.lists(st.text(min_size=1, max_size=4), unique=True, min_size=1, max_size=8))
def test_ties_fall_by_code_point_which_is_the_order_of_utf8(docs: list[str]) -> None:
    order = sorted(docs, key=lambda doc: doc.encode("utf-8", "surrogatepass"), reverse=True)
    run = {"q": dict.fromkeys(docs, 1.0)}
    assert [1 / evaluate_run(run, {"q": {doc: 1}}, ["RR"]).values["RR"][0] for doc in order] == [
        1 / (1 / rank) for rank in range(1, len(docs) + 1)
    ]
