"""Random runs, much tied, with ids in several scripts, through ir_measures, pytrec_eval and pyndeval."""

from __future__ import annotations

from itertools import product
from random import Random

import ir_measures
import numpy as np
import pyndeval
import pytest
import pytrec_eval
from sklearn.metrics import dcg_score

from ragaliq.metrics.retrieval.judged import ScoredRun
from ragaliq.metrics.retrieval.ranking import evaluate_run

SCRIPTS = ("abcz019-_#.", "жщЯёß", "猫犬日本", "อักษร", "हिंदी", "🐱😀", "éàü")
DEPTH = 100
N_QUERIES = 30


def ident(random: Random) -> str:
    return "".join(random.choice(random.choice(SCRIPTS)) for _ in range(random.randint(1, 8)))


def data(seed: int, levels: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Queries whose scores take so many values, all of which single precision holds."""
    random = Random(seed)
    run, qrels = {}, {}
    for number in range(N_QUERIES):
        docs = sorted({ident(random) for _ in range(DEPTH)})
        random.shuffle(docs)
        run[f"q{number}"] = {doc: random.randrange(levels) / 8 for doc in docs[: random.randint(1, DEPTH)]}
        judged = random.sample(docs, random.randint(1, 30))
        # pytrec_eval 0.5.11 may not return from a query whose judgements are all negative.
        qrels[f"q{number}"] = {doc: random.randint(-1, 3) for doc in judged} | {"unseen": random.randint(0, 2)}
    return run, qrels


@pytest.mark.parametrize("levels", [1, 60])
def test_pytrec_eval_gives_the_same(levels: int) -> None:
    run, qrels = data(levels, levels)
    theirs = {
        "ndcg": "nDCG", "ndcg_cut_1": "nDCG@1", "ndcg_cut_10": "nDCG@10", "map": "AP", "map_cut_10": "AP@10",
        "recip_rank": "RR", "P_10": "P@10", "P_1000": "P@1000", "recall_20": "R@20", "success_5": "Success@5",
        "Rprec": "Rprec",
    }  # fmt: skip
    names = {"ndcg", "ndcg_cut.1,10", "map", "map_cut.10", "recip_rank", "P.10,1000", "recall.20", "success.5", "Rprec"}
    expected = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    for ties in ("trec", "float32"):
        found = evaluate_run(run, qrels, list(theirs.values()), ties=ties)
        for name, ours in theirs.items():
            assert found.values[ours] == pytest.approx([expected[q][name] for q in found.query_ids], abs=1e-9)
    leveled = pytrec_eval.RelevanceEvaluator(qrels, {"map", "P.10", "ndcg"}, relevance_level=2).evaluate(run)
    found = evaluate_run(run, qrels, ["AP(rel=2)", "P(rel=2)@10", "nDCG"])
    for name, ours in {"map": "AP(rel=2)", "P_10": "P(rel=2)@10", "ndcg": "nDCG"}.items():
        assert found.values[ours] == pytest.approx([leveled[q][name] for q in found.query_ids], abs=1e-9)


def test_discounted_gain_is_that_of_scikit_learn() -> None:
    run, qrels = data(7, 1_000_000)
    measures = ["DCG@5", "DCG", "DCG(dcg='exp-log2')@5"]
    evaluation = evaluate_run(run, qrels, measures)
    for place, query_id in enumerate(evaluation.query_ids):
        scores = run[query_id]
        rels = [[max(0, qrels[query_id].get(doc, 0)) for doc in scores]]
        grown = [[2**rel - 1 for rel in rels[0]]]
        for name, gain, k in zip(measures, (rels, rels, grown), (5, None, 5), strict=True):
            # Its k must not be more than there are documents; a single document is refused.
            if len(scores) > 1:
                expected = dcg_score(gain, [list(scores.values())], k=k)
                assert evaluation.values[name][place] == pytest.approx(expected, abs=1e-9), (query_id, name)


def test_single_precision_ties_are_those_of_pytrec_eval() -> None:
    run, qrels = data(5, 1_000_000)
    random = Random(5)
    close = {q: {doc: 1 + random.randrange(40) * 1e-8 for doc in docs} for q, docs in run.items()}
    expected = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10"}).evaluate(close)
    found = evaluate_run(close, qrels, ["AP", "nDCG@10"], ties="float32")
    for name, ours in {"map": "AP", "ndcg_cut_10": "nDCG@10"}.items():
        assert found.values[ours] == pytest.approx([expected[q][name] for q in found.query_ids], abs=1e-9)
    assert np.abs(evaluate_run(close, qrels, ["AP"]).values["AP"] - found.values["AP"]).max() > 0.01


# ir_measures takes these from trec_eval; missing queries count 0 there too.
AS_TREC_EVAL = ["nDCG@10", "nDCG", "AP", "AP(rel=2)@20", "P(rel=2)@10", "R@20", "RR", "Rprec", "Success@5"]
# These it computes itself, ties by ascending doc id.
ITS_OWN = ["RR@10", "RR(rel=2)@10", "Judged@10", "Judged@1000"]


@pytest.mark.parametrize(
    ("names", "ties", "levels"), [(AS_TREC_EVAL, "trec", 4), (AS_TREC_EVAL, "trec", 60), (ITS_OWN, "ascending", 4)]
)
def test_ir_measures_gives_the_same(names: list[str], ties: str, levels: int) -> None:
    run, qrels = data(levels + 7, levels)
    del run["q7"], qrels["q8"]
    found = evaluate_run(run, qrels, names, ties=ties)
    assert (found.n_missing, found.n_extra) == (1, 1)
    parsed = {ir_measures.parse_measure(name): name for name in names}
    for measure, mean in ir_measures.calc_aggregate(list(parsed), qrels, run).items():
        assert found.mean(parsed[measure]) == pytest.approx(mean, abs=1e-9)
    for metric in ir_measures.iter_calc(list(parsed), qrels, run):
        place = found.query_ids.index(metric.query_id)
        assert found.values[parsed[metric.measure]][place] == pytest.approx(metric.value, abs=1e-9)


def test_exponential_gain_is_that_of_ir_measures_with_gains_spelled_out() -> None:
    run, qrels = data(11, 60)
    # Its own 'exp-log2' runs a perl script that rounds to five digits and takes numbered queries alone.
    measure = ir_measures.parse_measure("nDCG@10")(gains={2: 3, 3: 7})
    name = "nDCG(dcg='exp-log2')@10"
    found = evaluate_run(run, qrels, [name])
    for metric in ir_measures.iter_calc([measure], qrels, run):
        place = found.query_ids.index(metric.query_id)
        assert found.values[name][place] == pytest.approx(metric.value, abs=1e-9)


@pytest.mark.parametrize(("alpha", "levels"), [(0.5, 3), (0.3, 1_000_000), (0.0, 3), (1.0, 3)])
def test_pyndeval_gives_the_same(alpha: float, levels: int) -> None:
    ties = "ascending" if levels == 3 else "trec"
    run, qrels = data(levels + 3, levels)
    if levels > 3:
        run = {q: {doc: score + rank for rank, (doc, score) in enumerate(docs.items())} for q, docs in run.items()}
    random = Random(levels)
    # Nugget ids are the same under all queries: their number grows a table in pyndeval.
    nuggets = {
        query_id: {
            f"n{number}": {doc: random.randint(0, 2) for doc in random.sample(sorted(docs), max(1, len(docs) // 3))}
            for number in range(random.randint(1, 6))
        }
        for query_id, docs in qrels.items()
    }
    rows = [
        (query_id, name, doc, rel)
        for query_id, facts in nuggets.items()
        for name in sorted(facts)
        for doc, rel in facts[name].items()
    ]
    ranked = [(query_id, doc, float(score)) for query_id, docs in run.items() for doc, score in docs.items()]
    cutoffs = (1, 2, 3, 5, 10, 20)
    theirs = [f"{name}@{k}" for name in ("alpha-nDCG", "strec") for k in cutoffs]
    ours = [f"alpha_nDCG(alpha={alpha})@{k}" for k in cutoffs] + [f"StRecall@{k}" for k in cutoffs]
    expected = pyndeval.ndeval(rows, ranked, theirs, alpha=alpha)
    found = evaluate_run(run, None, ours, nuggets=nuggets, ties=ties)
    assert set(expected) == set(found.query_ids)
    for name, values in zip(theirs, found.values.values(), strict=True):
        assert values == pytest.approx([expected[q][name] for q in found.query_ids], abs=1e-12)


def test_a_plain_sort_gives_the_same_ranks() -> None:
    run, qrels = data(13, 6)

    def ranking(docs: dict[str, float], ties: str) -> list[str]:
        named = list(docs) if ties == "order" else sorted(docs, reverse=ties != "ascending")
        return sorted(named, key=lambda doc: -docs[doc])

    as_lists: ScoredRun = {query_id: list(docs.items()) for query_id, docs in run.items()}
    for ties, given in product(("trec", "ascending", "order", "float32"), (run, as_lists)):
        found = evaluate_run(given, qrels, ["RR", "R@10"], ties=ties)
        for query_id, rr, recall in zip(found.query_ids, found.values["RR"], found.values["R@10"], strict=True):
            relevant = {doc for doc, rel in qrels[query_id].items() if rel > 0}
            order = ranking(run[query_id], ties)
            assert rr == next((1 / rank for rank, doc in enumerate(order, 1) if doc in relevant), 0), ties
            assert recall == (len(relevant & set(order[:10])) / len(relevant) if relevant else 0), ties
