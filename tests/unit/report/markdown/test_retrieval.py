"""The report of a retrieval experiment, from values worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragaliq.experiment.figures.measured_run import MeasuredRun
from ragaliq.experiment.figures.study import DataInfo, LanguageRun, Role, Row, Study
from ragaliq.experiment.figures.study_figures import figures
from ragaliq.metrics.retrieval.measures import parse_measure
from ragaliq.metrics.retrieval.ranking import Evaluation
from ragaliq.report.markdown.retrieval import page, study_json, write_report

MEASURES = ("nDCG@10", "R@100")
IDS = tuple(f"q{n}" for n in range(10))


def run(ndcg: Sequence[float], recall: float = 0.9, missing: int = 0, **more: Sequence[float]) -> LanguageRun:
    values = {"nDCG@10": ndcg, "R@100": [recall] * len(ndcg), "Judged@10": [0.5] * len(ndcg), **more}
    arrays = {name: np.asarray(own, dtype=np.float64) for name, own in values.items()}
    evaluation = Evaluation(IDS[: len(ndcg)], arrays, missing, 0, 0, {"nDCG@10": 0})
    measured = MeasuredRun("r", tuple(map(parse_measure, MEASURES)), (parse_measure("Judged@10"),), evaluation)
    return LanguageRun(measured, 0.0125, "r.trec")


LOW, HIGH = [0.2] * 9 + [0.3], [0.6] * 9 + [0.3]


def row(name: str, role: Role = Role.SYSTEM, /, asks: str = "question", **runs: LanguageRun) -> Row:
    return Row(name, f"parts of {name}", role, runs, asks)


def study(*rows: Row, data: str = "mine", **changes: Any) -> Study:
    langs = list(dict.fromkeys(lang for one in rows for lang in one.runs))
    info = {lang: DataInfo(1000, 10, 10) for lang in langs}
    return Study(
        **{"name": "title", "data": data, "split": "test", "top_k": 100, "measures": MEASURES, "rows": rows,
           "languages": info, **changes}
    )  # fmt: skip


def cells(text: str, heading: str, table: int = 0) -> list[list[str]]:
    """The rows of a table under a heading, its header first."""
    section = text.split(f"\n{heading}\n", 1)[1].split("\n## ", 1)[0]
    blocks = [block.strip() for block in section.split("\n\n") if block.strip().startswith("|")]
    lines = [line for line in blocks[table].splitlines() if not line.startswith("|:")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def rendered(own: Study) -> str:
    return page(own, figures(own))


BASE = row("bm25", Role.BASELINE, en=run(LOW), ru=run(LOW), zh=run(HIGH))
GOOD = row("hybrid", en=run(HIGH), ru=run(LOW, missing=2), zh=run(LOW))
ORACLE = row("oracle", Role.ORACLE, "nuggets", en=run([1.0] * 10))


def test_the_table_of_a_language_is_sorted_and_holds_interval_n_and_speed() -> None:
    table = cells(rendered(study(BASE, GOOD, ORACLE)), "## en")
    assert table[0] == ["system", "nDCG@10", "R@100", "Judged@10", "n", "no ranking", "s/query"]
    assert [line[0] for line in table[1:]] == ["hybrid", "bm25 (baseline)", "oracle (oracle)"]
    # (9 · .6 + .3) / 10
    assert table[1][1].startswith("0.5700 [0.")
    assert table[1][3:] == ["0.5000", "10", "0", "0.013"]
    assert cells(rendered(study(BASE, GOOD)), "## ru")[2][5] == "2"


def test_differences_to_the_baseline_have_interval_p_and_counts() -> None:
    found = cells(rendered(study(BASE, GOOD, ORACLE)), "## en", 1)
    assert [line[0] for line in found] == ["system", "hybrid"]
    # .57 − .21 = .36, +171.4 %; of 2^10 assignments of signs 2 of 1024 are as far: mid-p 2^-9 = .002 by halves.
    assert found[1][1].startswith("+0.3600 (+171.4 %) [+0.")
    assert found[1][1].endswith("p=.002 9/1/0 \\*")
    assert found[1][2] == "all tie"


def test_p_values_are_corrected_for_the_systems_of_the_table() -> None:
    alone = figures(study(BASE, GOOD)).differences["en"]["hybrid"]["nDCG@10"]
    others = [row(f"s{n}", en=run(HIGH)) for n in range(3)]
    among = figures(study(BASE, GOOD, *others)).differences["en"]["hybrid"]["nDCG@10"]
    assert alone.p.permutation is not None
    assert among.holm.permutation == pytest.approx(4 * alone.p.permutation)


def test_a_table_across_languages_tells_where_a_system_loses() -> None:
    text = rendered(study(BASE, GOOD, ORACLE))
    table = cells(text, "## Languages: nDCG@10")
    assert table[0] == ["system", "en", "ru", "zh", "mean", "weakest in"]
    by_name = {line[0]: line[1:] for line in table[1:]}
    assert by_name["hybrid"] == [
        "0.5700 (+0.360 \\*)", "0.2100 (+0.000)", "0.2100 (-0.360 \\*)", "0.3300", "zh",
    ]  # fmt: skip
    assert by_name["bm25 (baseline)"] == ["0.2100", "0.2100", "0.5700", "0.3300", "en"]
    assert by_name["oracle (oracle)"] == ["1.0000", "—", "—", "1.0000", "—"]
    assert "## Languages" not in rendered(study(row("one", en=run(HIGH))))


def test_headroom_names_system_oracle_and_gap() -> None:
    table = cells(rendered(study(BASE, GOOD, ORACLE)), "## en", 2)
    assert table[0][:5] == ["lang", "best system", "its value", "best oracle", "the oracle's"]
    assert table[1][:5] == ["en", "hybrid", "0.5700", "oracle", "1.0000"]
    assert table[1][5].startswith("+0.4300 [+0.")
    assert "Headroom" not in rendered(study(BASE, GOOD))


def test_every_measure_is_explained_in_a_line() -> None:
    own = study(row("s", en=run(HIGH)))
    for measure in MEASURES:
        assert f"- `{measure}`: {parse_measure(measure).meaning}" in rendered(own).splitlines()


def test_the_depth_of_reranking_is_printed() -> None:
    reranked = Row("r", "hybrid, the first 50 reranked by lexical", Role.SYSTEM, {"en": run(HIGH)}, reranked=50)
    table = cells(rendered(study(reranked, row("plain", en=run(LOW)))), "## Systems")
    assert table[1:] == [
        ["r", "hybrid, the first 50 reranked by lexical", "question", "first 50"],
        ["plain", "parts of plain", "question", "—"],
    ]


def test_cost_stands_beside_quality_where_endpoints_were_called() -> None:
    paid = run(HIGH)
    paid = LanguageRun(paid.measured, 1.5, "p.trec", tokens_per_query=1234.4, usd_per_query=0.00123)
    table = cells(rendered(study(row("paid", en=paid), row("free", en=run(LOW)))), "## en")
    assert table[0][-3:] == ["s/query", "tokens/query", "USD/query"]
    assert [line[-3:] for line in table[1:]] == [["1.5", "1234", "0.0012"], ["0.013", "—", "—"]]


def test_contamination_has_a_field_for_every_data_set() -> None:
    known = rendered(study(row("s", en=run(HIGH)), data="scifact"))
    assert "leaderboards: BEIR" in known.split("## Contamination\n\n")[1]
    assert "not in the catalogue" in rendered(study(row("s", en=run(HIGH)))).split("## Contamination\n\n")[1]


def test_published_figures_stand_beside_with_their_source() -> None:
    bm25 = Row("bm25", "bm25", Role.BASELINE, {"en": run([0.7] * 10)}, is_bm25=True)
    own = replace(study(bm25, data="scifact"), languages={"en": DataInfo(5183, 300, 300)})
    table = cells(rendered(own), "## Published figures")
    assert table[0] == ["system", "asks", "nDCG@10", "source"]
    assert table[1][:3] == ["BM25", "question", "0.665 (ours +0.035)"]
    assert "section 8" in table[1][3]
    assert table[2][:3] == ["SPLADE++ ED", "question", "0.693"]
    published = study_json(own, figures(own))["published"]
    assert published[0]["ours_minus_published"] == pytest.approx(0.035)
    assert published[1]["ours_minus_published"] is None
    assert "## Published" not in rendered(study(bm25))


def test_freshstack_s_rows_are_told_from_its_oracles() -> None:
    measures = ("alpha_nDCG@10", "Coverage@20", "R@50")
    values = {measure: [0.5] * 10 for measure in measures}
    bm25 = Row("bm25", "bm25", Role.BASELINE, {"en": run([0.1] * 10, 0.9, 0, **values)}, is_bm25=True)
    small = study(with_measures(bm25, measures), data="freshstack-langchain", measures=measures)
    own = replace(small, languages={"en": DataInfo(49510, 203, 203, nuggets_per_query=3.06)})
    table = cells(rendered(own), "## Published figures")
    question = next(line for line in table if line[:2] == ["BM25", "question"])
    assert question[2:5] == ["0.230 (ours +0.270)", "0.475 (ours +0.025)", "0.261 (ours +0.239)"]
    fusion = next(line for line in table if line[0].startswith("Fusion") and line[1] == "oracle: nuggets")
    assert fusion[2:5] == ["0.519", "0.881", "0.655"]
    assert "the source reranks the first 50, yet its R@50 changes" in rendered(own)
    lines = [line for line in rendered(own).splitlines() if line.startswith("The data set as published")]
    counts = "queries 203 (ours 203), documents 49514 (ours 49510), repositories 10, nuggets per query 3.1 (ours 3.06)"
    assert f"table 3: {counts}, tokens per query" in lines[0]
    assert "table 5" in lines[1] and "nugget precision % 90.1, nugget recall % 96.6" in lines[1]
    told = study_json(own, figures(own))["published_statistics"]
    assert [table["values"].get("nugget recall %") for table in told] == [None, 96.6]


def test_a_folder_that_is_only_called_like_a_data_set_has_nothing_to_compare() -> None:
    measures = ("alpha_nDCG@10", "R@50")
    bm25 = Row(
        "bm25",
        "bm25",
        Role.BASELINE,
        {"en": run([0.1] * 10, 0.9, 0, **dict.fromkeys(measures, [0.5] * 10))},
        is_bm25=True,
    )
    own = study(with_measures(bm25, measures), data="langchain", measures=measures)
    cases = [
        (DataInfo(92, 5, 5), "this data has 5 queries, 92 documents, no nuggets per query"),
        (
            DataInfo(49514, 203, 203, nuggets_per_query=1.5),
            "this data has 203 queries, 49514 documents, 1.5 nuggets per query",
        ),
        (
            DataInfo(40000, 203, 203, nuggets_per_query=3.1),
            "this data has 203 queries, 40000 documents, 3.1 nuggets per query",
        ),
    ]
    for info, said in cases:
        other = replace(own, languages={"en": info})
        text = rendered(other).split("## Published figures\n\n")[1].split("\n\n")[0]
        assert text == (
            "None compared: freshstack-langchain has 203 queries, 49514 documents, 3.1 nuggets per query; " + said + "."
        )
        told = study_json(other, figures(other))
        assert (told["published"], told["published_statistics"]) == ([], [])
        assert told["published_not_compared"].endswith(said)


def with_measures(own: Row, measures: Sequence[str]) -> Row:
    def changed(lang_run: LanguageRun) -> LanguageRun:
        old = lang_run.measured
        new = MeasuredRun(old.name, tuple(map(parse_measure, measures)), old.beside, old.evaluation)
        return LanguageRun(new, None, lang_run.file)

    runs: Mapping[str, LanguageRun] = {lang: changed(lang_run) for lang, lang_run in own.runs.items()}
    return Row(own.name, own.parts, own.role, runs, own.asks, is_bm25=own.is_bm25)


def test_a_truncated_corpus_is_flagged_in_the_headings() -> None:
    info = {"en": DataInfo(10, 10, 10, True, ("warning[truncated-corpus]: half of it",)), "zh": DataInfo(9, 10, 10)}
    text = rendered(study(row("s", en=run(HIGH), zh=run(LOW)), languages=info, data="scifact"))
    assert text.startswith("# Retrieval: title — TRUNCATED CORPUS: values are too high\n")
    assert "\n## en — TRUNCATED CORPUS\n" in text
    assert "\n## zh\n" in text
    assert "- warning[truncated-corpus]: half of it" in text
    assert "None compared: scifact has 300 queries, 5183 documents; this data has 10 queries, 10 documents." in text


def test_diagnoses_are_given_for_the_best_system_and_what_is_particular_for_others() -> None:
    first = Row("plain", "hybrid", Role.SYSTEM, {"en": run([0.3] * 10)})
    reranked = Row("reranked", "x", Role.SYSTEM, {"en": run([0.31] * 10)}, reranked=50, first_stage="plain")
    closed = row("closed", asks="closed-book", en=run([0.45] * 10))
    sub = row("sub", asks="subquestions", en=run([0.4] * 10))
    bm25 = row("bm25", Role.BASELINE, en=run([0.35] * 10))
    own = study(bm25, first, reranked, closed, sub)
    text = rendered(own)
    assert "- `plain`: nDCG@10 0.3000 is below BM25's 0.3500" in text
    assert "- `closed`: nDCG@10 of closed-book answers 0.4500 is above sub-questions' 0.4000" in text
    assert "`bm25`: nDCG@10 0.3500 is below" not in text
    assert [line for line in text.splitlines() if "unjudged rest" in line] == [
        "- `closed`: Judged@10 0.5000: the unjudged rest counts as not relevant, so values are lower bounds"
    ]
    assert [one.name for one in figures(own).diagnoses["en"]["reranked"]].count("reranked") == 1
    changed = Row("reranked", "x", Role.SYSTEM, {"en": run([0.3] * 10, 0.95)}, reranked=50, first_stage="plain")
    assert "R@100 0.9500 is not the first stage's 0.9000" in rendered(study(bm25, first, changed))


def test_bm25_over_windows_is_not_blamed_and_a_lower_value_alone_neither() -> None:
    def below(parts: str, values: Sequence[float], asks: str = "question") -> str:
        other = Row("other", parts, Role.SYSTEM, {"en": run(values)}, asks, parts.split()[0].rstrip(","))
        lines = rendered(study(row("bm25", Role.BASELINE, en=run(HIGH)), other)).splitlines()
        return next((line for line in lines if "is below BM25's" in line), "")

    assert "prefixes" in below("dense", LOW)
    assert below("bm25 (k1 1.2), windows of 128 tokens", LOW) == ""
    assert below("char", LOW).endswith("look for a mistake before tuning")
    assert below("bm25, asks keywords", LOW, "keywords").endswith("look for a mistake before tuning")
    # One query of ten is lower.
    assert below("dense", [0.1, *HIGH[1:]]) == ""


def test_the_recall_named_is_one_asked_for_within_the_depth() -> None:
    def named(measures: Sequence[str], top_k: int) -> list[str]:
        values = {"R@50": [0.3] * 10, "nDCG@10": [0.2] * 10}
        own = with_measures(Row("s", "dense", Role.SYSTEM, {"en": run([0.2] * 10, 0.4, 0, **values)}), measures)
        whole = study(own, measures=tuple(measures), top_k=top_k)
        found = figures(whole).diagnoses["en"]["s"]
        return [one.text.split()[0] for one in found if one.name == "coverage"]

    assert named(("nDCG@10", "R@50"), 100) == ["R@50"]
    assert named(("nDCG@10",), 100) == ["R@100"]
    assert named(("nDCG@10",), 50) == ["R@50"]
    assert named(("nDCG@10", "R@100"), 50) == []


def test_both_files_are_written_and_hold_the_same_values(tmp_path: Path) -> None:
    own = study(BASE, GOOD, ORACLE)
    lines = write_report(own, figures(own), tmp_path)
    assert lines[0] == "en  nDCG@10: best system hybrid 0.5700, baseline bm25 0.2100, oracle oracle 1.0000"
    value = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))
    assert (value["kind"], value["measures"], value["k"]) == ("ragaliq-experiment-1", list(MEASURES), 100)
    rows = {one["system"]: one for one in value["languages"]["en"]["rows"]}
    assert rows["hybrid"]["measures"]["nDCG@10"] == pytest.approx(0.57)
    assert rows["hybrid"]["beside"] == {"Judged@10": 0.5}
    against = rows["hybrid"]["against_baseline"]["nDCG@10"]
    assert (against["wins"], against["ties"], against["losses"], against["outcome"]) == (9, 1, 0, "better")
    assert against["difference"] == pytest.approx(0.36)
    assert rows["oracle"]["against_baseline"] == {}
    headroom = value["languages"]["en"]["headroom"]
    assert (headroom["system"], headroom["oracle"]) == ("hybrid", "oracle")
    assert value["languages"]["zh"]["headroom"] is None
    assert (tmp_path / "retrieval.md").read_text(encoding="utf-8") == rendered(own)


def test_an_experiment_without_a_baseline_or_of_one_query_has_a_report() -> None:
    text = rendered(study(row("a", en=run([0.5]), ru=run([0.4])), row("b", en=run([0.25]))))
    assert "Against" not in text
    assert cells(text, "## en")[1][1] == "0.5000"
    assert {line[0]: line[5 - 1] for line in cells(text, "## Languages: nDCG@10")[1:]} == {"a": "ru", "b": "—"}
