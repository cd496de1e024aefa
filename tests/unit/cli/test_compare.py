"""`ragaliq compare`: runs against a baseline."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ragaliq.cli import main
from ragaliq.metrics.statistics.multiplicity import holm

N = 24
KEYS = [
    "measure", "run", "n", "baseline_mean", "mean", "difference", "percent", "ci",
    "p_permutation", "p_t", "p_bootstrap", "holm_permutation", "holm_t", "holm_bootstrap",
    "wins", "ties", "losses", "outcome",
]  # fmt: skip


def write_ranks(path: Path, ranks: list[int]) -> None:
    """Write a run whose relevant document `d` of query i stands at `ranks[i]`."""
    lines = []
    for query, rank in enumerate(ranks):
        docs = [f"x{place}" for place in range(1, 11)]
        docs[rank - 1] = "d"
        lines += [f"q{query} Q0 {doc} {place} {100 - place} t\n" for place, doc in enumerate(docs, start=1)]
    path.write_text("".join(lines))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three runs on 24 queries with one relevant document each: A at rank 2, B mostly better, C mostly worse."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text("".join(f"q{query} 0 d 1\n" for query in range(N)))
    write_ranks(tmp_path / "A", [2] * N)
    write_ranks(tmp_path / "B", [1] * 12 + [2] * 10 + [4] * 2)
    write_ranks(tmp_path / "C", [4] * 9 + [2] * 15)
    return tmp_path


Compare = Callable[..., str]


@pytest.fixture
def compare(here: Path, capsys: pytest.CaptureFixture[str]) -> Compare:
    def called(*options: str, code: int = 0) -> str:
        found = main(["compare", *options])
        told = capsys.readouterr()
        assert found == code, told.err
        return told.out if code != 2 else told.err

    return called


def rows(compare: Compare, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(compare(*options, "--format", "json"))["comparisons"]
    return found


def test_b12_differences_are_absolute_and_relative_with_a_paired_test(compare: Compare) -> None:
    (row,) = rows(compare, "A", "B", "--qrels", "q.txt", "-m", "RR")
    assert list(row) == KEYS
    assert (row["measure"], row["run"], row["n"], row["baseline_mean"]) == ("RR", "B", N, 1 / 2)
    difference = (12 * 1 / 2 + 2 * (1 / 4 - 1 / 2)) / N
    assert row["mean"] == pytest.approx(1 / 2 + difference)
    assert row["difference"] == pytest.approx(difference)
    assert row["percent"] == pytest.approx(100 * difference / (1 / 2))
    assert (row["wins"], row["ties"], row["losses"]) == (12, 10, 2)
    assert row["ci"][0] < difference < row["ci"][1]
    assert row["outcome"] == "better"
    text = compare("--full", "A", "B", "--qrels", "q.txt", "-m", "RR")
    cells = [cell.strip() for cell in text.splitlines()[9].split("|")[1:-1]]
    assert cells[:4] == ["B", f"{1 / 2 + difference:.4f}", f"+{difference:.4f}", f"+{200 * difference:.1f}"]
    assert cells[-2:] == ["12/10/2", "better"]


def test_the_verdict_on_the_first_measure_comes_first(compare: Compare) -> None:
    sentence, table, _ = compare("A", "B", "C", "--qrels", "q.txt", "-m", "RR,R@3").rstrip("\n").split("\n\n")
    assert sentence.startswith("B is better than A: +0.2292 in RR (95 % interval +")
    assert "; C is worse than A: -0.0938 in RR (" in sentence and sentence.endswith(f", on {N} queries, paired.")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert rows[0] == ["measure", "run", "mean", "difference (ci95)", "outcome"]
    assert [(row[0], row[1], row[4]) for row in rows[2:]] == [
        ("RR", "A", "baseline"), ("RR", "B", "better"), ("RR", "C", "worse"),
        ("R@3", "A", "baseline"), ("R@3", "B", "undecided"), ("R@3", "C", "worse"),
    ]  # fmt: skip


def test_e15_t_bootstrap_and_permutation_stand_side_by_side(compare: Compare) -> None:
    (row,) = rows(compare, "A", "B", "--qrels", "q.txt", "-m", "RR")
    values = [1.0] * 12 + [0.5] * 10 + [0.25] * 2
    deltas = np.array(values) - 0.5
    assert row["p_t"] == pytest.approx(stats.ttest_rel(values, [0.5] * N).pvalue)
    # 14 untied queries: all 2^14 assignments of signs.
    signs = 1 - 2 * ((np.arange(2**14)[:, None] >> np.arange(14)) & 1)
    sums = np.abs(signs @ deltas[deltas != 0])
    observed = deltas.sum()
    assert row["p_permutation"] == pytest.approx(((sums > observed).mean() + (sums >= observed).mean()) / 2)
    assert 0 < row["p_bootstrap"] < 0.05
    assert [row["holm_permutation"], row["holm_t"]] == [row["p_permutation"], row["p_t"]]


def test_e15_three_systems_are_corrected_by_holm_within_each_measure(compare: Compare) -> None:
    found = rows(compare, "A", "B", "C", "--qrels", "q.txt", "-m", "RR,R@3")
    assert [(row["measure"], row["run"]) for row in found] == [("RR", "B"), ("RR", "C"), ("R@3", "B"), ("R@3", "C")]
    for pair in (found[:2], found[2:]):
        for test in ("permutation", "t", "bootstrap"):
            assert [row[f"holm_{test}"] for row in pair] == holm([row[f"p_{test}"] for row in pair])
    text = compare("--full", "A", "B", "C", "--qrels", "q.txt", "-m", "RR")
    assert "Holm (t)" in text and "Holm (bootstrap)" in text
    assert "Holm (t)" not in compare("--full", "A", "B", "--qrels", "q.txt", "-m", "RR")


def test_a_run_that_is_the_baseline_does_not_differ(compare: Compare, here: Path) -> None:
    (here / "copy").write_bytes((here / "A").read_bytes())
    for other in ("copy", "A"):
        for row in rows(compare, "A", other, "--qrels", "q.txt"):
            assert (row["difference"], row["percent"]) == (0, 0)
            # What other queries would show is not known.
            assert row["ci"][0] == -row["ci"][1] < 0
            assert [row[f"{kind}_{test}"] for kind in ("p", "holm") for test in ("permutation", "t", "bootstrap")] == [
                1
            ] * 6
            assert (row["wins"], row["ties"], row["losses"], row["outcome"]) == (0, N, 0, "undecided")
        compare("A", other, "--qrels", "q.txt", "--fail-if-worse")


def test_fail_if_worse_looks_at_the_first_measure(
    compare: Compare, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compare("A", "B", "--qrels", "q.txt", "-m", "RR", "--fail-if-worse")
    compare("A", "C", "--qrels", "q.txt", "-m", "RR")
    compare("A", "C", "--qrels", "q.txt", "-m", "RR", "--fail-if-worse", code=1)
    compare("A", "B", "C", "--qrels", "q.txt", "-m", "RR", "--fail-if-worse", code=1)
    # All three find the document among ten.
    compare("A", "C", "--qrels", "q.txt", "-m", "R@10,RR", "--fail-if-worse")
    assert main(["compare", "A", "C", "--qrels", "q.txt", "--metric", "RR", "--fail-if-worse"]) == 1
    assert "C: worse than A on RR\n" in capsys.readouterr().err


def test_a_difference_that_chance_could_make_does_not_fail(compare: Compare, here: Path) -> None:
    write_ranks(here / "D", [3] * 3 + [2] * (N - 3))
    compare("A", "D", "--qrels", "q.txt", "-m", "RR", "--fail-if-worse")
    assert rows(compare, "A", "D", "--qrels", "q.txt", "-m", "RR")[0]["outcome"] == "undecided"


def test_fewer_holes_are_better(compare: Compare, here: Path) -> None:
    (here / "deep").write_text("".join(f"q{query} Q0 d 1 1 t\n" for query in range(N)))
    (row,) = rows(compare, "A", "deep", "--qrels", "q.txt", "-m", "Hole@5")
    assert row["difference"] < 0
    assert (row["wins"], row["losses"], row["outcome"]) == (N, 0, "better")


def test_queries_are_those_of_the_judgements_for_every_run(
    compare: Compare, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (here / "A").read_text().splitlines(keepends=True)
    (here / "part").write_text("".join(line for line in lines if not line.startswith(("q0 ", "q1 "))))
    found = json.loads(compare("A", "part", "--qrels", "q.txt", "-m", "RR", "--format", "json"))
    assert (found["n_queries"], found["n_missing_in_run"]) == (N, {"A": 0, "part": 2})
    assert found["comparisons"][0]["mean"] == pytest.approx((N - 2) / 2 / N)
    assert main(["compare", "A", "part", "--qrels", "q.txt"]) == 0
    told = capsys.readouterr()
    assert f"Evaluating {N} / {N} queries: A\nEvaluating {N - 2} / {N} queries: part\n" in told.err
    assert "warning[missing-queries]: part:" in told.err
    assert "missing in a run and counted 0: A 0, part 2" in told.out


def test_the_seed_decides_what_is_drawn(compare: Compare, here: Path) -> None:
    options = ("A", "B", "--qrels", "q.txt", "-m", "RR", "--format", "json")
    assert compare(*options) == compare(*options) == compare(*options, "--seed", "0")
    assert compare(*options) != compare(*options, "--seed", "1")


def test_a_data_set_stands_in_for_qrels(compare: Compare, here: Path, sample: Path) -> None:
    for name, docs in (("X", ["arrival-01", "arrival-02"]), ("Y", ["arrival-02", "arrival-01"])):
        (here / name).write_text("".join(f"q001 Q0 {doc} 1 {9 - place} t\n" for place, doc in enumerate(docs)))
    found = rows(compare, "X", "Y", "--data", str(sample), "--lang", "zh", "-m", "RR")
    assert found[0]["difference"] == pytest.approx(-1 / 2 / found[0]["n"])


def test_wrong_input_is_one_line_and_exit_code_2(compare: Compare) -> None:
    cases: list[tuple[str, str]] = [
        ("A B", "A: neither a run folder nor graded rows (.jsonl, .csv, .tsv) nor a judged log (.json) nor a"),
        ("A B --qrels q.txt --gate .03", "--gate is not for TREC runs"),
        ("A B --qrels q.txt --value v", "--range are for tables of values, not TREC runs"),
        ("A B --qrels q.txt --margin .03", "--margin and --mixed are for graded systems"),
        ("A B --qrels q.txt --mixed", "--margin and --mixed are for graded systems"),
        ("A B --qrels q.txt --data d", "give either --qrels FILE or --data DIR"),
        ("A none --qrels q.txt", "none: cannot be read"),
        ("A B --qrels q.txt -m P", "needs a cutoff"),
    ]  # fmt: skip
    for options, says in cases:
        told = compare(*options.split(), code=2)
        assert says in told and told.count("\n") == 1, options
