"""`ragaliq measure`, from files to what a user or a program reads."""

from __future__ import annotations

import csv
import io
import json
from math import log2
from pathlib import Path
from typing import Any

import pytest

from ragaliq.cli import main
from ragaliq.cli.measure import parse_measures
from ragaliq.formats.trec.run import ScoredDoc
from unit.formats.trec.run_file import write_run

QRELS = """\
q1 0 d1 2
q1 0 d2 1
q1 0 d3 0
q2 0 d1 1
вопрос 0 статья 4 1
"""
# q1: d2, an unjudged one, d1; вопрос: its document first; q2 is not there; q9 has no judgements.
RUN = """\
q1 Q0 d2 1 3.0 t
q1 Q0 x 2 2.0 t
q1 Q0 d1 3 1.0 t
вопрос Q0 статья 4 1 9.5 t
q9 Q0 d1 1 1.0 t
"""
NUGGETS = """\
q1 n1 d1 1
q1 n2 d2 1
q1 n3 d9 0
"""
PER_QUERY = {"n_queries", "n_missing_in_run", "measures", "per_query"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with qrels, subtopic qrels and a run."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("q.txt", QRELS), ("run.trec", RUN), ("nuggets.txt", NUGGETS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def measure(capsys: pytest.CaptureFixture[str], *options: str, code: int = 0) -> str:
    """Run the command, and return its stdout; stderr is in the message of a wrong exit code."""
    found = main(["measure", *options])
    told = capsys.readouterr()
    assert found == code, told.err
    return told.out


def as_json(capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    return json.loads(measure(capsys, *options, "--format", "json"))


def refused(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """Return the one line that refuses."""
    assert main(["measure", *options]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    return told.err


def test_json_holds_means_counts_and_every_query(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "--qrels", "q.txt", "--run", "run.trec", "-m", "nDCG@10", "-m", "RR")
    ndcg = (1 + 2 / log2(4)) / (2 + 1 / log2(3))
    assert set(found) >= PER_QUERY
    assert found["per_query"] == {
        "q1": {"nDCG@10": pytest.approx(ndcg), "RR": 1.0},
        "q2": {"nDCG@10": 0.0, "RR": 0.0},
        "вопрос": {"nDCG@10": 1.0, "RR": 1.0},
    }
    # A judged query that the run lacks counts 0; one that nobody judged does not count.
    assert found["measures"] == {"nDCG@10": pytest.approx((ndcg + 0 + 1) / 3), "RR": 2 / 3}
    assert (found["n_queries"], found["n_missing_in_run"], found["n_extra_in_run"]) == (3, 1, 1)
    assert (found["run"], found["n_without_relevant"], found["tied_at_cut"]) == ("run.trec", 0, {"nDCG@10": 0})


def test_the_defaults_are_those_of_the_field(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "--qrels", "q.txt", "--run", "run.trec")
    assert list(found["measures"]) == ["nDCG@10", "R@100", "AP", "RR"]


def test_a5_nuggets_bring_three_measures_with_a_line_of_meaning_each(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = measure(capsys, "--qrels", "nuggets.txt", "--run", "run.trec")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    found = {row[0]: row for row in rows}
    assert list(found)[1:] == ["alpha_nDCG@10", "Coverage@20", "R@50"]
    # d2 and d1 support two of three nuggets; they are all that supports any. The gap between them costs discount.
    ideal = 1 + 1 / log2(3)
    assert found["alpha_nDCG@10"][1] == f"{(1 + 1 / log2(4)) / ideal:.4f}"
    assert (found["Coverage@20"][1], found["R@50"][1]) == (f"{2 / 3:.4f}", "1.0000")
    for name, word in (("alpha_nDCG@10", "diversity"), ("Coverage@20", "grounding"), ("R@50", "relevant")):
        assert word in found[name][-1]


def test_f1_gain_is_linear_unless_asked_and_the_same_on_binary_judgements(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exponential = "nDCG(dcg='exp-log2')@10"
    graded = as_json(capsys, "--qrels", "q.txt", "--run", "run.trec", "-m", f"nDCG@10,{exponential}")
    first = graded["per_query"]["q1"]
    assert first["nDCG@10"] == pytest.approx((1 + 2 / log2(4)) / (2 + 1 / log2(3)))
    assert first[exponential] == pytest.approx((1 + 3 / log2(4)) / (3 + 1 / log2(3)))
    (here / "binary.txt").write_text(QRELS.replace("d1 2", "d1 1"), encoding="utf-8")
    binary = as_json(capsys, "--qrels", "binary.txt", "--run", "run.trec", "-m", f"nDCG@10,{exponential}")["measures"]
    assert binary["nDCG@10"] == binary[exponential]


def test_f2_unjudged_documents_count_as_not_relevant_and_their_share_stands_beside(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = as_json(capsys, "--qrels", "q.txt", "--run", "run.trec", "-m", "P@2", "-m", "R@3")
    # Of the first two documents of q1 one is judged, of its first three two; q2 has none; that of вопрос is judged.
    assert found["judged"] == {
        "Judged@2": pytest.approx((1 / 2 + 0 + 1) / 3),
        "Judged@3": pytest.approx((2 / 3 + 0 + 1) / 3),
    }
    assert found["per_query"]["q1"]["P@2"] == 1 / 2
    text = measure(capsys, "--qrels", "q.txt", "--run", "run.trec", "-m", "AP")
    assert "Judged@10 0.5556" in text and "Unjudged documents count as not relevant" in text


def test_e12_how_many_queries_are_evaluated_goes_to_stderr(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "--qrels", "q.txt", "--run", "run.trec", "--format", "json"]) == 0
    told = capsys.readouterr()
    assert "Evaluating 2 / 3 queries: run.trec\n" in told.err
    assert "warning[missing-queries]: run.trec: 1 of the 3 queries of q.txt are not in the run and count 0" in told.err
    (warning,) = json.loads(told.out)["warnings"]
    assert warning.startswith("warning[missing-queries]")


def test_markdown_tells_value_number_interval_and_meaning(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = measure(capsys, "--qrels", "q.txt", "--run", "run.trec", "-m", "RR", "--per-query").splitlines()
    assert [cell.strip() for cell in lines[0].split("|")[1:-1]] == ["measure", "value", "n", "ci95", "meaning"]
    row = [cell.strip() for cell in lines[2].split("|")[1:-1]]
    assert row == ["RR", "0.6667", "3", "—", "1 / rank of the first relevant document"]
    assert any(line.replace(" ", "") == "|run.trec|вопрос|1.0000|" for line in lines)
    told = "\n".join(lines)
    assert "- judged queries: 3. Unjudged" in told
    assert "run.trec: Judged@10 0.5556; queries missing and counted 0: 1; queries without judgements and" in told


def test_csv_has_the_means_or_the_queries(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--qrels", "q.txt", "--run", "run.trec", "-m", "RR,P(rel=2)@1", "--format", "csv")
    means = list(csv.DictReader(io.StringIO(measure(capsys, *options))))
    assert [(row["run"], row["measure"], row["n"]) for row in means] == [
        ("run.trec", "RR", "3"),
        ("run.trec", "P(rel=2)@1", "3"),
    ]
    assert float(means[0]["value"]) == 2 / 3
    assert (means[0]["ci95_low"], means[0]["ci95_high"]) == ("0.0", "1.0")
    queries = list(csv.DictReader(io.StringIO(measure(capsys, *options, "--per-query"))))
    assert [(row["query_id"], row["RR"], row["P(rel=2)@1"]) for row in queries] == [
        ("q1", "1.0", "0.0"), ("q2", "0.0", "0.0"), ("вопрос", "1.0", "0.0")
    ]  # fmt: skip


def test_several_runs_are_a_column_each(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "two.trec").write_text("q2 Q0 d1 1 1 t\n", encoding="utf-8")
    options = ("--qrels", "q.txt", "--run", "run.trec", "--run", "two.trec", "--run", "run.trec", "-m", "RR")
    lines = measure(capsys, *options).splitlines()
    assert [cell.strip() for cell in lines[0].split("|")[1:-1]] == ["measure", "run.trec", "two.trec", "n", "meaning"]
    assert "0.6667 (" in lines[2] and "0.3333 (" in lines[2]
    first, second = as_json(capsys, *options)
    assert (first["run"], second["run"], second["measures"]["RR"]) == ("run.trec", "two.trec", 1 / 3)


def test_ties_fall_as_asked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "tied.trec").write_text("q2 Q0 d1 1 1.0 t\nq2 Q0 d0 2 1.0 t\nq2 Q0 d2 3 1.0 t\n", encoding="utf-8")
    options = ("--qrels", "q.txt", "--run", "tied.trec", "-m")
    # Descending: d2, d1, d0. Ascending: d0, d1, d2. The file begins with d1.
    for ties, rr in (("trec", 1 / 2), ("ascending", 1 / 2), ("order", 1.0)):
        assert as_json(capsys, *options, "RR", "--ties", ties)["per_query"]["q2"]["RR"] == rr, ties
    assert as_json(capsys, *options, "Success@1")["tied_at_cut"] == {"Success@1": 1}
    assert "cut: Success@1 1." in measure(capsys, *options, "Success@1")


def test_a_run_given_twice_is_one_column(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "--qrels", "q.txt", "--run", "run.trec", "--run", "./run.trec", "-m", "RR")
    assert found["run"] == "run.trec"


def test_rounds_of_judging_in_the_second_column_change_no_relevance(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # TREC-COVID writes the round there; each document is judged in one. trec_eval skips the column.
    (here / "rounds.txt").write_text("q1 4.5 d1 2\nq1 1 d2 1\nq1 2 d3 0\n", encoding="utf-8")
    (here / "plain.txt").write_text("q1 0 d1 2\nq1 0 d2 1\nq1 0 d3 0\n", encoding="utf-8")
    options = ("--run", "run.trec", "-m", "nDCG@10,AP(rel=2),R@10,Judged@3")
    rounds, plain = (as_json(capsys, "--qrels", name, *options)["per_query"] for name in ("rounds.txt", "plain.txt"))
    assert rounds == plain


def test_commas_between_parentheses_belong_to_a_measure() -> None:
    measures = parse_measures(["nDCG@10, alpha_nDCG(alpha=0.3,rel=2)@10,,RR ", "", "P(rel=2)@5,RR"])
    assert list(map(str, measures)) == ["nDCG@10", "alpha_nDCG(alpha=0.3,rel=2)@10", "RR", "P(rel=2)@5"]


def test_a_data_set_brings_judgements_nuggets_importance_and_gold(
    sample: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [line.split() for line in (sample / "qrels" / "ru.tsv").read_text(encoding="utf-8").splitlines()]
    judged: dict[str, list[ScoredDoc]] = {}
    for query_id, _, doc_id, relevance in rows:
        if int(relevance) > 0:
            judged.setdefault(query_id, []).append(ScoredDoc(doc_id, 1.0 - len(judged.get(query_id, ())) / 100))
    write_run(here / "best.trec", judged, "best")
    options = ("--data", str(sample), "--lang", "ru", "--run", "best.trec")
    assert list(as_json(capsys, *options)["measures"]) == ["alpha_nDCG@10", "Coverage@20", "R@50"]
    names = "AllGold@10,Coverage@20,WeightedCoverage@20,R@50,nDCG@10"
    found = as_json(capsys, *options, "-m", names)
    assert found["measures"] == dict.fromkeys(names.split(","), pytest.approx(1))
    # Measures of the qrels alone are over the queries that the qrels have.
    assert as_json(capsys, *options, "-m", "RR")["n_queries"] == len(judged)


def test_the_same_call_prints_the_same_bytes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("md", "csv", "json"):
        options = ("--qrels", "q.txt", "--run", "run.trec", "--format", form)
        assert measure(capsys, *options) == measure(capsys, *options)


@pytest.mark.shared
def test_files_of_trec_eval_give_its_values(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared_data / "ir" / "trec_eval"
    names = {"map": "AP", "recip_rank": "RR", "P_10": "P@10", "recall_100": "R@100", "ndcg_cut_10": "nDCG@10"}
    options = ("--qrels", str(folder / "qrels.test"), "--run", str(folder / "results.trunc"))
    found = as_json(capsys, *options, "-m", ",".join(names.values()))
    printed = [line.split() for line in (folder / "out.test.aqc").read_text().splitlines()]
    expected = {(query, name): value for name, query, value in printed if name in names}
    assert len(expected) == len(names) * (found["n_queries"] + 1)
    for (query, name), value in expected.items():
        values = found["measures"] if query == "all" else found["per_query"][query]
        assert f"{values[names[name]]:.4f}" == value, (query, name)


def test_wrong_input_is_one_line_and_exit_code_2(here: Path, sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases: list[tuple[str, str]] = [
        ("--run run.trec", "give either --qrels FILE or --data DIR"),
        ("--run run.trec --qrels q.txt --data d", "give either --qrels FILE or --data DIR"),
        ("--run run.trec --qrels q.txt --lang en", "--lang, --split and --from belong to --data"),
        ("--run run.trec --qrels none.txt", "none.txt: cannot be read"),
        ("--run none.trec --qrels q.txt", "none.trec: cannot be read"),
        ("--run run.trec --qrels q.txt -m nDGC@10", "did you mean 'nDCG'?"),
        ("--run run.trec --qrels q.txt -m ndcg_cut_10", "did you mean 'nDCG@10'?"),
        ("--run run.trec --qrels q.txt -m R@99999999999999999999", "whole number from 1 to 10^15"),
        ("--run run.trec --qrels q.txt -m ,", "-m: names no measure"),
        ("--run run.trec --qrels q.txt -m Coverage@20", "Coverage@20 needs nugget judgements"),
        ("--run run.trec --qrels q.txt -m AllGold@20", "AllGold@20 needs gold"),
        ("--run run.trec --qrels nuggets.txt -m WeightedCoverage@20", "importance"),
        ("--run nan.trec --qrels q.txt", "nan.trec:1: score 'nan' is not a finite number"),
        ("--run twice.trec --qrels q.txt", "twice.trec:2: document 'd1' occurs twice under query 'q1'"),
        ("--run foreign.trec --qrels q.txt", "foreign.trec: error[wrong-split]: none of its 1 queries, such as 'z-1'"),
        ("--run empty.trec --qrels q.txt", "empty.trec: holds no query"),
        ("--run run.trec --qrels half.txt", "half.txt:1: judgement '0.5' is not a whole number"),
        ("--run run.trec --data SAMPLE", "has 6 languages (de, en, es, fr, ru, zh); name one"),
        ("--run run.trec --data SAMPLE --lang xx", "unknown language 'xx'"),
        ("--run run.trec --data nowhere --lang en", "nowhere: no such folder"),
    ]  # fmt: skip
    for options, says in cases:
        (here / "nan.trec").write_text("q1 Q0 d1 1 nan t\n")
        (here / "twice.trec").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n")
        (here / "foreign.trec").write_text("z-1 Q0 d1 1 2 t\n")
        (here / "empty.trec").write_text("")
        (here / "half.txt").write_text("q1 0 d1 0.5\n")
        assert says in refused(capsys, *options.replace("SAMPLE", str(sample)).split())


# q1 over two languages: its documents are d2, d1, x, each twice or once; q2: nothing relevant in Chinese.
UNITS = """\
q1 Q0 d2@zh 1 4.0 t
q1 Q0 x@en 2 3.0 t
q1 Q0 d2@en 3 2.0 t
q1 Q0 d1@en 4 1.0 t
q2 Q0 x@zh 1 2.0 t
q2 Q0 d1@en 2 1.0 t
"""
UNIT_QRELS = "q1 0 d1 1\nq1 0 d2 1\nq2 0 d1 1\n"


def test_a_run_of_units_is_measured_collapsed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "u.trec").write_text(UNITS, encoding="utf-8")
    (here / "u.txt").write_text(UNIT_QRELS, encoding="utf-8")
    options = ("--run", "u.trec", "--qrels", "u.txt", "-m", "RR,R@2,P@1")
    found = as_json(capsys, *options)
    # q1: d2, x, d1; q2: x, d1.
    assert found["per_query"] == {"q1": {"RR": 1.0, "R@2": 0.5, "P@1": 1.0}, "q2": {"RR": 0.5, "R@2": 1.0, "P@1": 0.0}}
    (note,) = found["warnings"]
    assert "u.trec: ranks units doc_id@lang, and is measured collapsed to documents" in note
    assert note.endswith("share of the first 10 units: en 0.667, zh 0.333")


def test_each_languages_part_of_a_run_of_units(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "u.trec").write_text(UNITS, encoding="utf-8")
    (here / "u.txt").write_text(UNIT_QRELS, encoding="utf-8")
    whole, en, zh = as_json(capsys, "--run", "u.trec", "--qrels", "u.txt", "-m", "RR,R@2", "--per-language")
    assert [part["run"] for part in (whole, en, zh)] == ["u.trec", "u.trec@en", "u.trec@zh"]
    # English: x, d2, d1 and d1. Chinese: d2 and x.
    assert en["per_query"] == {"q1": {"RR": 0.5, "R@2": 0.5}, "q2": {"RR": 1.0, "R@2": 1.0}}
    assert zh["per_query"] == {"q1": {"RR": 1.0, "R@2": 0.5}, "q2": {"RR": 0.0, "R@2": 0.0}}
    table = measure(capsys, "--run", "u.trec", "--qrels", "u.txt", "-m", "RR", "--per-language")
    assert [cell.strip() for cell in table.splitlines()[0].split("|")][2:5] == ["u.trec", "u.trec@en", "u.trec@zh"]


def test_a_run_of_documents_has_no_parts(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert as_json(capsys, "--run", "run.trec", "--qrels", "q.txt", "--per-language") == as_json(
        capsys, "--run", "run.trec", "--qrels", "q.txt"
    )
    # Judged under these very names, they are documents like others.
    (here / "u.trec").write_text(UNITS, encoding="utf-8")
    (here / "own.txt").write_text("q1 0 d2@en 1\nq2 0 x@zh 1\n", encoding="utf-8")
    found = as_json(capsys, "--run", "u.trec", "--qrels", "own.txt", "-m", "RR", "--per-language")
    assert found["per_query"] == {"q1": {"RR": 1 / 3}, "q2": {"RR": 1.0}}
