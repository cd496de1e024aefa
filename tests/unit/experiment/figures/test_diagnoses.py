"""The reading guide: each pattern is told where it is seen, and nowhere else."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.experiment.figures.diagnoses import Beside, Diagnosis, contamination, diagnose
from ragaliq.experiment.figures.reference_figures import rows_for

VALUES = st.none() | st.floats(0, 1)
NAMES = ("nDCG@10", "alpha_nDCG@10", "R@100", "R@50", "R@5", "RR", "AP", "Judged@10")
MEANS = st.dictionaries(st.sampled_from(NAMES), VALUES)


def names(found: list[Diagnosis]) -> list[str]:
    return [diagnosis.name for diagnosis in found]


def test_e14_the_first_value_comes_first() -> None:
    found = diagnose({"AP": 0.3, "nDCG@10": 0.5, "R@100": 0.6})
    text = "nDCG@10 0.5000 is the value to read first; recall tells coverage, AP and RR are secondary"
    assert found == [Diagnosis("read-first", text)]
    assert diagnose({"alpha_nDCG@10": 0.3})[0].text.startswith("alpha_nDCG@10 0.3000")
    assert diagnose({"AP": 0.5, "nDCG@10": None}) == diagnose({}) == []


def test_e14_high_recall_and_low_ndcg_is_ranking() -> None:
    # BM25 on Cranfield.
    found = diagnose({"nDCG@10": 0.3227, "R@100": 0.7212, "AP": 0.2883, "RR": 0.5183})
    assert names(found) == ["read-first", "ranking"]
    assert found[1].text == ("R@100 0.7212 is high and nDCG@10 0.3227 low: ranking, not coverage; a reranker can gain")


def test_e14_the_borders_of_coverage_and_ranking() -> None:
    cases: list[tuple[float, float, list[str]]] = [
        (0.70, 0.40, ["ranking"]),
        (0.70, 0.41, []),
        (0.69, 0.30, []),
        (0.50, 0.10, []),
        (0.49, 0.10, ["coverage"]),
        (0.49, 0.48, ["coverage"]),
        (1.00, 1.00, []),
    ]  # fmt: skip
    for recall, ndcg, seen in cases:
        assert names(diagnose({"R@100": recall, "nDCG@10": ndcg}))[1:] == seen


def test_e14_the_deepest_recall_tells_coverage_and_a_shallow_one_nothing() -> None:
    assert names(diagnose({"R@5": 0.1, "R@10": 0.2})) == []
    assert names(diagnose({"R@5": 0.1, "R@50": 0.3})) == ["coverage"]
    assert names(diagnose({"R@50": 0.3, "R@1000": 0.9, "R@100": None})) == []


def test_e14_a_recall_below_the_depth_of_the_run_is_not_named() -> None:
    values = {"R@50": 0.3, "R@100": 0.3}
    (found,) = diagnose(values, Beside(depth=50))
    assert found.text.startswith("R@50 0.3000 is low")
    (found,) = diagnose(values, Beside(depth=100))
    assert found.text.startswith("R@100 0.3000 is low")
    assert diagnose({"R@100": 0.3}, Beside(depth=50)) == []


def test_e14_high_rr_and_low_ndcg_misses_others() -> None:
    for rr, ndcg, seen in ((0.9, 0.5, True), (0.5, 0.3, True), (0.49, 0.1, False), (0.9, 0.71, False)):
        assert ("misses" in names(diagnose({"RR": rr, "nDCG@10": ndcg}))) is seen


def test_e14_a_system_below_bm25() -> None:
    beside = Beside(bm25={"nDCG@10": 0.4}, worse_than_bm25=True)
    (_, found) = diagnose({"nDCG@10": 0.3999}, beside)
    assert found.name == "below-bm25" and "look for a mistake (prefixes, truncation" in found.text
    assert names(diagnose({"nDCG@10": 0.4}, beside)) == ["read-first"]
    # A lower value alone may be chance.
    assert names(diagnose({"nDCG@10": 0.1}, Beside(bm25={"nDCG@10": 0.4}))) == ["read-first"]
    lexical = diagnose({"nDCG@10": 0.3}, Beside(bm25={"nDCG@10": 0.4}, worse_than_bm25=True, lexical=True))
    assert lexical[1].text == "nDCG@10 0.3000 is below BM25's 0.4000: look for a mistake before tuning"


def test_f5_recall_at_the_depth_of_reranking_is_the_first_stages() -> None:
    beside = Beside(first_stage={"nDCG@10": 0.3, "R@20": 0.4, "R@50": 0.6, "R@100": 0.7}, rerank_depth=50)
    same = diagnose({"nDCG@10": 0.5, "R@20": 0.5, "R@50": 0.6, "R@100": 0.7}, beside)
    # Below the depth recall may change.
    assert names(same) == ["read-first", "reranked", "reranked"]
    assert same[1].text == "R@50 0.6000 is the first stage's, as it must be: only 50 were reordered"
    changed = diagnose({"R@50": 0.633}, beside)
    assert names(changed) == ["reranked-changed"]
    assert "R@50 0.6330 is not the first stage's 0.6000" in changed[0].text
    assert diagnose({"R@50": 0.6}, Beside(first_stage={"R@50": 0.6})) == []


def test_f2_holes_are_told_beside_the_values() -> None:
    assert names(diagnose({"Judged@10": 0.79})) == ["holes"]
    (only,) = diagnose({"Judged@50": 0.2, "Judged@10": 0.5})
    assert only.text.startswith("Judged@10 0.5000")
    assert diagnose({"Judged@50": 0.2, "Judged@10": 0.9}) == []
    assert diagnose({"Judged@10": 0.8, "Judged@20": None}) == []


def test_f2_few_judged_documents_by_design_are_no_holes() -> None:
    # SciFact: one judged document for most queries.
    assert diagnose({"Judged@10": 0.1087}, Beside(attainable={"Judged@10": 0.113})) == []
    assert diagnose({"Judged@10": 0.1}, Beside(attainable={"Judged@10": 0.79})) == []
    # .8 · .9 = .72
    assert diagnose({"Judged@10": 0.73}, Beside(attainable={"Judged@10": 0.9})) == []
    assert names(diagnose({"Judged@10": 0.71}, Beside(attainable={"Judged@10": 0.9}))) == ["holes"]


def test_ties_at_the_cut() -> None:
    (found,) = diagnose({}, Beside(tied=0.12))
    assert found.name == "tied-scores" and "12%" in found.text
    assert diagnose({}, Beside(tied=0.04)) == []


def test_c24_the_oracle_and_the_gap() -> None:
    (_, found) = diagnose({"alpha_nDCG@10": 0.397}, Beside(oracle={"alpha_nDCG@10": 0.519}))
    assert found.name == "headroom"
    assert "system 0.3970, best oracle 0.5190, gap 0.1220" in found.text
    (_, none) = diagnose({"nDCG@10": 0.6}, Beside(oracle={"nDCG@10": 0.6}))
    assert "no headroom" in none.text


def test_c31_closed_book_answers_above_sub_questions_are_a_sign() -> None:
    for topic in ("langchain", "yolo", "laravel", "angular", "godot"):
        fusion = {row.setting: row.value for row in rows_for(topic)
                  if row.system == "Fusion (4 models)" and row.measure == "alpha_nDCG@10"}  # fmt: skip
        beside = Beside(
            closed_book={"alpha_nDCG@10": fusion["inference: closed-book answer"]},
            sub_questions={"alpha_nDCG@10": fusion["inference: sub-questions"]},
        )
        found = names(diagnose({"alpha_nDCG@10": fusion["question"]}, beside))
        # The paper suspects Yolo alone.
        assert ("contamination" in found) is (topic == "yolo")


@settings(max_examples=25, deadline=None)
@given(MEANS, MEANS, MEANS, MEANS, st.integers(0, 100), st.floats(0, 1))
def test_any_values_give_lines(
    values: dict[str, float | None],
    bm25: dict[str, float | None],
    first: dict[str, float | None],
    oracle: dict[str, float | None],
    depth: int,
    tied: float,
) -> None:
    found = diagnose(values, Beside(bm25, first, depth, oracle, bm25, first, tied))
    assert found == diagnose(dict(reversed(values.items())), Beside(bm25, first, depth, oracle, bm25, first, tied))
    assert all(diagnosis.text and "\n" not in diagnosis.text for diagnosis in found)
    assert not {"ranking", "coverage"} <= set(names(found))


def test_a3_the_contamination_field_tells_date_public_and_leaderboards() -> None:
    line = contamination("BeIR/nq")
    assert line == (
        "nq: questions and judgements of 2019, published in this form in 2021; public; leaderboards: BEIR, MTEB; has "
        "training judgements, which models are trained on; a high value may come from tuning on it; check it on data "
        "of your own"
    )
    assert "on application only" in contamination("robust04")
    assert "suspect contamination" in contamination("yolo")
    assert "none known to us" in contamination("mmarco-de")


def test_a3_of_an_unknown_data_set_nothing_is_claimed() -> None:
    assert contamination("velmora") == (
        "velmora: not in the catalogue; whether models or choices were tuned on it is not known"
    )
