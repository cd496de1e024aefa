"""Two people on a benchmark: what they agree on, and what other commands read of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ragaliq.build.audit.support_strata import PairCounts
from ragaliq.review.export import export_labels
from ragaliq.review.held import held_labels
from ragaliq.review.rater_agreement import agreement_rows
from ragaliq.review.reviewed import benchmark_reviews
from ragaliq.review.sampling import Place
from ragaliq.review.sheets import Choice
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.sources.runs import Runs
from ragaliq.review.values import ReviewTask
from ragaliq.types import (
    AgreementRow,
    ReviewedNuggets,
    ReviewedSupport,
    ReviewedTranslation,
    SupportReview,
    TranslationReview,
)
from unit.review.benches import bench_session, write_bench
from unit.review.small import session, write_runs


def marks(
    hallucinated: list[str] | None = None, redundant: list[str] | None = None, missing: int = 0
) -> dict[str, Any]:
    return {"hallucinated": hallucinated or [], "redundant": redundant or [], "missing": missing}


def judge(bench: Path, task: ReviewTask, rater: str, values: Mapping[Place, Any]) -> None:
    langs = tuple({place.lang for place in values})
    with bench_session(bench, task, Choice(langs), rater) as own:
        for place, value in values.items():
            own.judge(next(sheet.sheet_id for sheet in own.sheets if place in sheet.places), value)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    return write_bench(tmp_path / "bench")


def test_agreement_on_nuggets_by_hand(bench: Path) -> None:
    """q1, q2 (one nugget each) and q7 (two) in Russian by both; q3 by one alone."""
    q = {number: Place("", "ru", f"q{number}") for number in (1, 2, 3, 7)}
    ada = {q[1]: marks(["q1-1"]), q[2]: marks(), q[7]: marks(["q7-1"], ["q7-2"], 1), q[3]: marks(missing=9)}
    bo = {q[1]: marks(["q1-1"]), q[2]: marks(missing=1), q[7]: marks([], ["q7-2"], 1)}
    judge(bench, ReviewTask.NUGGETS, "ada", ada)
    judge(bench, ReviewTask.NUGGETS, "bo", bo)
    source = BenchmarkSource(bench)
    rows = {row.what: row for row in agreement_rows(source, held_labels(source).held)}
    assert [(row.what, row.lang, row.n, row.n_raters) for row in rows.values()] == [
        ("hallucinated", "ru", 4, 2), ("redundant", "ru", 4, 2), ("missing", "ru", 3, 2),
    ]  # fmt: skip
    # Hallucinated: yes/yes, no/no, yes/no, no/no. Observed 3/4, expected 2/4 · 1/4 + 2/4 · 3/4.
    assert rows["hallucinated"].exact == 3 / 4
    assert rows["hallucinated"].cohen_kappa == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert rows["hallucinated"].ordinal_alpha is None
    assert (rows["redundant"].exact, rows["redundant"].cohen_kappa, rows["redundant"].alpha) == (1.0, 1.0, 1.0)
    # Missing: 0/0, 0/1, 1/1. Three of each; 2 of 6 coincidences are unlike.
    assert rows["missing"].exact == 2 / 3
    assert rows["missing"].alpha == rows["missing"].ordinal_alpha == pytest.approx(1 - 5 * 2 / (2 * 3 * 3))


def test_agreement_on_support_and_translation_by_language_and_over_all(bench: Path) -> None:
    with bench_session(bench, ReviewTask.SUPPORT, Choice(("de", "zh"))) as own:
        by_lang = {lang: [one.places[0] for one in own.sheets if one.lang == lang][:2] for lang in ("de", "zh")}
    german, chinese = by_lang["de"], by_lang["zh"]
    judge(bench, ReviewTask.SUPPORT, "ada", {german[0]: "relevant", german[1]: "not", chinese[0]: "partial"})
    judge(bench, ReviewTask.SUPPORT, "bo", {german[0]: "relevant", german[1]: "partial", chinese[0]: "partial"})
    place = Place("", "fr", "q1", "query q1")
    judge(bench, ReviewTask.TRANSLATION, "ada", {place: {"label": "good", "edits": []}})
    judge(bench, ReviewTask.TRANSLATION, "bo", {place: {"label": "wrong", "edits": []}})
    exported = export_labels(BenchmarkSource(bench), bench.parent / "out")
    assert [(path.name, count) for path, count in exported.files] == [("support.jsonl", 6), ("translation.jsonl", 2)]
    found = [(row.what, row.lang, row.n, row.exact) for row in exported.agreement]
    assert found == [("support", "all", 3, 2 / 3), ("support", "de", 2, 1 / 2), ("support", "zh", 1, 1.0),
                     ("translation", "fr", 1, 0.0)]  # fmt: skip
    # Over all: (2, 2), (0, 1), (1, 1). Observed 2/3, expected (1·1 + 1·2 + 0·1) / 9 for 2, 1, 0.
    assert exported.agreement[0].cohen_kappa == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9))
    # Ratings: one 0, three 1, two 2, at .5, 2.5 and 5; squared distances 4 (0, 1), 20.25 (0, 2), 6.25 (1, 2).
    expected = 2 * (1 * 3 * 4 + 1 * 2 * 20.25 + 3 * 2 * 6.25)
    assert exported.agreement[0].ordinal_alpha == pytest.approx(1 - 5 * (2 * 4) / expected)
    written = json.loads((bench.parent / "out" / "agreement.json").read_text())
    assert [AgreementRow(**row) for row in written] == list(exported.agreement)
    # One person's labels agree with nobody's, and the earlier table goes.
    assert export_labels(BenchmarkSource(bench), bench.parent / "out", "ada").agreement == ()
    assert not (bench.parent / "out" / "agreement.json").exists()


def test_an_answer_of_two_systems_counts_once(tmp_path: Path) -> None:
    write_runs(tmp_path, queries=1)
    for rater, grade in (("ada", 4), ("bo", 4)):
        with session(tmp_path, choice=Choice(("ru",)), rater=rater) as own:
            for sheet in own.sheets:
                own.judge(sheet.sheet_id, grade)
    (row,) = agreement_rows(Runs(tmp_path), held_labels(Runs(tmp_path)).held)
    assert (row.task, row.what, row.lang, row.n, row.exact) == ("grade", "grade", "ru", 1, 1.0)


def test_other_commands_read_the_latest_of_each_rater_that_holds(bench: Path) -> None:
    assert not benchmark_reviews(bench).raters
    q7, q1 = Place("", "de", "q7"), Place("", "de", "q1")
    judge(bench, ReviewTask.NUGGETS, "ada", {q7: marks(["q7-2"]), q1: marks()})
    judge(bench, ReviewTask.NUGGETS, "ada", {q7: marks([], ["q7-1"], 2)})
    judge(bench, ReviewTask.NUGGETS, "bo", {q7: marks()})
    nothing: frozenset[str] = frozenset()
    both = ("q7-1", "q7-2")
    expected = [
        ReviewedNuggets("q1", "de", "ada", ("q1-1",), nothing, nothing, 0),
        ReviewedNuggets("q7", "de", "ada", both, nothing, frozenset({"q7-1"}), 2),
        ReviewedNuggets("q7", "de", "bo", both, nothing, nothing, 0),
    ]
    assert benchmark_reviews(bench).nuggets == expected
    with bench_session(bench, ReviewTask.SUPPORT, Choice(("zh",))) as own:
        pair = next(one.places[0] for one in own.sheets if one.places[0].item == "q6-1 food-02")
        own.judge(own.sheets[0].sheet_id, None, "a note is no judgement")
    judge(bench, ReviewTask.SUPPORT, "ada", {pair: "partial"})
    assert benchmark_reviews(bench).support == [
        ReviewedSupport("q6", "zh", "ada", "q6-1", "food-02", SupportReview.PARTIAL, True)
    ]
    chunk = Place("", "es", "stay-01", "chunk stay-01")
    judge(bench, ReviewTask.TRANSLATION, "bo", {chunk: {"label": "minor", "edits": []}})
    assert benchmark_reviews(bench).translations == [
        ReviewedTranslation("chunk stay-01", "stay-01", "es", "bo", TranslationReview.MINOR)
    ]
    # Nugget q7-1 is written anew: what people said of the old one no longer counts.
    path = bench / "nuggets" / "de.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("9 Euro", "19 Euro"), encoding="utf-8")
    assert benchmark_reviews(bench).nuggets == expected[:1]
    assert export_labels(BenchmarkSource(bench), bench.parent / "out").n_stale == 2
    # What the audit takes: the same, with the pairs that were drawn from.
    reviews = benchmark_reviews(bench)
    assert reviews.n_stale == 2
    assert reviews.pairs["zh", "q7"] == PairCounts(2, 4, 2)
    assert {lang for lang, _ in reviews.pairs} == {"zh"}
