"""Runs under judgements: which queries count, and what is told."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.experiment.effort import Seconds, Spent
from ragaliq.experiment.figures.measured_run import MeasuredRun
from ragaliq.experiment.judgements import Judgements, measure_run, of_collection, of_file
from ragaliq.experiment.run_file import KIND
from ragaliq.metrics.retrieval.measures import parse_measure
from unit.experiment.small import collection

RUN = "q1 Q0 boat 1 2.0 t\nq2 Q0 dogs 1 2.0 t\nq2 Q0 kitchen 2 1.0 t\nq3 Q0 dogs 1 1.0 t\n"


def measured(path: Path, judgements: Judgements, *names: str, text: str = RUN, made_here: bool = False) -> MeasuredRun:
    path.write_text(text, encoding="utf-8")
    return measure_run(path, judgements, list(map(parse_measure, names)), more=("P@1",), made_here=made_here)


def test_queries_are_those_of_the_qrels_unless_a_measure_reads_nuggets(tmp_path: Path) -> None:
    whole = collection("zh")
    judgements = of_collection(replace(whole, nuggets=tuple(n for n in whole.nuggets if n.query_id != "q2")))
    found = measured(tmp_path / "r.trec", judgements, "RR").evaluation
    assert (found.query_ids, found.mean("RR")) == (("q1", "q2", "q3"), (1 + 1 / 2 + 1) / 3)
    found = measured(tmp_path / "r.trec", judgements, "RR", "Coverage@20").evaluation
    assert (found.query_ids, found.mean("RR"), found.n_extra) == (("q1", "q3"), 1.0, 1)
    # What is kept beside follows the measures that were asked for.
    assert found.mean("P@1") == 1.0


def test_a_collection_with_nuggets_alone_has_the_sums_over_them_for_relevance() -> None:
    judgements = of_collection(collection("ru", qrels={}))
    assert judgements.qrels == {"q1": {"boat": 2}, "q2": {"kitchen": 2}, "q3": {"dogs": 2}}
    assert judgements.name == "small (ru)"


def test_the_measures_that_are_taken_unless_others_are_named(tmp_path: Path) -> None:
    (tmp_path / "nuggets.txt").write_text("q1 n1 d1 1\n")
    (tmp_path / "plain.txt").write_text("q1 0 d1 1\n")
    assert of_file(tmp_path / "nuggets.txt").defaults == ("alpha_nDCG@10", "Coverage@20", "R@50")
    assert of_file(tmp_path / "plain.txt").defaults == ("nDCG@10", "R@100", "AP", "RR")
    assert of_collection(collection(nuggets=())).defaults == ("nDCG@10", "R@100", "AP", "RR")


def test_ties_are_told_of_what_was_asked_for_alone(tmp_path: Path) -> None:
    tied = "".join(f"q{n} Q0 {doc} 1 1.0 t\n" for n in (1, 2, 3) for doc in ("a", "b"))
    judgements = of_collection(collection(nuggets=()))
    names = [finding.partition(":")[0] for finding in measured(tmp_path / "r", judgements, "RR", text=tied).findings]
    assert "warning[tied-scores]" not in names
    found = measured(tmp_path / "r", judgements, "Success@1", text=tied)
    assert "the cut of Success@1 falls" in found.findings[-1]


def test_a_run_made_here_may_hold_nothing_and_its_own_documents_were_told_of(tmp_path: Path) -> None:
    judgements = of_collection(collection(nuggets=()))
    with pytest.raises(InputError, match="holds no query"):
        measured(tmp_path / "r", judgements, "RR", text="")
    found = measured(tmp_path / "r", judgements, "RR", text="", made_here=True)
    assert (found.evaluation.mean("RR"), found.evaluation.n_missing, found.findings) == (0.0, 3, ())
    selves = "".join(f"q{n} Q0 {doc} {rank} {-rank} t\n" for n, own in ((1, "boat"), (2, "kitchen"), (3, "dogs"))
                     for rank, doc in ((1, f"q{n}"), (2, own)))  # fmt: skip
    assert "warning[self-match]" in measured(tmp_path / "r", judgements, "RR", text=selves).findings[0]
    assert measured(tmp_path / "r", judgements, "RR", text=selves, made_here=True).findings == ()


def test_the_manifest_beside_a_run_tells_of_another_language_and_of_a_stop(tmp_path: Path) -> None:
    path, english = tmp_path / "r.trec", of_collection(collection("en", nuggets=()))
    manifest = {"kind": KIND, "finished": False, "data": {"lang": "ru", "n_queries": 7},
                "seconds": asdict(Seconds()), "spent": asdict(Spent())}  # fmt: skip
    beside = tmp_path / "r.trec.json"
    beside.write_text(json.dumps(manifest), encoding="utf-8")
    assert measured(path, english, "RR").findings == (
        f"warning[language]: {path}: was made in 'ru', and small (en) is in 'en'; take the judgements of 'ru' with "
        "--lang",
        f"warning[unfinished-run]: {path} is a stopped run (3 of 7 queries); repeat the retrieve command",
    )
    assert measured(path, english, "RR", made_here=True).findings == ()
    assert len(measured(path, Judgements("qrels.txt", english.qrels), "RR").findings) == 1
    for other in ("{", "[1]", json.dumps({**manifest, "data": {"lang": "en"}, "finished": True})):
        beside.write_text(other, encoding="utf-8")
        assert measured(path, english, "RR").findings == ()
