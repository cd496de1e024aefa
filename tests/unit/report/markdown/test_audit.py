import json
from dataclasses import replace
from pathlib import Path

from ragaliq.benchmark.load import load_benchmark
from ragaliq.build.audit.audit import audit_benchmark
from ragaliq.build.audit.combined_raters import Reviews
from ragaliq.build.audit.support_strata import PairCounts
from ragaliq.build.parity.parity_file import LanguageParity, Parity
from ragaliq.build.parity.parity_rows import ItemShift
from ragaliq.report.markdown.audit import audit_summary, write_audit
from ragaliq.types import (
    AgreementRow,
    ReviewedNuggets,
    ReviewedSupport,
    ReviewedTranslation,
    SupportReview,
    TranslationReview,
)
from small import write_small

PARITY = Parity(
    33,
    148,
    (LanguageParity("de", 148, 2, 1, 7.4), LanguageParity("en", 148, 0, 0, 7.4)),
    (ItemShift("q007", "de", -5.25, 0.0004, True),),
)


def reviews() -> Reviews:
    redundant = {1: frozenset({"b"}), 2: frozenset[str]()}
    nuggets = [
        ReviewedNuggets(f"q{place}", "de", rater, ("a", "b"), frozenset(), redundant[place], 0)
        for place in redundant
        for rater in ("ada", "bo")
    ]
    support = [
        ReviewedSupport("camp-1", lang, "ada", "camp-1-1", "d", SupportReview.PARTIAL, True) for lang in ("de", "en")
    ]
    texts = [ReviewedTranslation("query q1", "q1", "de", "ada", TranslationReview.GOOD)]
    rows = [AgreementRow("nuggets", what, "de", 4, 2, 1.0, None, None, None) for what in ("hallucinated", "redundant")]
    pairs = {(lang, "camp-1"): PairCounts(1, 1, 1) for lang in ("de", "en")}
    return Reviews(nuggets, support, texts, rows, pairs)


def test_every_figure_has_its_n_and_what_is_missing_has_its_command(tmp_path: Path) -> None:
    folder = write_small(tmp_path / "bench")
    audit = audit_benchmark(load_benchmark(folder), replace(reviews(), translations=()), PARITY, True)
    lines = audit_summary(audit, folder).splitlines()
    assert lines[0].startswith("de: nuggets: precision 0.750 (")
    assert lines[0].endswith("n = 4 nuggets of 2 of 7 queries")
    assert any(line.startswith("all: judge: precision ") for line in lines)
    assert not audit.notes
    assert "parity: 1 of 296 items by language are unequal, about 15 would be by chance" in "\n".join(lines)
    assert lines[-1] == f"quality of the translations: not reviewed; `ragaliq review {folder} --task translation`"


def test_it_says_that_a_review_begins_with_unequal_items(tmp_path: Path) -> None:
    folder = write_small(tmp_path / "bench")
    flagged = replace(PARITY, flagged=(ItemShift("q1", "de", -5.25, 0.0004, True),))
    (note,) = audit_benchmark(load_benchmark(folder), reviews(), flagged, True).notes
    assert note.startswith("1 of 4 reviewed items are unequal, as are 1 of all 296")


def test_reviewed_translations_begin_with_unequal_items_too(tmp_path: Path) -> None:
    flagged = replace(PARITY, flagged=(ItemShift("q1", "zh", -5.25, 0.0004, True),))
    # Two texts of q1, one of q2, and a chunk, which is no item.
    names = (("query q1", "q1"), ("nugget q1-1", "q1"), ("reference q2", "q2"), ("chunk q3", "q3"))
    texts = [ReviewedTranslation(name, query_id, "zh", "ada", TranslationReview.GOOD) for name, query_id in names]
    audit = audit_benchmark(load_benchmark(write_small(tmp_path)), Reviews(translations=texts), flagged, True)
    (note,) = audit.notes
    assert note.startswith("1 of 2 reviewed items are unequal, as are 1 of all 296")


def test_raters_of_different_items_are_told_what_makes_agreement_known(tmp_path: Path) -> None:
    benchmark = load_benchmark(write_small(tmp_path))
    for lang in ("en", "de", "fr", "es", "ru", "zh"):
        texts = [ReviewedTranslation(f"query {query_id}", query_id, lang, rater, TranslationReview.GOOD)
                 for query_id, rater in (("q1", "ada"), ("q2", "bo"))]  # fmt: skip
        missing = audit_benchmark(benchmark, Reviews(translations=texts), PARITY, True).missing
        assert missing[-1] == (
            "agreement of raters: no item was judged by two; `ragaliq review DIR --task translation --rater NAME` "
            "with another's --sample and --seed"
        )
    assert not any("agreement" in line for line in audit_benchmark(benchmark, reviews(), PARITY, True).missing)
    assert not any("agreement" in line for line in audit_benchmark(benchmark, Reviews(), PARITY, True).missing)


def test_the_files_hold_the_same_figures_twice_over(tmp_path: Path) -> None:
    folder = write_small(tmp_path / "bench")
    audit = audit_benchmark(load_benchmark(folder), reviews(), PARITY, True)
    write_audit(folder, audit)
    first = (folder / "audit.json").read_bytes(), (folder / "audit.md").read_bytes()
    write_audit(folder, audit)
    assert first == ((folder / "audit.json").read_bytes(), (folder / "audit.md").read_bytes())
    figures = json.loads(first[0])
    assert figures["raters"] == ["ada", "bo"]
    assert figures["nuggets"][0]["quality"]["precision"]["value"] == 0.75
    assert [row["what"] for row in figures["agreement"]] == ["hallucinated", "redundant"]
    text = first[1].decode()
    assert "| de     | last    |         2 |           1 |              0 |" in text
    assert "| de     | q007    |    -5.2 | 0.0004 |" in text
    assert "## Not known" not in text


def test_texts_of_a_query_are_one_cluster(tmp_path: Path) -> None:
    """Ten texts of each of four queries, all alike: four things are known, not forty."""
    labels = (TranslationReview.GOOD, TranslationReview.GOOD, TranslationReview.GOOD, TranslationReview.WRONG)
    texts = [ReviewedTranslation(f"nugget q{query}-{number}", f"q{query}", "zh", "ada", label)
             for query, label in enumerate(labels) for number in range(10)]  # fmt: skip
    audit = audit_benchmark(load_benchmark(write_small(tmp_path)), Reviews(translations=texts), PARITY, True)
    (row,) = audit.translations
    assert (row.n, row.good.value, row.good.n_queries) == (40, 0.75, 4)
    assert row.good.effective < 5
    assert row.good.interval is not None
    assert row.good.interval.low < 0.4


def test_commands_are_those_that_this_benchmark_can_run(tmp_path: Path) -> None:
    benchmark, parity = load_benchmark(write_small(tmp_path)), replace(PARITY, languages=(), flagged=())
    text = ReviewedSupport("q1", "de", "ada", "q1-1", "d", SupportReview.NOT, True)
    missing = audit_benchmark(benchmark, Reviews(support=[text]), parity, False).missing
    assert missing == (
        "quality of the nuggets: not reviewed; `ragaliq review DIR --task nuggets`",
        "agreement of raters: one rater; a second one: `ragaliq review DIR --task support --rater NAME`",
    )


def test_judgements_of_changed_texts_are_counted(tmp_path: Path) -> None:
    notes = audit_benchmark(load_benchmark(write_small(tmp_path)), Reviews(n_stale=3), PARITY, True).notes
    assert notes == ("3 judgements do not count: their texts have changed since",)
