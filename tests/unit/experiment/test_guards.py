"""Guards: each symptom is made first, and then the guard names it."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.experiment.guards import (
    Finding,
    Spelling,
    run_findings,
    spellings,
    tied_scores,
    unsorted_run,
)
from ragaliq.formats.trec.qrels import read_qrels
from ragaliq.formats.trec.run import read_ranked_run
from ragaliq.metrics.retrieval.measures import parse_measure
from ragaliq.metrics.retrieval.ranking import Evaluation, evaluate_run

IDS = st.text("0123456789abcDE@.-дé零", min_size=1, max_size=6)


def ranked(*doc_ids: str) -> dict[str, float]:
    return {doc_id: -float(place) for place, doc_id in enumerate(doc_ids)}


def values(
    run: Mapping[str, Mapping[str, float]], qrels: Mapping[str, Mapping[str, int]], *names: str, ties: str = "trec"
) -> Evaluation:
    return evaluate_run(run, qrels, [parse_measure(name) for name in names], ties=ties)


def names(findings: Sequence[Finding]) -> list[str]:
    return [finding.name for finding in findings]


def test_a_finding_is_one_named_line() -> None:
    assert str(Finding("self-match", "seen", "do this")) == "warning[self-match]: seen; do this"


def test_a_run_that_fits_its_judgements_raises_no_finding() -> None:
    run = {"q1": ranked("d1", "d2"), "q2": ranked("d3")}
    assert run_findings(run, {"q1": {"d2": 1}, "q2": {"d3": 2, "d4": 1}}) == []


# Wrong split: values of 0 where a mean over the queries in common would look fine.


def test_judgements_of_another_split_are_an_error_with_an_id_of_each_side() -> None:
    run, qrels = {"dev-1": ranked("d1")}, {"test-7": {"d1": 1}, "test-8": {"d2": 1}}
    assert values(run, qrels, "nDCG@10", "R@100").mean("nDCG@10") == 0
    with pytest.raises(InputError) as error:
        run_findings(run, qrels, "bm25.trec", "test.tsv")
    said = str(error.value)
    assert said.startswith("bm25.trec: error[wrong-split]: none of its 1 queries, such as 'dev-1', is among the 2 of")
    assert "test.tsv, such as 'test-7'; take the judgements of the same split" in said
    assert "\n" not in said


def test_a_run_that_shares_few_queries_with_its_judgements_is_of_another_split() -> None:
    qrels = {f"q{number}": {"d1": 1} for number in range(40)}
    run = {f"q{number}": ranked("d1") for number in range(37, 90)}
    found = values(run, qrels, "RR")
    assert (found.mean("RR"), found.n_missing) == (3 / 40, 37)
    (finding,) = run_findings(run, qrels)
    assert finding.name == "wrong-split"
    assert "37 of the 40 queries of the qrels are not in the run and count 0, such as 'q0'" in finding.text


def test_missing_queries_are_told() -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d1": 1}}
    run = {"q1": ranked("d1"), "q3": ranked("d1")}
    assert values(run, qrels, "RR").mean("RR") == 2 / 3
    assert names(run_findings(run, qrels)) == ["missing-queries"]


def test_nothing_at_all_is_an_error() -> None:
    for run, qrels in [({}, {"q": {"d": 1}}), ({"q": ranked("d")}, {})]:
        with pytest.raises(InputError, match="holds no query; check the file"):
            run_findings(run, qrels)


# Ids written differently: all values are 0, and nothing else tells.


def test_ids_in_two_unicode_forms_look_alike_and_are_told_apart() -> None:
    composed, split = "йод", unicodedata.normalize("NFD", "йод")
    (finding,) = run_findings({"q1": ranked(split)}, {"q1": {composed: 1}})
    assert finding.name == "id-mismatch" and "two Unicode forms" in finding.text
    with pytest.raises(InputError, match=r"error\[id-mismatch\].*two Unicode forms"):
        run_findings({split: ranked("d1")}, {composed: {"d1": 1}})
    (finding,) = run_findings({"q1": ranked("ЙОД")}, {"q1": {composed: 1}})
    assert finding.name == "id-mismatch" and "Unicode" not in finding.text


def test_document_ids_written_differently_are_named_in_pairs() -> None:
    cases = [
        ("123", "doc123"),
        ("7", "007"),
        ("7.0", "7"),
        ("Ärzte-1", "ärzte-1"),
        ("статья-4@ru", "статья-4"),
        ("１２", "12"),
        ("doc_5", "passage_5"),
    ]
    for retrieved, judged in cases:
        run, qrels = {"q1": ranked(retrieved, "x")}, {"q1": {judged: 1}}
        assert values(run, qrels, "R@100").mean("R@100") == 0, retrieved
        (finding,) = run_findings({"q1": ranked(retrieved)}, qrels, "run.trec", "qrels.tsv")
        assert finding.name == "id-mismatch", retrieved
        said = f"none of its documents is judged: '{retrieved}' in the run, '{judged}' in qrels.tsv"
        assert said in finding.text, retrieved
        assert finding.advice.startswith("write ids the same way"), retrieved


def test_documents_of_another_corpus_are_named_too() -> None:
    (finding,) = run_findings({"q1": ranked("wiki-a", "wiki-b")}, {"q1": {"news-c": 1}})
    assert finding.name == "id-mismatch"
    assert "'wiki-a' in the run, 'news-c' in the qrels" in finding.text
    assert "same corpus" in finding.advice


def test_ids_that_lost_their_zeros_are_found_among_others_that_had_none() -> None:
    qrels = {"q1": {"007": 1, "123": 1}, "q2": {"042": 1}, "q3": {"555": 1}}
    run = {"q1": ranked("7", "123"), "q2": ranked("42"), "q3": ranked("555")}
    assert values(run, qrels, "R@10").mean("R@10") == pytest.approx((1 / 2 + 0 + 1) / 3)
    (finding,) = run_findings(run, qrels)
    assert finding.name == "id-mismatch"
    assert "2 judged documents are there by another name: '7' in the run, '007'" in finding.text


def test_query_ids_written_differently_are_an_error_of_that_name() -> None:
    with pytest.raises(InputError, match=r"error\[id-mismatch\]: none of its queries .* has 'q7' for '7'"):
        run_findings({"7": ranked("d1"), "8": ranked("d1")}, {"q7": {"d1": 1}, "q9": {"d2": 1}})


def test_ids_that_are_numbers_are_an_error() -> None:
    for doc_id in [123, 7.0]:
        # As text they would match nothing, and every value would be 0.
        assert values({"q1": ranked(str(doc_id))}, {"q1": {"00123": 1}}, "R@10").mean("R@10") == 0, doc_id
        with pytest.raises(InputError, match=f"{doc_id}.*string"):
            evaluate_run({"q1": {doc_id: 1.0}}, {"q1": {"123": 1, "7": 1}}, ["R@10"])  # type: ignore[dict-item]


def test_numbers_that_differ_are_not_another_spelling() -> None:
    assert spellings(["10", "20"], ["1", "2"]) == []
    assert spellings(["2653#14"], ["2653#140"]) == []
    assert spellings(["arrival-01"], ["lodging-02"]) == []


@given(st.sets(IDS, max_size=8), st.sets(IDS, max_size=8))
def test_spellings_pair_ids_of_both_sides_and_never_an_id_with_itself(left: set[str], right: set[str]) -> None:
    found = spellings(left, right)
    assert all(pair.left in left and pair.right in right and pair.left != pair.right for pair in found)
    assert found == spellings(sorted(left, reverse=True), sorted(right))
    assert {(pair.right, pair.left) for pair in found} == {(pair.left, pair.right) for pair in spellings(right, left)}
    assert spellings(left, left) == []


def test_a_spelling_pairs_the_least_id_of_each_side() -> None:
    assert spellings({"7", "07"}, {"007"}) == [Spelling("07", "007")]


def test_an_id_of_both_sides_has_no_other_spelling() -> None:
    assert spellings({"00", "0"}, {"00", "0"}) == []
    assert spellings({"00"}, {"00", "0"}) == spellings({"00", "0"}, {"00"}) == []
    assert spellings({"00", "7"}, {"00", "07"}) == [Spelling("7", "07")]


# MIRACL's negatives: judged documents that are not relevant.


def test_negatives_inflate_a_recall_that_counts_every_judged_document() -> None:
    qrels = {"q1": {"d1": 1, "n1": 0, "n2": 0, "n3": 0}, "q2": {"d2": 1, "n4": 0}}
    run = {"q1": ranked("n1", "n2", "n3"), "q2": ranked("n4", "d2")}
    assert values(run, qrels, "R@3").mean("R@3") == (0 + 1) / 2
    every = {query_id: dict.fromkeys(judged, 1) for query_id, judged in qrels.items()}
    assert values(run, every, "R@3").mean("R@3") == (3 / 4 + 1) / 2
    (finding,) = run_findings(run, qrels)
    assert finding.name == "miracl-negatives"
    assert str(finding).endswith(
        "4 of 6 judgements are 0; those documents count as judged and not relevant; a recall that counts every judged "
        "document would be too high"
    )


def test_a_few_negatives_are_nothing_to_tell() -> None:
    assert run_findings({"q1": ranked("d1")}, {"q1": {"d1": 1, "d2": 2, "n1": 0}}) == []


@pytest.mark.shared
def test_the_judgements_of_miracl_are_told(shared_data: Path) -> None:
    for lang in ("de", "yo"):
        qrels = read_qrels(shared_data / "ir" / "qrels-and-topics" / f"qrels.miracl-v1.0-{lang}-dev.tsv")
        run = {query_id: ranked(*judged) for query_id, judged in qrels.items()}
        assert names(run_findings(run, qrels)) == ["miracl-negatives"], lang


# Self-match: each query's own text takes the first place.


def test_queries_that_find_themselves_lose_the_first_place() -> None:
    qrels = {"a1": {"d1": 1}, "a2": {"d2": 1}}
    run = {"a1": ranked("a1", "d1"), "a2": ranked("a2", "d2")}
    assert values(run, qrels, "RR").mean("RR") == 1 / 2
    (finding,) = run_findings(run, qrels)
    assert finding.name == "self-match"
    assert "2 of 2 queries find themselves first, such as 'a1'" in finding.text


def test_running_numbers_that_meet_are_no_self_match() -> None:
    run = {str(number): ranked("d", str(number)) for number in range(30)}
    qrels: dict[str, dict[str, int]] = {str(number): {"d": 1} for number in range(30)}
    assert run_findings(run, qrels) == []
    # One of 30 in the first place is an accident, too, and a document judged relevant to its query is a find.
    run["7"] = ranked("7", "d")
    assert run_findings(run, qrels) == []
    qrels = {query_id: {"d": 1, query_id: 1} for query_id in run}
    assert run_findings({query_id: ranked(query_id) for query_id in run}, qrels) == []


# Equal scores at the cut: doc ids decide.


def test_ties_at_the_cut_change_the_value_with_the_tie_rule() -> None:
    run = {"q1": {"a": 1.0, "b": 1.0}, "q2": ranked("a", "b")}
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    found = values(run, qrels, "Success@1")
    assert (found.mean("Success@1"), values(run, qrels, "Success@1", ties="ascending").mean("Success@1")) == (1 / 2, 1)
    (finding,) = tied_scores(found.tied_at_cut, 2, "run.trec")
    assert str(finding) == (
        "warning[tied-scores]: run.trec: in 1 of 2 queries the cut of Success@1 falls between documents of equal "
        "score; their ids decide what counts; write scores with more digits"
    )


def test_few_ties_are_nothing_to_tell() -> None:
    assert tied_scores({"nDCG@10": 4}, 100, "run") == []
    assert names(tied_scores({"nDCG@10": 5, "R@100": 2}, 100, "run")) == ["tied-scores"]
    assert tied_scores({}, 0, "run") == []


# A run whose ranks contradict its scores.


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_distances_written_as_scores_turn_the_ranking_round(tmp_path: Path) -> None:
    path = write(tmp_path / "run.trec", "q1 Q0 good 1 0.1 t", "q1 Q0 fair 2 0.4 t", "q1 Q0 bad 3 0.9 t")
    assert values(read_ranked_run(path).scores, {"q1": {"good": 1}}, "RR").mean("RR") == 1 / 3
    (finding,) = unsorted_run(read_ranked_run(path))
    assert finding.name == "unsorted-run"
    assert "the ranks contradict the scores in 1 of 1 queries, such as 'q1'; scores decide" in finding.text
    assert "with a minus" in finding.advice


def test_the_lines_may_stand_in_any_order(tmp_path: Path) -> None:
    path = write(
        tmp_path / "run.trec", "q2 Q0 b 2 0.4 t", "q1 Q0 a b 1 0.9 t", "", "q2 Q0 a 1 0.9 t", "q1 Q0 č 2 0.9 t"
    )
    assert unsorted_run(read_ranked_run(path)) == []
    assert names(unsorted_run(read_ranked_run(write(path, "q1 Q0 a b 2 0.9 t", "q1 Q0 č 1 0.8 t")))) == ["unsorted-run"]


def test_ranks_that_say_nothing_contradict_nothing(tmp_path: Path) -> None:
    cases = [
        ("q1 Q0 a 0 0.1 t", "q1 Q0 b 0 0.9 t"),
        ("q1 Q0 a - 0.1 t", "q1 Q0 b - 0.9 t"),
        ("q1\ta\t1", "q1\tb\t2"),
        ("q1 Q0 a 1 0.1 t",),
        (),
    ]
    for number, lines in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert unsorted_run(read_ranked_run(write(folder / "run.trec", *lines))) == [], lines


def test_ids_that_count_from_1_under_two_prefixes_are_no_two_spellings() -> None:
    run, qrels = {"q1": ranked("x1", "d2")}, {"q1": {"d1": 1, "d2": 1}}
    assert run_findings(run, qrels) == []
    assert spellings(["x1", "d2"], ["d1", "d2"]) == []
    for left, right in (("doc-1", "1"), ("1", "doc-1"), ("test/doc-1", "doc-1"), ("d1", "test/d1")):
        assert [(pair.left, pair.right) for pair in spellings([left, "both"], [right, "both"])] == [(left, right)]
